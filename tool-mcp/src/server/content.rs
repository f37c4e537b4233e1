//! The part of the builder about content: what the server publishes beside the tools, and how it lists them.

use crate::changes::Changes;
use crate::custom::{self, DynamicPrompt, DynamicResource, DynamicTemplate, Icon};
use crate::discovery::Discovery;
use crate::prompts_file::PromptsFile;
use crate::server::Server;
use crate::surfaces::Surfaces;
use crate::updates::Updates;

impl Server {
    setters! {
        self, "# let registry = tool_core::Registry::builder().allow_empty().build().unwrap();",
            "let server = tool_mcp::Server::new(registry)";

        /// Sets the instructions for the model: how to use the tools together.
        instructions(instructions: impl Into<String>) => self.instructions = Some(instructions.into()),
            example("Call `list_cities` before `get_weather`.");

        /// Sets the scheme of resource URIs: `weather` for `weather://tools`. Default: derived from the name.
        scheme(scheme: impl Into<String>) => self.scheme = Some(scheme.into()), example("weather");

        /// Sets whether a tool that is published as a resource is listed as a tool too: see [`Surfaces`].
        surfaces(surfaces: Surfaces) => self.settings.surfaces = surfaces,
            example(tool_mcp::Surfaces::Exclusive);

        /// Sets how clients find the tools: see [`Discovery`].
        discovery(discovery: Discovery) => self.settings.discovery = discovery,
            example(tool_mcp::Discovery::TwoStep);

        /// Sets how many items a page of a list has. Default: a list is one page. Some clients read only the first page:
        /// [`Discovery::TwoStep`] serves models better.
        page_size(items: usize) => self.settings.page_size = Some(items), example(200);

        /// Sets whether lists of tools, resources and resource templates have a `_meta` with the operation of each tool
        /// (`tool-core/operation`), its digest (`tool-core/digest`), which changes with its definition, and its tags
        /// (`tool-core/tags`). Default: no, since models do not read it and it takes 130 bytes per tool.
        tool_meta(shown: bool) => self.settings.tool_meta = shown, example(true);

        /// Sets whether `tools/list` has the tools that the caller could call with further permissions, such as scopes of
        /// an OAuth token. Their `_meta` names all permissions that a call needs (`tool-core/requiredPermissions`), and
        /// calling one is denied. Default: no. [`Discovery::TwoStep`] never finds them, and the registry can hide them
        /// ([`RegistryBuilder::hide_denied`](tool_core::RegistryBuilder::hide_denied)).
        list_denied(listed: bool) => self.settings.denied_tools = listed, example(true);

        /// Sets the handle that notifies clients of changed lists: see [`Changes`].
        changes(changes: &Changes) => self.changes = Some(changes.clone()),
            example(&tool_mcp::Changes::new());

        /// Sets the handle that notifies clients of changed resources: see [`Updates`].
        updates(updates: &Updates) => self.updates = Some(updates.clone()),
            example(&tool_mcp::Updates::new());

        /// Adds a resource that is not backed by a tool.
        resource(resource: DynamicResource) => self.settings.resources.push(resource),
            example(tool_mcp::DynamicResource::text("docs://guide", "guide", "Search first."));

        /// Adds a prompt beside those of the registry.
        prompt(prompt: DynamicPrompt) => self.prompts.push(prompt),
            example(tool_mcp::DynamicPrompt::template("ask", "Asks about a thing.", "What is {thing}?"));
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
