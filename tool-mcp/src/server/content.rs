//! What the server tells beside the tools, and how it shows them.

use crate::changes::Changes;
use crate::custom::{self, DynamicPrompt, DynamicResource, DynamicTemplate, Icon};
use crate::discovery::Discovery;
use crate::prompts_file::PromptsFile;
use crate::server::Server;
use crate::surfaces::Surfaces;
use crate::updates::Updates;

impl Server {
    /// How to use the tools together, for the model that will.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).instructions("Ask `list_cities` before `get_weather`.");
    /// ```
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The scheme of the URIs of resources: `weather` for `weather://tools`. If it is not said, it is made of the name.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).name("Weather archive").scheme("weather");
    /// ```
    pub fn scheme(mut self, scheme: impl Into<String>) -> Self {
        self.scheme = Some(scheme.into());
        self
    }

    /// Whether what is read is shown as a tool too: see [`Surfaces`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).surfaces(tool_mcp::Surfaces::Exclusive);
    /// ```
    pub fn surfaces(mut self, surfaces: Surfaces) -> Self {
        self.surfaces = surfaces;
        self
    }

    /// How clients find the tools: see [`Discovery`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).discovery(tool_mcp::Discovery::TwoStep);
    /// ```
    pub fn discovery(mut self, discovery: Discovery) -> Self {
        self.discovery = discovery;
        self
    }

    /// How many items a page of a list has; if it is not said, a list is one page. Some clients read the first page alone:
    /// [`Discovery::TwoStep`] serves models better.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).page_size(200);
    /// ```
    pub fn page_size(mut self, items: usize) -> Self {
        self.page_size = Some(items);
        self
    }

    /// Whether the lists of tools, resources and resource templates say in `_meta` what the operation of each tool is
    /// (`tool-core/operation`), its digest (`tool-core/digest`), which changes whenever something that the tool promises does,
    /// and its tags (`tool-core/tags`). Off by default: no model reads it, and it takes 130 bytes a tool.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).tool_meta(true);
    /// ```
    pub fn tool_meta(mut self, shown: bool) -> Self {
        self.tool_meta = shown;
        self
    }

    /// What tells clients that the lists have changed: see [`Changes`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let changes = tool_mcp::Changes::new();
    /// let server = tool_mcp::Server::new(registry).changes(&changes);
    /// ```
    pub fn changes(mut self, changes: &Changes) -> Self {
        self.changes = Some(changes.clone());
        self
    }

    /// What tells clients that a resource has changed: see [`Updates`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let updates = tool_mcp::Updates::new();
    /// let server = tool_mcp::Server::new(registry).updates(&updates);
    /// ```
    pub fn updates(mut self, updates: &Updates) -> Self {
        self.updates = Some(updates.clone());
        self
    }

    /// A picture of the server. May be said several times.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let icon = tool_mcp::Icon::new("https://example.org/sun.png").mime_type("image/png");
    /// let server = tool_mcp::Server::new(registry).icon(icon);
    /// ```
    pub fn icon(mut self, icon: Icon) -> Self {
        let listed = custom::listed_icons(&[icon]).into_iter().flatten();
        self.identity.icons.get_or_insert_default().extend(listed);
        self
    }

    /// Adds a resource that no tool stands behind.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let guide = tool_mcp::DynamicResource::text("docs://guide", "guide", "Search first.");
    /// let server = tool_mcp::Server::new(registry).resource(guide);
    /// ```
    pub fn resource(mut self, resource: DynamicResource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds a resource template that no tool stands behind.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let echo = tool_mcp::DynamicTemplate::new("echo://{word}", "echo", async |request: tool_mcp::Request| {
    ///     Ok(request.get("word").unwrap_or_default().to_owned())
    /// });
    /// let server = tool_mcp::Server::new(registry).resource_template(echo);
    /// ```
    pub fn resource_template(mut self, template: DynamicTemplate) -> Self {
        self.templates.push(template);
        self
    }

    /// Adds a prompt beside those of the registry.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let prompt = tool_mcp::DynamicPrompt::template("ask", "Asks about a thing.", "What is {thing}?");
    /// let server = tool_mcp::Server::new(registry).prompt(prompt);
    /// ```
    pub fn prompt(mut self, prompt: DynamicPrompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Takes over the words for models that a person keeps in a file: see [`PromptsFile`].
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let file = tool_mcp::PromptsFile::parse("instructions: Search before you answer.")?;
    /// let server = tool_mcp::Server::new(registry).prompts_file(file);
    /// # Ok::<(), tool_mcp::PromptsFileError>(())
    /// ```
    pub fn prompts_file(mut self, file: PromptsFile) -> Self {
        self.file = file;
        self
    }
}
