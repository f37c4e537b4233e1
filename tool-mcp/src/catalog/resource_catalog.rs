//! The resources and resource templates of a server.

use iri_string::types::UriStr;
use rmcp::model::{Resource, ResourceTemplate};
use tool_core::address::{Segment, Surface};
use tool_core::ui::Ui;
use tool_core::{Registry, ToolDefinition, adapter};

use crate::catalog::routes::Routes;
use crate::catalog::uri::{Pattern, ui_uri};
use crate::custom::DynamicTemplate;
use crate::render::stored_result::ResultUri;
use crate::render::ui_page;
use crate::settings::Settings;

/// The first segments of URIs that are reserved for the server.
pub(crate) const RESERVED: [&str; 3] = ["tools", "tool", "result"];

/// The variable in the URI of the page of a tool.
pub(crate) const PAGE_VARIABLE: &str = "name";

const JSON: &str = "application/json";

/// What a URI refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The list of all tools.
    Tools,
    /// The page of a tool.
    Page,
    /// A stored result.
    Result,
    /// The result of a tool.
    Tool(String),
    /// The page that shows the results of a tool.
    Ui(String),
    /// A resource of the application, by its position.
    Resource(usize),
    /// A resource template of the application, by its position.
    Template(usize),
}

/// The resources and resource templates, in the order of their lists.
pub(crate) struct ResourceCatalog {
    pub(crate) routes: Routes<Target>,
    pub(crate) resources: Vec<(Target, Resource)>,
    pub(crate) templates: Vec<(Target, ResourceTemplate)>,
    /// The errors of resources that are left out, such as conflicts of URIs.
    pub(crate) faults: Vec<String>,
}

impl ResourceCatalog {
    pub(super) fn of(registry: &Registry, settings: &Settings) -> Self {
        let (routes, resources, templates) = (Routes::new(), Vec::new(), Vec::new());
        let mut catalog = ResourceCatalog { routes, resources, templates, faults: Vec::new() };
        catalog.add_tool_pages(settings);
        if adapter::results(registry).is_some() {
            catalog.add_stored_results(settings);
        }
        for tool in adapter::definitions(registry) {
            if let Some(address) = Surface::of(tool).address() {
                catalog.add_tool(tool, Pattern::of(&settings.scheme, address), settings);
            }
            if let Some(ui) = tool.ui() {
                catalog.add_ui(tool, ui, settings);
            }
        }
        for (position, resource) in settings.resources.iter().enumerate() {
            let (uri, target) = (&resource.uri, Target::Resource(position));
            if UriStr::new(uri).is_err() {
                catalog.faults.push(format!("`{uri}` is not a URI"));
            } else if let Some(fault) = reserved(uri, settings) {
                catalog.faults.push(fault);
            } else if let Err(other) = catalog.routes.add_verbatim(uri, target.clone()) {
                catalog.faults.push(format!("two resources have the URI `{other}`"));
            } else {
                catalog.resources.push((target, resource.listed()));
            }
        }
        for (position, template) in settings.templates.iter().enumerate() {
            if let Err(fault) = catalog.add_template(position, template, settings) {
                catalog.faults.push(fault);
            }
        }
        catalog
    }

    fn add_tool_pages(&mut self, settings: &Settings) {
        let pattern =
            |segments: Vec<Segment>| Pattern::new(settings.scheme.as_str().to_owned(), segments.into());
        let literal = |text: &str| Segment::Literal(text.to_owned());
        let tools = pattern(vec![literal("tools")]);
        let page = pattern(vec![literal("tool"), Segment::Variable(PAGE_VARIABLE.to_owned())]);
        let resource = Resource::new(tools.as_str(), "tools")
            .with_title("Tools")
            .with_description("Every tool that can be called here, with its signature.")
            .with_mime_type(JSON);
        let template = ResourceTemplate::new(page.as_str(), "tool")
            .with_title("One tool")
            .with_description("All about one tool: its arguments, examples, hints and what it returns.")
            .with_mime_type(JSON);
        self.route(tools, Target::Tools);
        self.route(page, Target::Page);
        self.resources.push((Target::Tools, resource));
        self.templates.push((Target::Page, template));
    }

    fn add_stored_results(&mut self, settings: &Settings) {
        let whole = ResultUri::whole(&settings.scheme);
        let parts = ResultUri::parts(&settings.scheme);
        let mut add = |uri: &str, name, title, description| {
            let template = ResourceTemplate::new(uri, name).with_title(title).with_description(description);
            self.templates.push((Target::Result, template));
        };
        let description = "A result that was too large to be shown, by its digest.";
        add(whole.as_str(), "result", "A large result", description);
        let description = "A part of it: `lines` such as `10-20`, `bytes` such as `0-999`, or the lines with what is searched for.";
        add(&parts, "result-part", "A part of a large result", description);
        self.route(whole, Target::Result);
    }

    fn add_template(
        &mut self,
        position: usize,
        template: &DynamicTemplate,
        settings: &Settings,
    ) -> Result<(), String> {
        let text = &template.template;
        let pattern =
            Pattern::parse(text).map_err(|fault| format!("`{text}` is not a URI template: {fault}"))?;
        if !pattern.is_template() {
            return Err(format!("`{text}` has no variable: add it as a resource"));
        }
        let uri = pattern.as_str();
        if let Some(fault) = reserved(uri, settings) {
            return Err(fault);
        }
        let unknown = template.completers.keys().filter(|name| pattern.variable(name).is_none());
        self.faults
            .extend(unknown.map(|variable| format!("`{uri}` has no variable `{variable}` to complete")));
        let listed = template.listed(uri);
        if self.route(pattern, Target::Template(position)) {
            self.templates.push((Target::Template(position), listed));
        }
        Ok(())
    }

    fn add_tool(&mut self, tool: &ToolDefinition, pattern: Pattern, settings: &Settings) {
        let target = Target::Tool(tool.name().to_owned());
        let (uri, is_template) = (pattern.as_str().to_owned(), pattern.is_template());
        if !self.route(pattern, target.clone()) {
            return;
        }
        let (title, meta) = (tool.title().map(str::to_owned), settings.meta(tool, &[]));
        let mime_type = tool.output_schema().map(|_| JSON.to_owned());
        let description = settings.description(tool);
        if is_template {
            let mut template = ResourceTemplate::new(uri, tool.name()).with_description(description);
            (template.title, template.mime_type, template.meta) = (title, mime_type, meta);
            self.templates.push((target, template));
        } else {
            let mut resource = Resource::new(uri, tool.name()).with_description(description);
            (resource.title, resource.mime_type, resource.meta) = (title, mime_type, meta);
            self.resources.push((target, resource));
        }
    }

    fn add_ui(&mut self, tool: &ToolDefinition, ui: &Ui, settings: &Settings) {
        let target = Target::Ui(tool.name().to_owned());
        let pattern = ui_uri(&settings.scheme, tool);
        let resource = ui_page::listed(pattern.as_str(), tool, ui);
        if self.route(pattern, target.clone()) {
            self.resources.push((target, resource));
        }
    }

    /// Adds a route. Returns `false` and adds an error if it conflicts with another.
    fn route(&mut self, pattern: Pattern, target: Target) -> bool {
        let uri = pattern.as_str().to_owned();
        let added = self.routes.add(pattern, target);
        let fault = added.err().map(|other| format!("`{uri}` conflicts with `{other}`"));
        let is_added = fault.is_none();
        self.faults.extend(fault);
        is_added
    }
}

/// Returns the error of a URI whose first segment is reserved.
fn reserved(uri: &str, settings: &Settings) -> Option<String> {
    let path = uri.strip_prefix(settings.scheme.as_str())?.strip_prefix("://")?;
    let first = path.split(['/', '?', '#']).next().filter(|first| RESERVED.contains(first))?;
    Some(format!("`{uri}` begins with `{first}`, which is reserved for tools and results"))
}
