//! The prompts file: words for models that a person keeps beside the program.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use tool_core::{FailureKind, Registry, adapter};

use crate::custom::DynamicPrompt;

/// Words for models, in YAML beside the program: instructions, descriptions and examples of tools, and prompts.
///
/// ```
/// use tool_mcp::{PromptsFile, Server};
///
/// let file = PromptsFile::parse(r#"
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
/// let server = Server::new(registry).prompts_file(file);
/// # assert!(server.into_axum_router().unwrap_err().to_string().contains("there is no tool `search`"));
/// # Ok::<(), tool_mcp::PromptsFileError>(())
/// ```
///
/// - `instructions` are the server's, unless the application says some itself.
/// - `tools.<name>.description` stands in the place of the tool's own, over MCP alone.
/// - `tools.<name>.examples` are shown after those of the tool's doc comment. One is a text, or a mapping of arguments,
///   which must be what the tool takes.
/// - `templates.<name>` becomes a prompt; each `{name}` in it is an argument that must be given (see
///   [`DynamicPrompt::template`]).
#[derive(Clone, Debug, Default)]
pub struct PromptsFile(Content);

/// What the file says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    instructions: Option<String>,
    #[serde(default)]
    tools: BTreeMap<String, Words>,
    #[serde(default)]
    templates: BTreeMap<String, Form>,
}

/// What is said of one tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    description: Option<String>,
    #[serde(default)]
    examples: Vec<Value>,
}

/// A prompt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    description: String,
    template: String,
}

/// Why a prompts file is of no use.
///
/// ```
/// let error = tool_mcp::PromptsFile::parse("tool: {}").unwrap_err();
/// assert!(error.to_string().contains("unknown field `tool`"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum PromptsFileError {
    /// It cannot be read.
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no YAML, or says something else than a prompts file does: where, and what was expected.
    Content(String),
}

impl PromptsFile {
    /// Reads the text of a prompts file.
    ///
    /// # Errors
    ///
    /// When it is no YAML of this form.
    ///
    /// ```
    /// let file = tool_mcp::PromptsFile::parse("instructions: Be brief.")?;
    /// # Ok::<(), tool_mcp::PromptsFileError>(())
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
    /// When there is none, or it is no YAML of this form.
    ///
    /// ```
    /// let error = tool_mcp::PromptsFile::read("no/such/prompts.yaml").unwrap_err();
    /// assert!(error.to_string().starts_with("cannot read no/such/prompts.yaml"));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self, PromptsFileError> {
        let path = path.as_ref();
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| PromptsFileError::Read { path: named(), source })?;
        PromptsFile::parse(&text).map_err(|error| match error {
            PromptsFileError::Content(fault) => PromptsFileError::Content(format!("{}: {fault}", named())),
            other => other,
        })
    }

    /// What the server says of itself.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.0.instructions.as_deref()
    }

    /// What stands in the place of the description of a tool.
    pub(crate) fn description(&self, tool: &str) -> Option<&str> {
        self.0.tools.get(tool)?.description.as_deref()
    }

    /// More examples of a tool.
    pub(crate) fn examples(&self, tool: &str) -> &[Value] {
        self.0.tools.get(tool).map_or(&[], |words| &words.examples)
    }

    /// Its prompts.
    pub(crate) fn prompts(&self) -> impl Iterator<Item = DynamicPrompt> {
        self.0
            .templates
            .iter()
            .map(|(name, form)| DynamicPrompt::template(name, &form.description, &form.template))
    }

    /// What it says of tools that is not so.
    pub(crate) fn faults(&self, registry: &Registry) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, words) in &self.0.tools {
            if !adapter::definitions(registry).any(|tool| tool.name() == name) {
                let similar =
                    adapter::nearest(registry, name).map(|tool| format!("; did you mean `{}`?", tool.name()));
                let similar = similar.unwrap_or_default();
                faults.push(format!(
                    "the prompts file speaks of `{name}`, and there is no tool `{name}`{similar}"
                ));
                continue;
            }
            for example in words.examples.iter().filter(|example| !example.is_string()) {
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

impl fmt::Display for PromptsFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromptsFileError::Read { path, source } => write!(f, "cannot read {path}: {source}"),
            PromptsFileError::Content(fault) => write!(f, "no prompts file: {fault}"),
        }
    }
}

impl std::error::Error for PromptsFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PromptsFileError::Read { source, .. } => Some(source),
            PromptsFileError::Content(_) => None,
        }
    }
}
