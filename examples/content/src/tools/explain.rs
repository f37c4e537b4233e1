//! Tools that explain the system.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ToolError, tool};

use crate::component::{ComponentHelp, ComponentKind};
use crate::role::Role;

/// Lists the kinds of blocks that a page is built of, each with its variants and what it is filled with.
#[tool(
    operation = Explain,
    title = "Kinds of components",
    path = "component",
    tags = ["components"],
    open_world = false
)]
fn explain_component_kinds() -> Vec<ComponentHelp> {
    ComponentHelp::all()
}

/// Tells what an author should know about one kind of block.
#[tool(
    operation = Explain,
    title = "A kind of component",
    path = "component/{kind}",
    tags = ["components"],
    open_world = false
)]
fn explain_component_kind(
    /// The block to be explained.
    #[arg(locator, example = "callout")]
    kind: ComponentKind,
) -> Result<ComponentHelp, ToolError> {
    let found = ComponentHelp::all().into_iter().find(|help| help.kind == kind);
    found.ok_or_else(|| ToolError::not_found(format!("nothing is known about `{kind}`")))
}

/// What a role permits.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoleHelp {
    /// The role.
    pub role: Role,
    /// What it permits.
    pub permissions: Vec<String>,
}

/// Lists the roles that users can have, and the permissions that come with each.
#[tool(operation = Explain, title = "Roles", path = "role", tags = ["users"], open_world = false)]
fn explain_roles() -> Vec<RoleHelp> {
    [Role::Visitor, Role::Author, Role::Translator, Role::Editor, Role::Administrator]
        .map(|role| RoleHelp {
            role,
            permissions: role.permissions().iter().map(ToString::to_string).collect(),
        })
        .into()
}
