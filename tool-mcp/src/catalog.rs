//! The tools of a registry in the shapes of MCP's lists, each made once: a registry never changes.

mod listing;
pub(crate) mod routes;
pub(crate) mod tool_text;
pub(crate) mod uri;
pub(crate) mod view;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use iri_string::types::UriStr;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::Value;
use tool_core::address::{Segment, Surface};
use tool_core::provider::Toolset;
use tool_core::{Registry, ToolDefinition, adapter};

use crate::catalog::routes::Routes;
use crate::catalog::uri::Pattern;
use crate::protocol::Era;
use crate::render::stored_result::{ResultUri, or_excerpt};
use crate::settings::Settings;

/// First segments of addresses that are the server's own.
pub(crate) const RESERVED: [&str; 3] = ["tools", "tool", "result"];

/// The variable of the page of a tool.
pub(crate) const PAGE_VARIABLE: &str = "name";

const JSON: &str = "application/json";

/// All that is shown of one registry, whoever asks: what a caller may see is chosen from it.
pub(crate) struct Catalog {
    toolset: Toolset,
    settings: Arc<Settings>,
    /// By their [`ListShape`].
    texts: [OnceLock<Texts>; 3],
    /// Whether headers repeat arguments of a tool, each found out when it is called.
    has_headers: OnceLock<Box<[OnceLock<bool>]>>,
    by_server: OnceLock<Vec<usize>>,
    places: OnceLock<Places>,
}

/// Where a URI leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The list of all tools.
    Tools,
    /// The page of a tool.
    Page,
    /// A result that was too large to be shown.
    Result,
    /// The result of a tool.
    Tool(String),
    /// What is written by hand, by its position among its kind.
    Resource(usize),
    /// The same, with variables.
    Template(usize),
}

/// Everything that is read, in the order in which it is listed.
pub(crate) struct Places {
    pub(crate) routes: Routes<Target>,
    pub(crate) resources: Vec<(Target, Resource)>,
    pub(crate) templates: Vec<(Target, ResourceTemplate)>,
    /// What lives where something else does, and is not served there.
    pub(crate) faults: Vec<String>,
}

impl Catalog {
    pub(crate) fn new(toolset: Toolset, settings: Arc<Settings>) -> Self {
        Catalog {
            toolset,
            settings,
            texts: Default::default(),
            has_headers: OnceLock::new(),
            by_server: OnceLock::new(),
            places: OnceLock::new(),
        }
    }

    /// The registry, for the caller for whom its provider has it.
    pub(crate) fn registry(&self) -> &Registry {
        self.toolset.registry()
    }

    /// The name of the server that a tool is of: its provider, or else this one.
    pub(crate) fn server(&self, tool: &str) -> &str {
        self.toolset.provider(tool).unwrap_or(&self.settings.name)
    }

    /// The same of the tool at this position.
    pub(crate) fn server_at(&self, position: usize) -> &str {
        self.toolset.provider_at(position).unwrap_or(&self.settings.name)
    }

    /// The positions of all tools in the order of their servers; those of one server stay in theirs.
    pub(crate) fn by_server(&self) -> &[usize] {
        self.by_server.get_or_init(|| {
            let mut places: HashMap<&str, usize> = HashMap::new();
            let servers = self.toolset.providers().zip(0..);
            servers.for_each(|(server, place)| _ = places.entry(server).or_insert(place));
            let mut positions: Vec<usize> = (0..adapter::definitions(self.registry()).len()).collect();
            positions.sort_by_cached_key(|position| {
                let server = self.server_at(*position);
                (places.get(server).copied().unwrap_or(usize::MAX), server)
            });
            positions
        })
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the output schema that a tool is listed with, as text: one that admits an excerpt too, where a large value is
    /// answered with one.
    fn output_schema<'t>(&self, tool: &'t ToolDefinition) -> Option<Cow<'t, str>> {
        let schema = tool.output_schema_text()?;
        if adapter::may_shorten(self.registry(), tool) {
            or_excerpt(&schema).map(Cow::Owned)
        } else {
            Some(schema)
        }
    }

    /// Returns tools as `tools/list` has them, in JSON and without the brackets around them.
    pub(crate) fn listed(&self, names: &[&str], shape: ListShape) -> Bytes {
        let texts = self.texts(shape);
        if names.len() == texts.each.len() {
            return texts.all.clone();
        }
        let position = |name: &&str| adapter::position(self.registry(), name).map(|(position, _)| position);
        let chosen = names.iter().filter_map(position).filter_map(|position| texts.each.get(position));
        let chosen: Vec<&[u8]> = chosen.map(|range| &texts.all[range.clone()]).collect();
        chosen.join(&b","[..]).into()
    }

    /// Returns all tools as `tools/list` has them.
    pub(crate) fn all_listed(&self, shape: ListShape) -> Bytes {
        self.texts(shape).all.clone()
    }

    fn texts(&self, shape: ListShape) -> &Texts {
        self.texts[shape as usize].get_or_init(|| Texts::of(self, shape))
    }

    /// Returns the input schema of a tool if headers have to repeat some of its arguments.
    pub(crate) fn schema_with_headers(&self, name: &str) -> Option<&Value> {
        let (position, tool) = adapter::position(self.registry(), name)?;
        let none = || {
            std::iter::repeat_with(OnceLock::new).take(adapter::definitions(self.registry()).len()).collect()
        };
        let has_headers = self.has_headers.get_or_init(none).get(position)?;
        let has_headers = has_headers.get_or_init(|| tool.input_schema_text().contains(r#""x-mcp-header""#));
        has_headers.then(|| tool.input_schema())
    }

    pub(crate) fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(self.registry(), &self.settings))
    }

    /// Where the result of a tool lives, if it is read.
    pub(crate) fn pattern(&self, tool: &ToolDefinition) -> Option<Pattern> {
        Surface::of(tool).address().map(|address| Pattern::of(&self.settings.scheme, address))
    }
}

/// What the version of a client makes of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListShape {
    /// 2026-07-28.
    Modern,
    /// From 2025-06-18 on: an output schema is an object.
    Structured,
    /// Before: there are no output schemas, and a title is one of the hints.
    Plain,
}

impl ListShape {
    pub(crate) fn of(era: &Era) -> Self {
        if era.is_modern() {
            ListShape::Modern
        } else if era.has_structured_output() {
            ListShape::Structured
        } else {
            ListShape::Plain
        }
    }
}

/// The tools as JSON, in their order.
struct Texts {
    all: Bytes,
    /// The range of each in `all`.
    each: Vec<Range<usize>>,
}

impl Texts {
    fn of(catalog: &Catalog, shape: ListShape) -> Self {
        let tools = adapter::definitions(catalog.registry());
        let (mut all, mut each) = (String::new(), Vec::new());
        each.reserve_exact(tools.len());
        for tool in tools {
            if !all.is_empty() {
                all.push(',');
            }
            let start = all.len();
            listing::write(tool, catalog, shape, &mut all);
            each.push(start..all.len());
        }
        Texts { all: all.into_boxed_str().into_boxed_bytes().into(), each }
    }
}

impl Places {
    fn of(registry: &Registry, settings: &Settings) -> Self {
        let mut places = Places {
            routes: Routes::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            faults: Vec::new(),
        };
        places.add_own(settings);
        if adapter::results(registry).is_some() {
            places.add_results(settings);
        }
        for tool in adapter::definitions(registry) {
            let surface = Surface::of(tool);
            let Some(address) = surface.address() else { continue };
            places.add_tool(tool, Pattern::of(&settings.scheme, address), settings);
        }
        places.add_written(settings);
        places
    }

    /// The registry itself.
    fn add_own(&mut self, settings: &Settings) {
        let pattern = |segments: Vec<Segment>| Pattern::new(settings.scheme.as_str().to_owned(), segments);
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

    /// What was too large to be shown, and parts of it.
    fn add_results(&mut self, settings: &Settings) {
        let whole = ResultUri::whole(&settings.scheme);
        let parts = ResultUri::parts(&settings.scheme);
        let description = "A result that was too large to be shown, by its digest.";
        let listed = ResourceTemplate::new(whole.as_str(), "result").with_title("A large result");
        self.templates.push((Target::Result, listed.with_description(description)));
        let description = "A part of it: `lines` such as `10-20`, `bytes` such as `0-999`, or the lines with what is searched for.";
        let listed = ResourceTemplate::new(parts, "result-part").with_title("A part of a large result");
        self.templates.push((Target::Result, listed.with_description(description)));
        self.route(whole, Target::Result);
    }

    fn add_written(&mut self, settings: &Settings) {
        for (position, resource) in settings.resources.iter().enumerate() {
            if UriStr::new(&resource.uri).is_err() {
                self.faults.push(format!("`{}` is no URI", resource.uri));
            } else if let Some(segment) = reserved(&resource.uri, settings) {
                self.faults.push(taken(&resource.uri, segment));
            } else if let Err(other) = self.routes.add_verbatim(&resource.uri, Target::Resource(position)) {
                self.faults.push(format!("two resources live at `{other}`"));
            } else {
                self.resources.push((Target::Resource(position), resource.listed()));
            }
        }
        for (position, template) in settings.templates.iter().enumerate() {
            let pattern = match Pattern::parse(&template.template) {
                Ok(pattern) if pattern.is_template() => pattern,
                Ok(_) => {
                    self.faults
                        .push(format!("`{}` has no variable: add it as a resource", template.template));
                    continue;
                }
                Err(fault) => {
                    self.faults.push(format!("`{}` is no template of URIs: {fault}", template.template));
                    continue;
                }
            };
            if let Some(segment) = reserved(pattern.as_str(), settings) {
                self.faults.push(taken(pattern.as_str(), segment));
                continue;
            }
            for variable in template.completions.keys().filter(|name| pattern.variable(name).is_none()) {
                self.faults.push(format!("`{}` has no variable `{variable}` to complete", pattern.as_str()));
            }
            let listed = template.listed(pattern.as_str());
            if self.route(pattern, Target::Template(position)) {
                self.templates.push((Target::Template(position), listed));
            }
        }
    }

    fn add_tool(&mut self, tool: &ToolDefinition, pattern: Pattern, settings: &Settings) {
        let target = Target::Tool(tool.name().to_owned());
        let (uri, is_template) = (pattern.as_str().to_owned(), pattern.is_template());
        if !self.route(pattern, target.clone()) {
            return;
        }
        let mime_type = tool.output_schema().map(|_| JSON.to_owned());
        let description = settings.description(tool);
        if is_template {
            let mut template = ResourceTemplate::new(uri, tool.name()).with_description(description);
            template.meta = settings.meta(tool);
            template.title = tool.title().map(str::to_owned);
            template.mime_type = mime_type;
            self.templates.push((target, template));
        } else {
            let mut resource = Resource::new(uri, tool.name()).with_description(description);
            resource.meta = settings.meta(tool);
            resource.title = tool.title().map(str::to_owned);
            resource.mime_type = mime_type;
            self.resources.push((target, resource));
        }
    }

    /// Lets a URI lead somewhere, unless it leads elsewhere already.
    fn route(&mut self, pattern: Pattern, target: Target) -> bool {
        let uri = pattern.as_str().to_owned();
        match self.routes.add(pattern, target) {
            Ok(()) => true,
            Err(other) => {
                self.faults.push(format!("`{uri}` cannot be told from `{other}`"));
                false
            }
        }
    }
}

/// The first segment of a URI of ours, where it is one of those that we keep.
fn reserved(uri: &str, settings: &Settings) -> Option<&'static str> {
    let place = uri.strip_prefix(settings.scheme.as_str())?.strip_prefix("://")?;
    let first = place.split(['/', '?', '#']).next()?;
    RESERVED.into_iter().find(|reserved| *reserved == first)
}

fn taken(uri: &str, segment: &str) -> String {
    format!("`{uri}` begins with `{segment}`, which is kept for what is said about tools and results")
}
