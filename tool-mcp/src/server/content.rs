//! The part of the builder about content: what the server publishes beside the tools, and how it lists them.

use crate::changes::Changes;
use crate::custom::{self, DynamicPrompt, DynamicResource, DynamicTemplate, Icon};
use crate::discovery::Discovery;
use crate::prompts_file::PromptsFile;
use crate::server::Server;
use crate::surfaces::Surfaces;
use crate::updates::Updates;

impl Server {
    /// Sets the instructions for the model: how to use the tools together.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).instructions("Call `list_cities` before `get_weather`.");
    /// ```
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the scheme of resource URIs: `weather` for `weather://tools`. Default: derived from the name.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).name("Weather archive").scheme("weather");
    /// ```
    pub fn scheme(mut self, scheme: impl Into<String>) -> Self {
        self.scheme = Some(scheme.into());
        self
    }

    /// Sets whether a tool that is published as a resource is listed as a tool too: see [`Surfaces`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).surfaces(tool_mcp::Surfaces::Exclusive);
    /// ```
    pub fn surfaces(mut self, surfaces: Surfaces) -> Self {
        self.settings.surfaces = surfaces;
        self
    }

    /// Sets how clients find the tools: see [`Discovery`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).discovery(tool_mcp::Discovery::TwoStep);
    /// ```
    pub fn discovery(mut self, discovery: Discovery) -> Self {
        self.settings.discovery = discovery;
        self
    }

    /// Sets how many items a page of a list has. Default: a list is one page. Some clients read only the first page:
    /// [`Discovery::TwoStep`] serves models better.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).page_size(200);
    /// ```
    pub fn page_size(mut self, items: usize) -> Self {
        self.settings.page_size = Some(items);
        self
    }

    /// Sets whether lists of tools, resources and resource templates have a `_meta` with the operation of each tool
    /// (`tool-core/operation`), its digest (`tool-core/digest`), which changes with its definition, and its tags
    /// (`tool-core/tags`). Default: no, since models do not read it and it takes 130 bytes per tool.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).tool_meta(true);
    /// ```
    pub fn tool_meta(mut self, shown: bool) -> Self {
        self.settings.tool_meta = shown;
        self
    }

    /// Sets the handle that notifies clients of changed lists: see [`Changes`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).changes(&tool_mcp::Changes::new());
    /// ```
    pub fn changes(mut self, changes: &Changes) -> Self {
        self.changes = Some(changes.clone());
        self
    }

    /// Sets the handle that notifies clients of changed resources: see [`Updates`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).updates(&tool_mcp::Updates::new());
    /// ```
    pub fn updates(mut self, updates: &Updates) -> Self {
        self.updates = Some(updates.clone());
        self
    }

    /// Adds an icon of the server.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).icon(tool_mcp::Icon::new("https://example.org/sun.png"));
    /// ```
    pub fn icon(mut self, icon: Icon) -> Self {
        let listed = custom::listed_icons(&[icon]).into_iter().flatten();
        self.identity.icons.get_or_insert_default().extend(listed);
        self
    }

    /// Adds a resource that is not backed by a tool.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let guide = tool_mcp::DynamicResource::text("docs://guide", "guide", "Search first.");
    /// let server = tool_mcp::Server::new(registry).resource(guide);
    /// ```
    pub fn resource(mut self, resource: DynamicResource) -> Self {
        self.settings.resources.push(resource);
        self
    }

    /// Adds a resource template that is not backed by a tool.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let echo = tool_mcp::DynamicTemplate::new("echo://{word}", "echo", async |request: tool_mcp::Request| {
    ///     Ok(request.get("word").unwrap_or_default().to_owned())
    /// });
    /// let server = tool_mcp::Server::new(registry).resource_template(echo);
    /// ```
    pub fn resource_template(mut self, template: DynamicTemplate) -> Self {
        self.settings.templates.push(template);
        self
    }

    /// Adds a prompt beside those of the registry.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let prompt = tool_mcp::DynamicPrompt::template("ask", "Asks about a thing.", "What is {thing}?");
    /// let server = tool_mcp::Server::new(registry).prompt(prompt);
    /// ```
    pub fn prompt(mut self, prompt: DynamicPrompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Sets a file with instructions, descriptions, examples and prompts: see [`PromptsFile`].
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let file = tool_mcp::PromptsFile::parse("instructions: Search before you answer.")?;
    /// let server = tool_mcp::Server::new(registry).prompts_file(file);
    /// # Ok::<(), tool_mcp::PromptsFileError>(())
    /// ```
    pub fn prompts_file(mut self, file: PromptsFile) -> Self {
        self.settings.file = file;
        self
    }
}
