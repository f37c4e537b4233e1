//! Resources: tools that explain, or that read by locators only, are resources or resource templates.

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{Content, State, tool};

use crate::content::RED_DOT;
use crate::stage::Stage;

/// Where the resource is that changes.
pub(crate) const WATCHED: &str = "test://watched-resource";

/// A text that stays as it is.
#[tool(operation = Read, open_world = false, path = "static-text")]
fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A picture that stays as it is.
#[tool(operation = Read, open_world = false, path = "static-binary")]
fn static_binary() -> Content {
    Content::image(RED_DOT, "image/png")
}

/// What there is about one identifier.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TemplateData {
    id: String,
    template_test: bool,
    data: String,
}

/// Makes up data about an identifier.
#[tool(operation = Read, open_world = false, path = "template/{id}/data")]
fn template_data(
    /// Any identifier.
    #[arg(locator, example = "123")]
    id: String,
) -> TemplateData {
    let data = format!("Data for ID: {id}");
    TemplateData { id, template_test: true, data }
}

/// How often the resource was changed.
#[tool(operation = Read, open_world = false, path = "watched-resource")]
fn watched_resource(#[inject] stage: State<Stage>) -> String {
    format!("Changed {} times.", stage.edition())
}

/// Changes the resource that clients can subscribe to.
#[tool(operation = Write, destructive = false, open_world = false)]
fn test_update_watched_resource(#[inject] stage: State<Stage>) -> String {
    format!("Changed {} times.", stage.publish())
}
