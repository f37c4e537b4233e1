//! How MCP exposes a tool: as a tool or a resource, depending on its operation and its inputs.

mod address;
mod value;

pub use address::{Address, Segment};
pub use value::{InvalidVariable, SegmentError, Variables, check_segment, decode_segment};

use crate::definition::ToolDefinition;
use crate::model::operation::Operation;

/// How MCP exposes a tool.
///
/// | operation and inputs | surface |
/// |---|---|
/// | `Explain` or `Read`, no inputs | a resource at a fixed address |
/// | `Explain` or `Read`, every input a [locator](crate::Locator) | a resource template: the inputs are its variables |
/// | everything else | a tool |
///
/// The address is the declared `path`, or the name of the tool followed by its locators.
///
/// ```
/// use tool_core::{Registry, tool};
/// use tool_core::address::Surface;
///
/// /// A revision of a node.
/// #[tool(operation = Read, path = "node/{id}/revision/{number}")]
/// fn node_revision(#[arg(locator)] id: String, #[arg(locator)] number: u32) -> String {
///     format!("{id} as of {number}")
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "node_revision").build().unwrap();
/// let surface = Surface::of(registry.get("node_revision").unwrap());
/// assert!(matches!(surface, Surface::ResourceTemplate(_)));
/// assert_eq!(surface.address().unwrap().to_string(), "node/{id}/revision/{number}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A tool.
    Tool,
    /// A resource with a fixed address.
    Resource(Address),
    /// A resource template.
    ResourceTemplate(Address),
}

impl Surface {
    /// Returns the surface of a tool.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for tool in registry.tools() {
    ///     println!("{}: {:?}", tool.name(), tool_core::address::Surface::of(tool));
    /// }
    /// ```
    pub fn of(tool: &ToolDefinition) -> Self {
        if !Surface::is_resource(tool) {
            return Surface::Tool;
        }
        let address = Address::of(tool);
        if address.is_exact() { Surface::Resource(address) } else { Surface::ResourceTemplate(address) }
    }

    /// Returns the address of the result; `None` for a tool.
    ///
    /// ```
    /// assert!(tool_core::address::Surface::Tool.address().is_none());
    /// ```
    pub fn address(&self) -> Option<&Address> {
        match self {
            Surface::Tool => None,
            Surface::Resource(address) | Surface::ResourceTemplate(address) => Some(address),
        }
    }

    /// Returns `true` if the result has an address: the tool only reads, and all inputs are locators.
    #[inline]
    pub(crate) fn is_resource(tool: &ToolDefinition) -> bool {
        tool.takes_only_locators() && matches!(tool.operation(), Some(Operation::Explain | Operation::Read))
    }
}

/// Returns why the `path` of a tool is invalid; `None` if it is valid or missing.
///
/// The macro rejects such paths earlier, so this is for dynamic tools.
pub(crate) fn fault(tool: &ToolDefinition) -> Option<String> {
    let path = tool.path()?;
    let reason = match (Surface::of(tool), Address::parse(path)) {
        (Surface::Tool, _) => "only what is read by its locators has an address".to_owned(),
        (_, Err(fault)) => fault.to_string(),
        (_, Ok(address)) if !address.is_of(tool) => {
            "its variables are not the locators of the tool".to_owned()
        }
        _ => return None,
    };
    Some(format!("its path `{path}` is invalid: {reason}"))
}
