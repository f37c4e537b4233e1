//! The tools of a registry as MCP lists them. Each list is made once, since a registry never changes.

mod listing;
mod resource_catalog;
pub(crate) mod routes;
pub(crate) mod tool_text;
pub(crate) mod uri;
pub(crate) mod view;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use serde_json::Value;
use tool_core::address::Surface;
use tool_core::provider::Toolset;
use tool_core::{Registry, ToolDefinition, adapter};

pub(crate) use resource_catalog::{PAGE_VARIABLE, RESERVED, ResourceCatalog, Target};

use crate::catalog::uri::Pattern;
use crate::protocol::Era;
use crate::render::stored_result::or_excerpt;
use crate::settings::Settings;

/// Everything that is listed of one registry, independent of the caller.
pub(crate) struct Catalog {
    toolset: Toolset,
    pub(crate) settings: Arc<Settings>,
    /// By [`ListShape`].
    texts: [OnceLock<ToolTexts>; 3],
    /// Whether headers repeat arguments, by tool; found out when the tool is called.
    has_headers: OnceLock<Box<[OnceLock<bool>]>>,
    by_server: OnceLock<Vec<usize>>,
    resources: OnceLock<ResourceCatalog>,
}

impl Catalog {
    pub(crate) fn new(toolset: Toolset, settings: Arc<Settings>) -> Self {
        Catalog {
            toolset,
            settings,
            texts: Default::default(),
            has_headers: OnceLock::new(),
            by_server: OnceLock::new(),
            resources: OnceLock::new(),
        }
    }

    /// Returns the registry, with the caller that its provider has set.
    pub(crate) fn registry(&self) -> &Registry {
        self.toolset.registry()
    }

    /// Returns the name of the server of a tool: its provider, or else this server.
    pub(crate) fn server(&self, tool: &str) -> &str {
        self.toolset.provider(tool).unwrap_or(&self.settings.name)
    }

    /// Returns the name of the server of the tool at a position.
    pub(crate) fn server_at(&self, position: usize) -> &str {
        self.toolset.provider_at(position).unwrap_or(&self.settings.name)
    }

    /// Returns the positions of all tools, sorted by the order of their servers.
    pub(crate) fn by_server(&self) -> &[usize] {
        self.by_server.get_or_init(|| {
            let mut order: HashMap<&str, usize> = HashMap::new();
            let servers = self.toolset.providers().zip(0..);
            servers.for_each(|(server, place)| _ = order.entry(server).or_insert(place));
            let mut positions: Vec<usize> = (0..adapter::definitions(self.registry()).len()).collect();
            positions.sort_by_cached_key(|position| {
                let server = self.server_at(*position);
                (order.get(server).copied().unwrap_or(usize::MAX), server)
            });
            positions
        })
    }

    /// Returns the output schema of a tool in lists. It accepts an excerpt too, if large values become one.
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

    /// Returns a tool that the caller lacks permissions for, as `tools/list` has it.
    pub(crate) fn listed_as_denied(&self, tool: &ToolDefinition, lacks: &[&str], shape: ListShape) -> String {
        let mut text = String::new();
        listing::write(tool, lacks, self, shape, &mut text);
        text
    }

    /// Returns all tools as `tools/list` has them.
    pub(crate) fn all_listed(&self, shape: ListShape) -> Bytes {
        self.texts(shape).all.clone()
    }

    fn texts(&self, shape: ListShape) -> &ToolTexts {
        self.texts[shape as usize].get_or_init(|| ToolTexts::of(self, shape))
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

    pub(crate) fn resources(&self) -> &ResourceCatalog {
        self.resources.get_or_init(|| ResourceCatalog::of(self.registry(), &self.settings))
    }

    /// Returns the URI pattern of a tool that is published as a resource.
    pub(crate) fn pattern(&self, tool: &ToolDefinition) -> Option<Pattern> {
        Surface::of(tool).address().map(|address| Pattern::of(&self.settings.scheme, address))
    }
}

/// The form of a list of tools, by the version of the client.
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

/// The tools of a registry as JSON, in their order.
struct ToolTexts {
    all: Bytes,
    /// The range of each tool in `all`.
    each: Vec<Range<usize>>,
}

impl ToolTexts {
    fn of(catalog: &Catalog, shape: ListShape) -> Self {
        let tools = adapter::definitions(catalog.registry());
        let (mut all, mut each) = (String::new(), Vec::new());
        each.reserve_exact(tools.len());
        for tool in tools {
            if !all.is_empty() {
                all.push(',');
            }
            let start = all.len();
            listing::write(tool, &[], catalog, shape, &mut all);
            each.push(start..all.len());
        }
        ToolTexts { all: all.into_boxed_str().into_boxed_bytes().into(), each }
    }
}
