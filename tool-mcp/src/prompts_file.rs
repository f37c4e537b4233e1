//! The prompts file: texts for models, kept beside the program.

use std::collections::BTreeMap;
#[cfg(feature = "prompts-file")]
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use tool_core::{FailureKind, Registry, adapter};

use crate::custom::DynamicPrompt;

/// A YAML file with texts for models: instructions, descriptions and examples of tools, and prompts. It is read with the feature
/// `prompts-file`; the default is an empty one.
///
/// ```
/// let file = tool_mcp::PromptsFile::parse(r#"
/// instructions: Search before you answer.
/// tools:
///   search:
///     description: Searches the web, the newest pages first.
///     examples:
///       - search(query = "rain in Oslo")
///       - query: rain in Oslo
/// templates:
///   digest:
///     description: Asks for a digest of the news.
///     template: |
///       Search for {topic} and sum up what you find in {words} words.
/// "#)?;
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).prompts_file(file);
/// # assert!(server.into_axum_router().unwrap_err().to_string().contains("there is no tool `search`"));
/// # Ok::<(), tool_mcp::PromptsFileError>(())
/// ```
///
/// - `instructions` are those of the server, unless the application sets them.
/// - `tools.<name>.description` replaces the description of the tool, over MCP only.
/// - `tools.<name>.examples` follow those of the tool's doc comment. Each is a text, or valid arguments as a mapping.
/// - `templates.<name>` becomes a prompt; each `{name}` in it is a required argument (see [`DynamicPrompt::template`]).
#[derive(Clone, Debug, Default)]
pub struct PromptsFile(FileContent);

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContent {
    instructions: Option<String>,
    #[serde(default)]
    tools: BTreeMap<String, ToolEntry>,
    #[serde(default)]
    templates: BTreeMap<String, PromptTemplate>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolEntry {
    description: Option<String>,
    #[serde(default)]
    examples: Vec<Value>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PromptTemplate {
    description: String,
    template: String,
}

/// The error of reading a [`PromptsFile`].
///
/// ```
/// let error = tool_mcp::PromptsFile::parse("tool: {}").unwrap_err();
/// assert!(error.to_string().contains("unknown field `tool`"));
/// ```
#[cfg(feature = "prompts-file")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptsFileError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The path of the file.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not YAML, or has unexpected content: where, and what was expected.
    #[error("invalid prompts file: {0}")]
    Content(String),
}

#[cfg(feature = "prompts-file")]
impl PromptsFile {
    /// Parses the text of a prompts file.
    ///
    /// # Errors
    ///
    /// When the text is not YAML of this form.
    ///
    /// ```
    /// let file = tool_mcp::PromptsFile::parse("instructions: Be brief.").unwrap();
    /// ```
    pub fn parse(yaml: &str) -> Result<Self, PromptsFileError> {
        serde_saphyr::from_str(yaml)
            .map(PromptsFile)
            .map_err(|error| PromptsFileError::Content(error.to_string()))
    }

    /// Reads a prompts file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not YAML of this form.
    ///
    /// ```
    /// let error = tool_mcp::PromptsFile::read("no/such/prompts.yaml").unwrap_err();
    /// assert!(error.to_string().starts_with("cannot read no/such/prompts.yaml"));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, PromptsFileError> {
        let name = path.as_ref().display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(source) => return Err(PromptsFileError::Read { path: name, source }),
        };
        PromptsFile::parse(&text).map_err(|error| match error {
            PromptsFileError::Content(fault) => PromptsFileError::Content(format!("{name}: {fault}")),
            other => other,
        })
    }
}

impl PromptsFile {
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.0.instructions.as_deref()
    }

    /// Returns the text that replaces the description of a tool.
    pub(crate) fn description(&self, tool: &str) -> Option<&str> {
        self.0.tools.get(tool)?.description.as_deref()
    }

    /// Returns the additional examples of a tool.
    pub(crate) fn examples(&self, tool: &str) -> &[Value] {
        self.0.tools.get(tool).map_or(&[], |tool| &tool.examples)
    }

    pub(crate) fn prompts(&self) -> impl Iterator<Item = DynamicPrompt> {
        let templates = self.0.templates.iter();
        templates.map(|(name, prompt)| DynamicPrompt::template(name, &prompt.description, &prompt.template))
    }

    /// Returns the entries about unknown tools, and the invalid examples.
    pub(crate) fn faults(&self, registry: &Registry) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, tool) in &self.0.tools {
            if !adapter::definitions(registry).any(|tool| tool.name() == name) {
                let similar = adapter::nearest(registry, name);
                let similar = similar.map(|similar| format!("; did you mean `{}`?", similar.name()));
                let similar = similar.unwrap_or_default();
                faults.push(format!(
                    "the prompts file mentions `{name}`, but there is no tool `{name}`{similar}"
                ));
                continue;
            }
            for example in tool.examples.iter().filter(|example| !example.is_string()) {
                if let Err(failure) = registry.validate(name, example.to_string().as_bytes())
                    && matches!(failure.kind(), FailureKind::Input | FailureKind::NotJson)
                {
                    faults.push(format!("an example of `{name}` in the prompts file: {}", failure.text()));
                }
            }
        }
        faults
    }
}
