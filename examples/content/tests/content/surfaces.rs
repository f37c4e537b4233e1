//! The operation, inputs and MCP surface of every tool.

use content::{Settings, Site};
use tool_core::ToolDefinition;
use tool_core::address::Surface;
use tool_core::schema::NativeSchema;

/// Renders an input; `*` marks a locator, `?` an optional input.
fn input(input: &NativeSchema) -> String {
    let mark = match (input.locator, input.required) {
        (true, _) => "*",
        (false, Some(true)) => "",
        (false, _) => "?",
    };
    format!("{}{mark}: {}", input.name.as_deref().unwrap_or_default(), input.kind)
}

fn row(tool: &ToolDefinition) -> String {
    let operation = tool.operation().unwrap().as_str();
    let inputs: Vec<String> = tool.inputs().iter().map(input).collect();
    let surface = Surface::of(tool);
    let surface = match &surface {
        Surface::Tool => "tool".to_owned(),
        Surface::Resource(address) => format!("resource {address}"),
        Surface::ResourceTemplate(address) => format!("template {address}"),
    };
    let inputs = if inputs.is_empty() { "-".to_owned() } else { inputs.join(", ") };
    format!("{} | {operation} | {inputs} | {surface}", tool.name())
}

/// The expected surface of each tool. By default, resources and templates are listed as tools, too, since many clients show
/// only tools to their models.
const TABLE: [&str; 24] = [
    "add_callout | write | id: integer, variant: string, props: map, place?: integer | tool",
    "compare_revisions | transform | id: integer, from: integer, to: integer | tool",
    "create_node | write | kind: string, title: string, body: string, tags?: list, meta?: map, components?: list | tool",
    "delete_node | write | id: integer | tool",
    "edit_node | write | id: integer, base?: integer, title?: string, body?: string, tags?: list, meta?: map, log: string | tool",
    "explain_component_kind | explain | kind*: string | template component/{kind}",
    "explain_component_kinds | explain | - | resource component",
    "explain_roles | explain | - | resource role",
    "export_site | trigger | - | tool",
    "find_nodes | read | text?: string, kind?: string, tags?: list, owner?: string, published?: boolean, limit?: integer | tool",
    "get_node | read | id*: integer | template node/{id}",
    "get_revision | read | id*: integer, vid*: integer | template node/{id}/revision/{vid}",
    "get_translation | read | id*: integer, langcode*: string | template node/{id}/translation/{langcode}",
    "get_user | read | name*: string | template user/{name}",
    "import_pages | trigger | pages: list | tool",
    "list_revisions | read | id*: integer | template node/{id}/revision",
    "open_preview | transform | link: string | tool",
    "preview_link | transform | id: integer, vid?: integer, minutes?: integer | tool",
    "publish_node | trigger | id: integer, vid?: integer | tool",
    "read_result | read | digest: string, lines?: string, bytes?: string, search?: string | tool",
    "render_node | transform | id: integer, langcode?: string | tool",
    "site_overview | read | - | resource site",
    "translate_node | write | id: integer, langcode: string, title: string, body: string | tool",
    "withdraw_node | trigger | id: integer | tool",
];

#[test]
fn matches_the_table_of_surfaces() {
    let registry = content::registry(Site::at("unused"), Settings::default()).unwrap();
    let rows: Vec<String> = registry.tools().map(row).collect();
    assert_eq!(rows, TABLE, "{rows:#?}");
}

#[test]
fn exposes_only_readable_tools_with_locators_as_resources() {
    let registry = content::registry(Site::at("unused"), Settings::default()).unwrap();
    for tool in registry.tools() {
        let surface = Surface::of(tool);
        assert!(!tool.modifies() || surface == Surface::Tool, "{}", tool.name());
        let all_locate = tool.inputs().iter().all(|input| input.locator);
        let is_read = matches!(tool.operation().unwrap().as_str(), "explain" | "read");
        assert_eq!(surface != Surface::Tool, is_read && all_locate, "{}", tool.name());
        let variables: Vec<&str> =
            surface.address().into_iter().flat_map(tool_core::address::Address::variables).collect();
        let inputs: Vec<&str> = tool.inputs().iter().filter_map(|input| input.name.as_deref()).collect();
        assert!(surface == Surface::Tool || variables == inputs, "{}", tool.name());
    }
}
