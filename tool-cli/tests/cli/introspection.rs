//! Introspection of a tool: every part of its declaration.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_cli::{App, Streams};
use tool_core::{
    Access, DynamicTool, Output, Principal, Registry, RegistryBuilder, ToolDefinition, Unmet, tool,
};

use crate::{Ran, on};

/// How a component looks.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Variant {
    /// Calm.
    Info,
    /// Good news.
    Success,
}

/// A part of a page.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Component {
    /// How it looks.
    variant: Variant,
    /// Its properties.
    #[serde(default)]
    props: BTreeMap<String, Prop>,
    children: Option<Vec<Component>>,
}

/// A property.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Prop {
    /// Its value.
    #[schemars(length(max = 9))]
    value: String,
}

/// A page.
#[derive(Serialize, JsonSchema)]
struct Page {
    /// Its parts.
    parts: Vec<Component>,
    /// Where it lies.
    at: (f64, u8),
}

fn signing_key() -> Result<(), Unmet> {
    Err(Unmet::new("set SIGNING_KEY"))
}

fn always() -> Result<(), Unmet> {
    Ok(())
}

fn may_publish(_: &Principal, _: &u32) -> Access {
    panic!("nobody asks before a call")
}

/// Publishes a page.
///
/// | It | is |
/// |---|---|
/// | one | `page` |
///
/// ```tool
/// {"id": 7, "parts": []}
/// ```
///
/// ```tool
/// {"id": 8, "parts": [{"variant": "info"}]}
/// ```
#[deprecated(since = "2.0.0", note = "use `publish_all`")]
#[tool(
    operation = Trigger,
    destructive = false,
    idempotent = true,
    permission = any("page.publish", "page.admin"),
    access = may_publish(id),
    requires = [signing_key],
    tags = ["pages", "public"],
    timeout = "30s",
    alias = "publish_page"
)]
async fn publish(
    /** Which page. */
    id: u32,
    /** Its parts. */
    parts: Vec<Component>,
) -> Page {
    let _ = id;
    Page { parts, at: (0.0, 0) }
}

/// A page as it is stored.
#[tool(operation = Read, path = "page/{id}/revision/{vid}", permission = all("page.view", "page.history"), tags = ["pages"], requires = [always], cache = "60s")]
fn revision(
    #[arg(locator)]
    /** The page. */
    id: u32,
    #[arg(locator)]
    /** The revision. */
    vid: u32,
) -> String {
    panic!("{id} {vid}: nothing runs a tool that is looked at")
}

/// The kinds of components.
#[tool(operation = Explain, open_world = false)]
fn kinds() -> Vec<String> {
    Vec::new()
}

fn app(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> App {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    App::new("demo", settings(builder).build().unwrap())
}

async fn see(arguments: &[&str]) -> Ran {
    on(app(|builder| builder), arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr))
        .await
}

#[tokio::test]
async fn marks_tools_that_cannot_run() {
    see(&["list", "--grant", "page.admin"]).await.prints(
        "NAME      OPERATION  DESCRIPTION\n\
         kinds     explain    The kinds of components.\n\
         publish   trigger    Publishes a page.\n\
         \u{20}                    deprecated\n\
         \u{20}                    cannot run: set SIGNING_KEY\n\
         revision  read       A page as it is stored.\n\
         \u{20}                    denied: `revision` needs the permissions `page.view`, `page.history`, which the\n\
         \u{20}                    caller does not have\n",
    );
    let rows = see(&["list", "--format", "json"]).await.json();
    assert_eq!(rows[1]["requirements"], json!({"met": false, "message": "set SIGNING_KEY"}));
    assert_eq!(rows[2]["requirements"], json!({"met": true}));
    assert_eq!((&rows[1]["deprecated"], &rows[1]["tags"]), (&json!(true), &json!(["pages", "public"])));
    assert!(rows[2]["denied"].as_str().unwrap().contains("`page.view`"), "{rows}");
    assert!(rows[0].get("denied").is_none(), "{rows}");
    let held = see(&["list", "--grant=page.view", "--grant=page.history", "--format", "json"]).await.json();
    assert!(held[2].get("denied").is_none(), "{held}");
}

#[tokio::test]
async fn filters_by_requirements_tags_and_operation() {
    let names = async |arguments: &[&str]| {
        let ran = see(&[&["list", "--format", "name"], arguments].concat()).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--unmet", "show"]).await, ["kinds", "publish", "revision"]);
    assert_eq!(names(&["--unmet", "hide"]).await, ["kinds", "revision"]);
    assert_eq!(names(&["--unmet", "only"]).await, ["publish"]);
    assert_eq!(names(&["--tag", "pages"]).await, ["publish", "revision"]);
    assert_eq!(names(&["--tag", "pages", "--tag", "public"]).await, ["publish"]);
    assert_eq!(names(&["--tag", "pages", "--operation", "read"]).await, ["revision"]);
}

#[tokio::test]
async fn ranks_and_filters_searches() {
    let names = async |arguments: &[&str]| see(arguments).await.stdout;
    assert_eq!(names(&["search", "page", "--format", "name"]).await, "publish\nrevision\n");
    assert_eq!(names(&["search", "stored", "page", "--format", "name"]).await, "revision\npublish\n");
    assert_eq!(names(&["search", "--match", "all", "stored page", "--format", "name"]).await, "revision\n");
    assert_eq!(names(&["search", "page", "--unmet", "hide", "--format", "name"]).await, "revision\n");
    let found = see(&["search", "kinds", "--format", "json"]).await.json();
    assert!(found[0]["score"].as_f64().unwrap() > 0.0, "{found}");
    let none = see(&["search", "invoice"]).await;
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (0, "", "no tools\n"));
}

#[tokio::test]
async fn prints_access_and_requirements() {
    let ran = see(&["info", "publish", "--grant", "page.publish"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "unmet requirements are no failure of info");
    for line in [
        "Operation     trigger: starts something outside of the system",
        "Modifying     yes",
        "Destructive   no",
        "Idempotent    yes",
        "Permission    `any(page.publish, page.admin)`, held by local",
        "Access rule   checked for each call",
        "Requirements  not met: set SIGNING_KEY",
        "MCP surface   tool",
        "Tags          pages, public",
        "Alias         publish_page",
        "Deprecated    since 2.0.0: use `publish_all`",
        "Timeout       30s",
        "Example       demo run publish id=7 'parts:=[]'",
        "Example       demo run publish id=8 'parts:=[{\"variant\":\"info\"}]'",
    ] {
        assert!(ran.stdout.contains(&format!("\n{line}\n")), "{line}\n{}", ran.stdout);
    }
    let ran = see(&["info", "revision", "--as", "eve"]).await;
    for line in [
        "Permission    `all(page.view, page.history)`, not held by eve",
        "Access rule   none",
        "Requirements  met",
        "MCP surface   resource template at `page/{id}/revision/{vid}`",
        "Fresh for     60s",
    ] {
        assert!(ran.stdout.contains(&format!("\n{line}\n")), "{line}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains("locator: identifies a resource"), "{}", ran.stdout);
    let ran = see(&["info", "kinds"]).await;
    assert!(ran.stdout.contains("\nMCP surface   resource at `kinds`\n"), "{}", ran.stdout);
}

#[tokio::test]
async fn prints_access_and_requirements_as_data() {
    let info = see(&["info", "publish", "--format", "json"]).await.json();
    let expected = json!({
        "operation": "trigger", "modifying": true, "destructive": false, "idempotent": true, "open_world": true,
        "permission": "any(page.publish, page.admin)", "access_rule": true,
        "requirements": {"met": false, "message": "set SIGNING_KEY"},
        "surface": {"kind": "tool"}, "tags": ["pages", "public"], "alias": "publish_page",
        "deprecated": {"since": "2.0.0", "note": "use `publish_all`"}, "timeout_ms": 30_000,
        "examples": [{"id": 7, "parts": []}, {"id": 8, "parts": [{"variant": "info"}]}], "provider": "cli",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(info[name], *value, "{name}");
    }
    assert!(info["denied"].as_str().unwrap().contains("one of the permissions"), "{info}");
    let variant = &info["inputs"][1]["items"]["properties"][0];
    assert_eq!(variant["allowed"][0], json!({"value": "info", "description": "Calm."}));
    assert_eq!(info["outputs"]["properties"][0]["items"]["properties"][0]["allowed"], variant["allowed"]);
    let info = see(&["info", "revision", "--format", "json"]).await.json();
    assert_eq!(info["surface"], json!({"kind": "resource_template", "address": "page/{id}/revision/{vid}"}));
    assert_eq!((&info["cache_ms"], &info["inputs"][0]["locator"]), (&json!(60_000), &json!(true)));
}

#[tokio::test]
async fn follows_paths_into_nested_inputs() {
    see(&["info", "publish", "parts[].variant"]).await.prints(
        "PART             TYPE    REQUIRED  DESCRIPTION\n\
         parts[].variant  string  yes       How it looks.\n\
         \u{20}                                  allowed:\n\
         \u{20}                                    info: Calm.\n\
         \u{20}                                    success: Good news.\n",
    );
    let value = see(&["info", "publish", "parts[].props.*.value", "--format", "json"]).await.json();
    assert_eq!(
        value,
        json!({"name": "value", "type": "string", "description": "Its value.", "required": true, "constraints": {"max_length": 9}})
    );
    let item = see(&["info", "publish", "parts[]", "--format", "json"]).await.json();
    assert_eq!(item["description"], "A part of a page.");
    let at = see(&["info", "publish", "--output", "at[1]", "--format", "json"]).await.json();
    assert_eq!((&at["name"], &at["type"]), (&json!("1"), &json!("integer")));
    let whole = see(&["info", "publish", "--output", ".", "--format", "json"]).await.json();
    assert_eq!(whole["description"], "A page.");
}

#[tokio::test]
async fn merges_union_members() {
    let part = |kind: &str, variants: &[&str]| {
        let variant = json!({"type": "string", "enum": variants});
        let text = json!({"type": "string", "maxLength": 9});
        let properties = json!({"kind": {"const": kind}, "variant": variant, "text": text});
        json!({"type": "object", "properties": properties, "required": ["kind", "variant"]})
    };
    let parts =
        [part("callout", &["info", "danger"]), part("quote", &["inline"]), part("button", &["inline"])];
    let schema = json!({
        "type": "object",
        "properties": {"parts": {"type": "array", "items": {"oneOf": parts}}},
    });
    let definition = ToolDefinition::builder("compose", "Composes.").input_schema(schema).build().unwrap();
    let compose = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("done")) });
    let registry = Registry::builder().tool(compose).build().unwrap();
    let see = async |arguments: &[&str]| {
        let app = App::new("demo", registry.clone());
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    see(&["info", "compose", "parts[].variant"]).await.prints(
        "PART               TYPE             REQUIRED  DESCRIPTION\n\
         parts[].variant    union of string  yes\n\
         parts[].variant|1  string                     allowed: info, danger\n\
         parts[].variant|2  string                     allowed: inline\n",
    );
    let all = see(&["info", "compose", "parts[].variant", "--format", "json"]).await.json();
    assert_eq!(
        (&all["type"], &all["name"], &all["required"]),
        (&json!("union"), &json!("variant"), &json!(true))
    );
    assert_eq!(all["variants"][1]["allowed"][0]["value"], "inline");
    let second = see(&["info", "compose", "parts[].variant|2", "--format", "json"]).await.json();
    assert_eq!(second, all["variants"][1]);
    // Equal members are merged.
    let text = see(&["info", "compose", "parts[].text", "--format", "json"]).await.json();
    assert_eq!((&text["type"], &text["constraints"]), (&json!("string"), &json!({"max_length": 9})));
    let table = see(&["info", "compose", "parts"]).await.stdout;
    assert!(table.contains("list of union of map"), "{table}");
}

#[tokio::test]
async fn lists_available_parts_for_unknown_paths() {
    let help = "help: `info publish` shows all parts\n";
    see(&["info", "publish", "page"])
        .await
        .fails(2, &format!("error: unknown input `page`\nhelp: the parts are `id`, `parts`\n{help}"));
    see(&["info", "publish", "parts[].colour"]).await.fails(
        2,
        &format!("error: unknown part `.colour` of `parts[]`\nhelp: the parts are `.variant`, `.props`, `.children`\n{help}"),
    );
    see(&["info", "publish", "parts.variant"])
        .await
        .fails(2, &format!("error: unknown part `.variant` of `parts`\nhelp: the parts are `[]`\n{help}"));
    see(&["info", "publish", "id.x"])
        .await
        .fails(2, &format!("error: unknown part `.x` of `id`\nhelp: it has no parts\n{help}"));
    see(&["info", "revision", "--output", "."])
        .await
        .fails(1, "error: tool `revision` has no output schema: it returns text, content or nothing\n");
}

#[tokio::test]
async fn prints_markdown_pages() {
    let ran = see(&["info", "publish", "--format", "markdown"]).await;
    let page = ran.stdout;
    assert!(page.starts_with("# publish\n\nPublishes a page.\n\n| It | is |\n"), "{page}");
    for line in [
        "| Permission | \\`any(page.publish, page.admin)\\`, not held by local |",
        "## Inputs",
        "| INPUT | TYPE | REQUIRED | DESCRIPTION |",
        "| parts\\[\\].variant | string | yes | How it looks.<br>allowed:<br>  info: Calm.<br>  success: Good news. |",
        "## Output",
    ] {
        assert!(page.lines().any(|other| other == line), "{line}\n{page}");
    }
    let list = see(&["list", "--format", "markdown", "--operation", "explain"]).await;
    list.prints("| NAME | OPERATION | DESCRIPTION |\n| --- | --- | --- |\n| kinds | explain | The kinds of components. |\n");
}

#[tokio::test]
async fn shows_or_hides_denied_tools() {
    let hidden = async |arguments: &[&str]| {
        on(app(RegistryBuilder::hide_denied), arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await
    };
    hidden(&["list", "--format", "name"]).await.prints("kinds\n");
    hidden(&["list", "--format", "name", "--grant", "page.admin"]).await.prints("kinds\npublish\n");
    hidden(&["search", "page", "--format", "name"]).await.prints("");
    for command in ["info", "schema", "validate", "run"] {
        hidden(&[command, "publish"]).await.fails(3, "error: Tool not found: publish\n");
    }
    assert_eq!(hidden(&["info", "publish", "--grant", "page.admin"]).await.code, 0);
    // Every caller that sees a tool sees its flags.
    let ran = hidden(&["validate", "publish", "--id", "7", "--parts", "[]", "--grant", "page.admin"]).await;
    ran.prints("valid\n");
}
