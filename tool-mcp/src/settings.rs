//! The settings of a server that requests depend on.

use std::collections::BTreeMap;

use rmcp::model::{MetaObject, ProtocolVersion};
use tool_core::{Registry, ToolDefinition, adapter};

use crate::catalog::uri::{Scheme, ui_uri};
use crate::custom::{DynamicPrompt, DynamicResource, DynamicTemplate};
use crate::discovery::{Discovery, SEARCH_TOOLS};
use crate::prompts_file::PromptsFile;
use crate::surfaces::Surfaces;

/// What requests depend on. The scheme, the name and the prompts are set when the server starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) scheme: Scheme,
    pub(crate) surfaces: Surfaces,
    pub(crate) discovery: Discovery,
    /// The number of items on a page of a list; `None` for lists of one page.
    pub(crate) page_size: Option<usize>,
    /// Whether lists have a `_meta` for each tool.
    pub(crate) tool_meta: bool,
    /// Whether lists have the tools that the caller could call with further permissions.
    pub(crate) denied_tools: bool,
    /// Whether clients up to 2025-11-25 are refused.
    pub(crate) modern_only: bool,
    /// The name of the server.
    pub(crate) name: String,
    pub(crate) resources: Vec<DynamicResource>,
    pub(crate) templates: Vec<DynamicTemplate>,
    /// The prompts of the application and of the prompts file, by name.
    pub(crate) prompts: BTreeMap<String, DynamicPrompt>,
    pub(crate) file: PromptsFile,
}

impl Settings {
    /// Returns the versions of the protocol that are served, the oldest one first.
    pub(crate) fn versions(&self) -> &'static [ProtocolVersion] {
        let versions = ProtocolVersion::KNOWN_VERSIONS;
        let modern = versions.partition_point(ProtocolVersion::has_initialize);
        if self.modern_only { &versions[modern..] } else { versions }
    }

    /// Returns the description of a tool for models.
    pub(crate) fn description<'t>(&'t self, tool: &'t ToolDefinition) -> &'t str {
        self.file.description(tool.name()).unwrap_or(tool.description())
    }

    /// Returns the `_meta` of a tool in lists, if it has one. It names the permissions that the caller lacks.
    pub(crate) fn meta(&self, tool: &ToolDefinition, lacks: &[&str]) -> Option<MetaObject> {
        let mut meta = tool.meta().cloned().unwrap_or_default();
        if let Some(ui) = tool.ui() {
            meta.insert("ui".to_owned(), ui.tool_meta(ui_uri(&self.scheme, tool).as_str()));
        }
        if !lacks.is_empty() {
            meta.insert("tool-core/requiredPermissions".to_owned(), lacks.into());
        }
        if !self.tool_meta {
            return (!meta.is_empty()).then_some(MetaObject(meta));
        }
        if let Some(operation) = tool.operation() {
            meta.insert("tool-core/operation".to_owned(), operation.as_str().into());
        }
        meta.insert("tool-core/digest".to_owned(), tool.digest().to_string().into());
        if tool.tags().len() > 0 {
            meta.insert("tool-core/tags".to_owned(), tool.tags().collect());
        }
        Some(MetaObject(meta))
    }

    /// Returns conflicts with the tools and prompts of a registry.
    pub(crate) fn faults(&self, registry: &Registry) -> Vec<String> {
        let declared = self.prompts.keys().filter_map(|name| registry.prompt(name));
        let twice = declared.map(|prompt| {
            let (name, source) = (prompt.name(), prompt.source());
            format!("two prompts are named `{name}`: one is declared at {source}, the other is the server's")
        });
        let search_tools = SEARCH_TOOLS.into_iter().filter(|_| self.discovery == Discovery::TwoStep);
        let taken = search_tools
            .filter_map(|name| adapter::definitions(registry).find(|tool| tool.name() == name))
            .map(|tool| {
                let (name, source) = (tool.name(), tool.source());
                format!("the tool `{name}` at {source} has a name that discovery in two steps needs")
            });
        self.file.faults(registry).into_iter().chain(twice).chain(taken).collect()
    }
}
