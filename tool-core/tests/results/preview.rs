//! Previews of large results: what they show, what is stored, and what stays unchanged.

use serde_json::json;
use tool_core::results::{PreviewPart, ResultLimits, ResultStore};
use tool_core::{
    CallOptions, Content, Failure, Output, Principal, Registry, Reply, ToolDefinition, ToolError, adapter,
    tool,
};

use crate::{ada, bob, text_of};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Row {
    n: usize,
    word: String,
}

/// Rows.
#[tool(operation = Read)]
fn rows(count: usize) -> Vec<Row> {
    (0..count).map(|n| Row { n, word: "wörd".repeat(5) }).collect()
}

/// Rows, from elsewhere.
#[tool(operation = Trigger, destructive = false)]
async fn rows_later(count: usize) -> Vec<Row> {
    rows(count)
}

/// Rows, from a thread.
#[tool(operation = Read, blocking)]
fn rows_blocking(count: usize) -> Vec<Row> {
    rows(count)
}

/// Text.
#[tool(operation = Read)]
fn text(count: usize) -> String {
    "ä".repeat(count)
}

/// Text, from elsewhere.
#[tool(operation = Trigger, destructive = false)]
async fn text_later(count: usize) -> String {
    text(count)
}

/// Text, from a thread.
#[tool(operation = Read, blocking)]
fn text_blocking(count: usize) -> String {
    text(count)
}

/// Fails.
#[tool(operation = Read)]
fn fails(count: usize) -> Result<(), ToolError> {
    Err(ToolError::failed("é".repeat(count)))
}

/// Content.
#[tool(operation = Read)]
fn blocks(kind: String) -> Vec<Content> {
    let long = || "long ".repeat(15_000);
    match kind.as_str() {
        "one of three" => vec![Content::text("before"), Content::text(long()), Content::text("after")],
        "many" => (0..200).map(|n| Content::text(format!("{n} ").repeat(500))).collect(),
        "picture" => vec![Content::text("a picture"), Content::image(vec![7; 100_000], "image/png")],
        "large picture" => vec![Content::text("a picture"), Content::image(vec![7; 2_000_000], "image/png")],
        "page" => vec![Content::resource("docs://a", "text/html", format!("<p>{}", long()))],
        _ => vec![Content::link("docs://b", "b")],
    }
}

/// Calls another one.
#[tool(operation = Trigger, destructive = false)]
async fn count_rows(#[inject] registry: Registry, count: usize) -> Result<usize, Failure> {
    let rows = registry.call("rows", json!({"count": count})).await?;
    Ok(rows.value().as_array().map_or(0, Vec::len))
}

fn registry(store: &ResultStore) -> Registry {
    let here = |tool: &ToolDefinition| tool.source().module == module_path!() || tool.name() == "read_result";
    Registry::builder().linked().select(here).storing(store.clone()).build().unwrap().as_principal(ada())
}

async fn call(registry: &Registry, tool: &str, arguments: serde_json::Value) -> Reply {
    registry.call_with(tool, arguments.to_string().as_bytes(), &CallOptions::new()).await
}

#[tokio::test]
async fn stores_values_one_element_per_line() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    for tool in ["rows", "rows_later", "rows_blocking"] {
        let reply = call(&registry, tool, json!({"count": 2_000})).await;
        let output = reply.result.unwrap();
        assert_eq!(output.value().as_array().unwrap().len(), 2_000, "the output itself is whole");
        let preview = reply.preview.unwrap();
        let [PreviewPart::Excerpt(excerpt)] = preview.parts() else { panic!("one part") };
        assert_eq!(excerpt.media_type(), "application/json");
        assert_eq!(excerpt.lines(), Some(2_002));
        let digest = excerpt.digest().unwrap();
        let whole = text_of(&store, &ada(), digest).await.unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&whole).unwrap(), output.value());
        assert_eq!(whole.lines().nth(1).unwrap(), r#"{"n":0,"word":"wördwördwördwördwörd"},"#);
        assert_eq!(whole.len(), excerpt.bytes());
        assert!(whole.starts_with(excerpt.preview()) && excerpt.preview().ends_with("},\n"));
        assert!((1_000..=2_000).contains(&excerpt.preview().len()));
        assert!(excerpt.note().contains(&digest.hex()) && excerpt.note().contains("read_result"));
        assert_eq!(text_of(&store, &bob(), digest).await, None);
    }
}

#[tokio::test]
async fn shortens_only_large_results() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    for (tool, arguments, is_large) in [
        ("text", json!({"count": 25_000}), false),
        ("text", json!({"count": 25_001}), true),
        ("fails", json!({"count": 25_000}), false),
        ("fails", json!({"count": 25_001}), true),
        ("rows", json!({"count": 10}), false),
        ("blocks", json!({"kind": "picture"}), false),
        ("blocks", json!({"kind": ""}), false),
        ("nothing", json!({}), false),
        ("rows", json!({"count": "many"}), false),
    ] {
        let reply = call(&registry, tool, arguments.clone()).await;
        assert_eq!(reply.preview.is_some(), is_large, "{tool} {arguments}");
    }
    // One long line of two-byte characters.
    let reply = call(&registry, "text", json!({"count": 50_000})).await;
    let preview = reply.preview.unwrap();
    let excerpt = preview.excerpts().next().unwrap();
    assert_eq!((excerpt.preview(), excerpt.lines()), (&*"ä".repeat(1_000), Some(1)));
    // Long error messages are stored, too.
    let reply = call(&registry, "fails", json!({"count": 50_000})).await;
    assert!(reply.result.is_err());
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await.unwrap(), "é".repeat(50_000));
}

#[tokio::test]
async fn keeps_content_blocks_that_fit() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    let parts = async |kind: &str| {
        let preview = call(&registry, "blocks", json!({"kind": kind})).await.preview.unwrap();
        let part = |part: &PreviewPart| match part {
            PreviewPart::Content(content) => {
                serde_json::to_value(content).unwrap()["text"].as_str().unwrap().to_owned()
            }
            PreviewPart::Excerpt(excerpt) => {
                assert!(excerpt.digest().is_some());
                format!("{} {} {:?}", excerpt.media_type(), excerpt.bytes(), excerpt.lines())
            }
            _ => panic!("there are two kinds"),
        };
        preview.parts().iter().map(part).collect::<Vec<_>>()
    };
    let text = "text/plain; charset=utf-8";
    assert_eq!(parts("one of three").await, ["before", &format!("{text} 75000 Some(1)"), "after"]);
    assert_eq!(parts("large picture").await, ["a picture", "image/png 2000000 None"]);
    assert_eq!(parts("page").await, ["text/html 75003 Some(1)"]);
    let [many] = &parts("many").await[..] else { panic!("one list") };
    assert!(many.starts_with("application/json ") && many.ends_with(" Some(202)"), "{many}");
    // An image keeps its media type.
    let reply = call(&registry, "blocks", json!({"kind": "large picture"})).await;
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
    let stored = store.read(&ada(), digest).await.unwrap().unwrap();
    assert_eq!((stored.media_type(), stored.content().len(), stored.text()), ("image/png", 2_000_000, None));
}

/// Larger than the output limit, and larger than the store.
#[tokio::test]
async fn stores_results_of_any_size() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    for tool in ["text", "text_later", "text_blocking"] {
        let refused = call(
            &registry.with_options(&CallOptions::new().full_results()),
            tool,
            json!({"count": 9_000_000}),
        )
        .await;
        assert!(refused.result.unwrap_err().message().contains("no more than 16777216 are sent"));
        let reply = call(&registry, tool, json!({"count": 9_000_000})).await;
        let excerpt = reply.preview.unwrap().excerpts().next().unwrap().clone();
        assert!(excerpt.bytes() > 16 << 20 && excerpt.digest().is_some(), "{tool}");
    }
    let small =
        registry.with_options(&CallOptions::new().results(&store.limits(ResultLimits::new().total(1 << 20))));
    let reply = call(&small, "text", json!({"count": 9_000_000})).await;
    let excerpt = reply.preview.unwrap().excerpts().next().unwrap().clone();
    assert_eq!(excerpt.digest(), None);
    assert!(excerpt.note().contains("could not be kept"));
}

#[tokio::test]
async fn returns_full_results_to_calling_tools() {
    let store = ResultStore::memory();
    let registry = registry(&store);
    assert_eq!(call(&registry, "count_rows", json!({"count": 2_000})).await.result.unwrap().value(), 2_000);
    assert!(
        call(&registry.with_options(&CallOptions::new().full_results()), "rows", json!({"count": 2_000}))
            .await
            .preview
            .is_none()
    );
    let plain = Registry::builder().tools(tool_core::tools![rows]).build().unwrap();
    assert!(call(&plain, "rows", json!({"count": 2_000})).await.preview.is_none());
    assert!(adapter::results(&plain).is_none() && adapter::results(&registry).is_some());
    assert!(adapter::results(&registry.as_principal(bob())).is_some(), "for any caller");
}

#[tokio::test]
async fn shortens_results_of_any_provider() {
    use tool_core::provider::{IntoToolsProvider as _, Providers};
    use tool_core::{DynamicTool, Operation, Tool};

    let store = ResultStore::memory();
    let remote = || {
        let definition =
            ToolDefinition::builder("remote", "Says much.").operation(Operation::Read).build()?;
        let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async {
            Ok(Output::text("x".repeat(60_000)))
        });
        Ok::<_, tool_core::definition::DefinitionError>(vec![
            std::sync::Arc::new(tool) as std::sync::Arc<dyn Tool>
        ])
    };
    let reader = || Registry::builder().allow_empty().storing(store.clone()).build().unwrap();
    let joined = Providers::new().with("own", reader()).with("remote", remote);
    assert!(store.wrap(reader()).is_constant() && !store.wrap(remote).is_constant());
    for provider in [store.wrap(remote), reader().providing(remote), joined.into_provider()] {
        assert!(provider.results().is_some());
        let (first, second) = (
            provider.tools(&Principal::anonymous()).await.unwrap(),
            provider.tools(&Principal::anonymous()).await.unwrap(),
        );
        let registry = first.registry().as_principal(Principal::new("eve"));
        let reply = registry.call_with("remote", b"{}", &CallOptions::new()).await;
        let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
        assert!(text_of(&store, &Principal::new("eve"), digest).await.is_some());
        assert!(adapter::results(second.registry()).is_some());
    }
    assert!(remote.into_provider().results().is_none());
    // Views of the same list of tools are equal.
    let fixed = store.wrap(reader());
    let (first, second) = (
        fixed.tools(&Principal::anonymous()).await.unwrap(),
        fixed.tools(&Principal::anonymous()).await.unwrap(),
    );
    assert!(adapter::same_view(first.registry(), second.registry()));
    assert!(!adapter::same_view(
        first.registry(),
        &second.registry().with_options(&CallOptions::new().full_results())
    ));
}
