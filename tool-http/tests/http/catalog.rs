//! Lists: all properties of a tool, filters and pages.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use serde_json::Value;
use tool_core::{DynamicTool, Output, Registry, ToolDefinition, Unmet, tool};
use tool_http::router;

use crate::client::{Answer, get};

static HAS_KEY: AtomicBool = AtomicBool::new(false);

/// Held by a test that depends on `HAS_KEY`.
static KEY_IN_USE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn has_key() -> Result<(), Unmet> {
    if HAS_KEY.load(Ordering::SeqCst) { Ok(()) } else { Err(Unmet::new("set KEY")) }
}

fn never() -> Result<(), Unmet> {
    Err(Unmet::new("set \"TOKEN\""))
}

/// Looks a word up.
///
/// ```tool
/// {"word": "oak"}
/// ```
#[tool(
    operation = Read,
    title = "Dictionary",
    open_world = false,
    permission = all("words.read", "words.list"),
    requires = [never],
    tags = ["words", "books"]
)]
#[deprecated(since = "2.0.0", note = "use `find`")]
fn look_up(
    /** The word. */
    word: String,
) -> String {
    word
}

/// Finds a word in books.
#[tool(operation = Read, open_world = false, requires = [has_key], tags = ["books"])]
fn find(
    /** The word. */
    word: String,
) -> String {
    word
}

/// Writes a letter, word by word.
#[tool(operation = Trigger, destructive = false, tags = ["letters"])]
fn write_letter() {}

/// A tree of words.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Tree {
    word: String,
    children: Vec<Tree>,
}

/// Counts the words of a tree.
#[tool(operation = Transform, open_world = false)]
fn count_tree(tree: Tree) -> usize {
    1 + tree.children.into_iter().map(count_tree).sum::<usize>()
}

fn catalogue() -> Router {
    router(
        Registry::builder().linked().select(|tool| tool.source().module == module_path!()).build().unwrap(),
    )
}

fn names(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let tools: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn lists_all_properties() {
    let answer = get(&catalogue(), "/tools?operation=read&tag=words").await;
    assert_eq!(
        answer.body,
        concat!(
            r#"[{"name":"look_up","description":"Looks a word up.","annotations":{"readOnlyHint":true,"#,
            r#""destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"title":"Dictionary","#,
            r#""operation":"read","tags":["words","books"],"deprecated":{"since":"2.0.0","note":"use `find`"},"#,
            r#""requirements":{"met":false,"message":"set \"TOKEN\""}}]"#,
        )
    );
}

#[tokio::test]
async fn returns_all_properties_of_a_tool() {
    let answer = get(&catalogue(), "/tools/look_up").await;
    let (expected, digest) = answer.body.split_once(r#","digest":""#).unwrap();
    assert_eq!(
        expected,
        concat!(
            r#"{"name":"look_up","title":"Dictionary","description":"Looks a word up.","annotations":"#,
            r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"#,
            r#""inputSchema":{"type":"object","properties":{"word":{"type":"string","description":"The word."}},"#,
            r#""required":["word"],"additionalProperties":false,"examples":[{"word":"oak"}]},"#,
            r#""operation":"read","modifying":false,"idempotent":true,"#,
            r#""permission":"all(words.read, words.list)","requirements":{"met":false,"message":"set \"TOKEN\""},"#,
            r#""tags":["words","books"],"deprecated":{"since":"2.0.0","note":"use `find`"},"#,
            r#""examples":[{"word":"oak"}]"#,
        )
    );
    assert!(digest.ends_with(r#""}"#) && digest.len() > 60, "{digest}");
}

#[tokio::test]
async fn filters_lists() {
    let _key = KEY_IN_USE.lock().await;
    HAS_KEY.store(true, Ordering::SeqCst);
    let router = catalogue();
    for (query, expected) in [
        ("tag=books", &["find", "look_up"][..]),
        ("tag=letters&tag=words", &["look_up", "write_letter"]),
        ("tag=books&operation=write", &[]),
        ("unmet=show", &["count_tree", "find", "look_up", "write_letter"]),
        ("unmet=hide", &["count_tree", "find", "write_letter"]),
        ("unmet=only", &["look_up"]),
        ("q=letter", &["write_letter"]),
        // The best match comes first.
        ("q=find", &["find", "look_up"]),
        ("q=", &["count_tree", "find", "look_up", "write_letter"]),
        ("q=zebra", &[]),
        ("q=books&operation=read&unmet=hide", &["find"]),
    ] {
        assert_eq!(names(&get(&router, &format!("/tools?{query}")).await), expected, "{query}");
    }
    let ranked = names(&get(&router, "/tools?q=tree+word").await);
    assert_eq!((ranked.len(), &*ranked[0]), (4, "count_tree"));

    let answer = get(&router, "/tools?tag=book").await;
    assert_eq!(
        (answer.status, &*answer.body),
        (400, r#"{"error":"unknown value `book` of `tag`: known are books, letters, words"}"#)
    );
}

#[tokio::test]
async fn checks_requirements_for_each_request() {
    let _key = KEY_IN_USE.lock().await;
    // Cached documents must not contain what changes.
    let registry = Registry::builder().linked().select(|tool| tool.name() == "find").build().unwrap();
    let router = router(registry);
    for (has_key, expected) in [
        (false, r#""requirements":{"met":false,"message":"set KEY"}"#),
        (true, r#""requirements":{"met":true}"#),
    ] {
        HAS_KEY.store(has_key, Ordering::SeqCst);
        for path in ["/tools", "/tools?detail=full", "/tools/find"] {
            let answer = get(&router, path).await;
            assert!(answer.body.contains(expected), "{path}: {}", answer.body);
        }
        let list = get(&router, "/mcp/tools/list").await.body;
        assert_eq!(list.contains(r#""name":"find""#), has_key, "{list}");
    }
}

#[tokio::test]
async fn links_pages_to_the_last() {
    let router = catalogue();
    for (query, link) in [
        ("limit=3", "<?limit=3&cursor=look_up>; rel=\"next\""),
        ("q=word&limit=1&detail=full&unmet=show", "<?q=word&limit=1&detail=full&unmet=show&cursor="),
        (
            "limit=2&operation=read&operation=transform&profile=mcp",
            "<?limit=2&operation=read&operation=transform&profile=mcp&cursor=find>; rel=\"next\"",
        ),
    ] {
        let unlimited: Vec<&str> = query.split('&').filter(|part| !part.starts_with("limit")).collect();
        let whole = names(&get(&router, &format!("/tools?{}", unlimited.join("&"))).await);
        let mut page = get(&router, &format!("/tools?{query}")).await;
        assert!(page.header("link").starts_with(link), "{query}: {}", page.header("link"));
        let mut found = names(&page);
        while !page.header("link").is_empty() {
            let next = page.header("link").strip_prefix('<').unwrap().split_once('>').unwrap().0.to_owned();
            page = get(&router, &format!("/tools{next}")).await;
            assert!(!names(&page).is_empty());
            found.extend(names(&page));
        }
        assert_eq!(found, whole, "{query}");
    }
    // A full last page has no successor.
    assert_eq!(get(&router, "/tools?limit=4").await.header("link"), "");
    // The last tool of the previous page may be removed.
    assert_eq!(names(&get(&router, "/tools?cursor=g").await), ["look_up", "write_letter"]);
    let answer = get(&router, "/tools?q=word&cursor=gone").await;
    assert_eq!(
        (answer.status, &*answer.body),
        (404, r#"{"error":"unknown cursor `gone`: none of the tools that were found has this name"}"#)
    );
}

#[tokio::test]
async fn lists_tools_for_a_vendor() {
    let router = catalogue();
    let answer = get(&router, "/tools?profile=openai&tag=letters").await;
    let tools: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((&tools[0]["type"], &tools[0]["name"]), (&"function".into(), &"write_letter".into()));
    assert_eq!(answer.header("tools-skipped"), "");
    // A tool that the vendor cannot take is reported, and the others are listed.
    let answer = get(&router, "/tools?profile=gemini").await;
    assert_eq!(names(&answer), ["find", "look_up", "write_letter"]);
    assert_eq!(answer.header("tools-skipped"), "count_tree");

    let answer = get(&router, "/tools/find?profile=openai-strict").await;
    assert_eq!(
        answer.body,
        r#"{"type":"object","properties":{"word":{"type":"string","description":"The word."}},"required":["word"],"additionalProperties":false}"#
    );
    let answer = get(&router, "/tools/count_tree?profile=gemini").await;
    assert_eq!(answer.status, 422);
    assert!(answer.body.starts_with(r#"{"error":""#) && answer.body.contains("gemini"), "{}", answer.body);
    let native = get(&router, "/tools/find?profile=native").await.body;
    assert_eq!(native, get(&router, "/tools/find/inputs").await.body);
}

#[tokio::test]
async fn truncates_the_list_of_left_out_tools() {
    let tree = Registry::builder().linked().select(|tool| tool.name() == "count_tree").build().unwrap();
    let schema = tree.get("count_tree").unwrap().input_schema().clone();
    let tool = |number: usize| {
        let definition = ToolDefinition::builder(format!("tree_{number:02}"), "A tree.");
        let definition = definition.input_schema(schema.clone()).build().unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    };
    let left_out = async |many: usize| {
        let registry = (0..many).fold(Registry::builder(), |builder, number| builder.tool(tool(number)));
        let answer = get(&router(registry.build().unwrap()), "/tools?profile=gemini").await;
        assert_eq!(names(&answer), [""; 0]);
        answer.header("tools-skipped").to_owned()
    };
    let named = (0..50).map(|number| format!("tree_{number:02}")).collect::<Vec<_>>().join(", ");
    assert_eq!(left_out(50).await, named);
    // No tool can have this name.
    assert_eq!(left_out(53).await, format!("{named}, +3"));
}
