//! What the application decided about its server, as far as answers depend on it.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, MetaObject};
use serde_json::Value;
use tool_core::{Registry, ToolDefinition, adapter};

use crate::catalog::uri::Scheme;
use crate::custom::{DynamicPrompt, DynamicResource, DynamicTemplate};
use crate::discovery::{Discovery, SEARCH_TOOLS};
use crate::prompts_file::PromptsFile;
use crate::surfaces::Surfaces;

/// Shared by all that is answered.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) scheme: Scheme,
    pub(crate) surfaces: Surfaces,
    pub(crate) discovery: Discovery,
    /// How many items a page of a list has; `None` for lists of one page.
    pub(crate) page_size: Option<usize>,
    /// Whether lists have a `_meta` beside each tool.
    pub(crate) tool_meta: bool,
    /// The name of the server.
    pub(crate) name: String,
    pub(crate) resources: Vec<DynamicResource>,
    pub(crate) templates: Vec<DynamicTemplate>,
    /// By name: those that are written by hand, and those of the prompts file.
    pub(crate) prompts: BTreeMap<String, DynamicPrompt>,
    pub(crate) file: PromptsFile,
}

impl Settings {
    /// What a tool does, in the words that models are to read.
    pub(crate) fn description<'t>(&'t self, tool: &'t ToolDefinition) -> &'t str {
        self.file.description(tool.name()).unwrap_or(tool.description())
    }

    /// What lists say in `_meta` beside a tool, if they do.
    pub(crate) fn meta(&self, tool: &ToolDefinition) -> Option<MetaObject> {
        if !self.tool_meta {
            return None;
        }
        let mut meta = JsonObject::new();
        if let Some(operation) = tool.operation() {
            meta.insert("tool-core/operation".to_owned(), operation.as_str().into());
        }
        meta.insert("tool-core/digest".to_owned(), tool.digest().to_string().into());
        if tool.tags().len() > 0 {
            meta.insert("tool-core/tags".to_owned(), tool.tags().collect());
        }
        Some(MetaObject(meta))
    }

    /// Examples beside those of the doc comment of a tool.
    pub(crate) fn examples(&self, tool: &ToolDefinition) -> &[Value] {
        self.file.examples(tool.name())
    }

    /// What does not go together with the tools and prompts of a registry.
    pub(crate) fn faults(&self, registry: &Registry) -> Vec<String> {
        let declared = self.prompts.keys().filter_map(|name| registry.prompt(name));
        let twice = declared.map(|prompt| {
            let name = prompt.name();
            format!(
                "two prompts are named `{name}`: one is declared at {}, the other is the server's",
                prompt.source()
            )
        });
        let two_steps = SEARCH_TOOLS.into_iter().filter(|_| self.discovery == Discovery::TwoStep);
        let taken = two_steps
            .filter_map(|name| adapter::definitions(registry).find(|tool| tool.name() == name))
            .map(|tool| {
                format!(
                    "the tool `{}` at {} has a name that discovery in two steps needs",
                    tool.name(),
                    tool.source()
                )
            });
        self.file.faults(registry).into_iter().chain(twice).chain(taken).collect()
    }
}
