//! A tool in the words of whoever takes it: one rendering a vendor, each a pure function of the definition.
//!
//! A rendering has two steps. `references` puts every `$ref` in its path but for those of a recursive type; then the
//! vendor's own module says which keywords stay, and `rewriting` moves what does not stay into the description. The
//! rules of a vendor, and where it says so, stand at the top of its module.

mod anthropic;
mod branches;
mod choice;
mod describe;
mod dialect;
mod gemini;
mod openai;
mod references;
mod rewriting;
mod subschemas;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::definition::ToolDefinition;

/// For whom a tool is rendered: which schema of its inputs, and in which shape.
///
/// | profile | the schema | [`tool_for`](ToolDefinition::tool_for) |
/// |---|---|---|
/// | `mcp` | the normal form, as [`ToolDefinition::input_schema`] | MCP's `Tool` |
/// | `no-ref` | the same with every reference put in its path | MCP's `Tool` |
/// | `openai` | the same, a recursive type kept; lists have `items`, objects `properties` | a function of the Responses API, `strict: false` |
/// | `openai-strict` | the subset of Structured Outputs: closed objects, every property required, an optional one nullable | the same, `strict: true` |
/// | `anthropic` | what strict tool use takes too: limits, defaults and examples in the descriptions | a tool of the Messages API |
/// | `gemini` | the subset of the API's `parametersJsonSchema`: no `const`, no `oneOf`, enums of texts | a `FunctionDeclaration` |
/// | `native` | [`ToolDefinition::inputs`], which is no JSON Schema | name, description, inputs and outputs |
///
/// Nothing is lost silently: a limit that a vendor does not take is told in the description, where the model reads it, and
/// the call is checked against the normal form whoever makes it. What a vendor cannot express at all is refused with a
/// [`ProfileError`]:
///
/// | | a recursive type | an object with free names | a value of any type |
/// |---|---|---|---|
/// | `mcp`, `openai` | one `$ref` | ✓ | ✓ |
/// | `no-ref` | refused | ✓ | ✓ |
/// | `openai-strict` | one `$ref` | refused | refused |
/// | `anthropic` | one `$ref`; with `strict: true` the API refuses it | ✓, with `strict: true` empty | ✓ |
/// | `gemini` | refused | ✓ | ✓ |
///
/// ```
/// use tool_core::profile::Profile;
///
/// assert_eq!(Profile::OpenAiStrict.to_string(), "openai-strict");
/// assert_eq!("gemini".parse(), Ok(Profile::Gemini));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// The normal form, for MCP clients: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools>.
    Mcp,
    /// The normal form without any reference, for readers that do not follow them.
    NoRef,
    /// Function calling of OpenAI: <https://developers.openai.com/api/docs/guides/function-calling>.
    ///
    /// For Chat Completions, and the many who imitate it, put all but `type` below `"function"`.
    OpenAi,
    /// Function calling of OpenAI in strict mode, where the model cannot leave the schema:
    /// <https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>.
    ///
    /// The model says `null` for what it leaves out, and a call takes that as left out, at every depth. An input of type
    /// `Option<Option<T>>` cannot be left out then: its `null` is a value.
    OpenAiStrict,
    /// Tool use of Anthropic: <https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools>.
    ///
    /// The schema is one for plain and for strict use. To make the tool strict, add `"strict": true`; how many of one request
    /// may be so, and with which schemas, stands in
    /// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>.
    Anthropic,
    /// Function calling of Google's Gemini: <https://ai.google.dev/api/caching#FunctionDeclaration>, with the keywords that
    /// <https://ai.google.dev/api/generate-content#GenerationConfig> lists for `responseJsonSchema`.
    Gemini,
    /// The flat structure for people and scripts, without JSON Schema.
    Native,
}

impl Profile {
    /// All profiles, in the order of their declaration.
    ///
    /// ```
    /// assert_eq!(tool_core::profile::Profile::ALL.len(), 7);
    /// ```
    pub const ALL: [Profile; 7] = [
        Profile::Mcp,
        Profile::NoRef,
        Profile::OpenAi,
        Profile::OpenAiStrict,
        Profile::Anthropic,
        Profile::Gemini,
        Profile::Native,
    ];

    /// The name on the wire and on the command line.
    ///
    /// ```
    /// assert_eq!(tool_core::profile::Profile::NoRef.as_str(), "no-ref");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Profile::Mcp => "mcp",
            Profile::NoRef => "no-ref",
            Profile::OpenAi => "openai",
            Profile::OpenAiStrict => "openai-strict",
            Profile::Anthropic => "anthropic",
            Profile::Gemini => "gemini",
            Profile::Native => "native",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| UnknownProfile(text.to_owned()))
    }
}

/// A text that names no [`Profile`].
///
/// ```
/// let error = "opnai".parse::<tool_core::profile::Profile>().unwrap_err();
/// assert!(error.to_string().starts_with("`opnai` is no profile: expected one of mcp, no-ref, openai, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no profile: expected one of {known}", known = Profile::ALL.map(Profile::as_str).join(", "))]
pub struct UnknownProfile(String);

/// Why a tool cannot be rendered in a profile. The path is a JSON Pointer (RFC 6901) into the schema in normal form.
///
/// ```
/// use tool_core::{Registry, tool};
/// use tool_core::profile::{Profile, ProfileError};
///
/// /// Puts labels on a thing.
/// #[tool(operation = Write, destructive = false)]
/// fn label(/** What to call it. */ labels: std::collections::BTreeMap<String, String>) {}
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "label").build().unwrap();
/// let label = registry.get("label").unwrap();
/// let error = label.schema_for(Profile::OpenAiStrict).unwrap_err();
/// assert!(matches!(&error, ProfileError::FreeNames { path, .. } if path == "/properties/labels"));
/// assert!(label.schema_for(Profile::OpenAi).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The profile takes no recursive type.
    #[error("`{profile}` takes no recursive type, and there is one at `{path}`{}", help(*.profile))]
    Recursive {
        /// Which profile.
        profile: Profile,
        /// Where the type begins again.
        path: String,
    },
    /// The profile takes no object whose names are free.
    #[error("`{profile}` takes no object with free names, and there is one at `{path}`{}", help(*.profile))]
    FreeNames {
        /// Which profile.
        profile: Profile,
        /// Where the object is.
        path: String,
    },
    /// The profile takes no value without a type.
    #[error("`{profile}` takes no value of any type, and there is one at `{path}`{}", help(*.profile))]
    Untyped {
        /// Which profile.
        profile: Profile,
        /// Where the value is.
        path: String,
    },
    /// The inputs as a whole are no plain object: a hand-written schema has a choice at its root.
    #[error(
        "`{profile}` takes one plain object as the inputs of a tool, and these are a choice or no object"
    )]
    Root {
        /// Which profile.
        profile: Profile,
    },
    /// The profile does not take this name of an input or property.
    #[error("`{profile}` takes no property named `{name}`: it takes {}", dialect::property_names(*.profile))]
    PropertyName {
        /// Which profile.
        profile: Profile,
        /// The name.
        name: String,
    },
    /// The profile does not take the name of the tool.
    #[error("`{profile}` takes no tool named `{name}`: it takes {}", dialect::tool_names(*.profile))]
    ToolName {
        /// Which profile.
        profile: Profile,
        /// The name.
        name: String,
    },
    /// A reference of a hand-written schema leads nowhere inside of it.
    #[error("the reference `{reference}` at `{path}` leads nowhere in the schema")]
    Reference {
        /// Where it stands.
        path: String,
        /// What it says.
        reference: String,
    },
    /// The schema would become unreasonably large.
    #[error("the schema would become too large in `{profile}`: its references or choices multiply")]
    TooLarge {
        /// Which profile.
        profile: Profile,
    },
}

/// What else there is for a tool that a profile cannot express.
fn help(profile: Profile) -> &'static str {
    match profile {
        // A request may hold tools of both kinds.
        Profile::OpenAiStrict => "\nhelp: the profile `openai`, which is not strict, takes it",
        _ => "",
    }
}

impl ToolDefinition {
    /// The schema of the inputs in a profile; for [`Profile::Native`] the flat array of [`ToolDefinition::inputs`].
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// # use tool_core::profile::Profile;
    /// /// Lists the newest posts.
    /// #[tool(operation = Read)]
    /// fn newest(/** How many. */ #[arg(default)] count: u8) {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "newest").build().unwrap();
    /// let tool = registry.get("newest").unwrap();
    /// let strict = tool.schema_for(Profile::OpenAiStrict).unwrap();
    /// assert_eq!(strict["required"][0], "count");
    /// assert_eq!(strict["properties"]["count"]["anyOf"][1]["type"], "null");
    /// ```
    ///
    /// # Errors
    ///
    /// When the profile cannot express an input of this tool. [`Profile::Mcp`] and [`Profile::Native`] can express all.
    pub fn schema_for(&self, profile: Profile) -> Result<Value, ProfileError> {
        match profile {
            Profile::Native => Ok(json_of(self.inputs())),
            _ => rendered(self.input_schema(), profile),
        }
    }

    /// The tool as the API of a vendor takes it in its list of tools: name, description and schema in the vendor's shape.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// # use tool_core::profile::Profile;
    /// /// Lists the oldest posts.
    /// #[tool(operation = Read)]
    /// fn oldest() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "oldest").build().unwrap();
    /// let tool = registry.get("oldest").unwrap().tool_for(Profile::OpenAi).unwrap();
    /// assert_eq!(tool["type"], "function");
    /// assert_eq!(tool["name"], "oldest");
    /// assert_eq!(tool["description"], "Lists the oldest posts.");
    /// ```
    ///
    /// # Errors
    ///
    /// When the profile cannot express an input of this tool, or does not take its name.
    pub fn tool_for(&self, profile: Profile) -> Result<Value, ProfileError> {
        if !dialect::takes_tool_name(profile, self.name()) {
            return Err(ProfileError::ToolName { profile, name: self.name().to_owned() });
        }
        let schema = self.schema_for(profile)?;
        Ok(match profile {
            Profile::Mcp | Profile::NoRef => self.for_mcp(schema, profile)?,
            Profile::OpenAi => openai::tool(self, schema, false),
            Profile::OpenAiStrict => openai::tool(self, schema, true),
            Profile::Anthropic => anthropic::tool(self, schema),
            Profile::Gemini => gemini::tool(self, schema),
            Profile::Native => self.for_people(schema),
        })
    }

    fn for_mcp(&self, schema: Value, profile: Profile) -> Result<Value, ProfileError> {
        let mut tool = self.named();
        tool.insert("inputSchema".to_owned(), schema);
        if let Some(output) = self.output_schema() {
            tool.insert("outputSchema".to_owned(), rendered(output, profile)?);
        }
        if let Some(annotations) = self.annotations() {
            tool.insert("annotations".to_owned(), json_of(annotations));
        }
        Ok(tool.into())
    }

    fn for_people(&self, inputs: Value) -> Value {
        let mut tool = self.named();
        if let Some(operation) = self.operation() {
            tool.insert("operation".to_owned(), operation.as_str().into());
        }
        tool.insert("inputs".to_owned(), inputs);
        if let Some(outputs) = self.outputs() {
            tool.insert("outputs".to_owned(), json_of(outputs));
        }
        tool.into()
    }

    /// What names it, for whoever has a path for a title.
    fn named(&self) -> Map<String, Value> {
        let mut tool = Map::from_iter([("name".to_owned(), self.name().into())]);
        if let Some(title) = self.title() {
            tool.insert("title".to_owned(), title.into());
        }
        tool.insert("description".to_owned(), self.description().into());
        tool
    }
}

/// A schema in normal form, or a hand-written one, in the words of a profile.
fn rendered(schema: &Value, profile: Profile) -> Result<Value, ProfileError> {
    match profile {
        Profile::Mcp | Profile::Native => Ok(schema.clone()),
        Profile::NoRef => references::inlined(schema, profile),
        Profile::OpenAi => openai::rendered(&references::inlined(schema, profile)?),
        Profile::OpenAiStrict => rewriting::rewritten(references::inlined(schema, profile)?, &openai::STRICT),
        Profile::Anthropic => {
            rewriting::rewritten(references::inlined(schema, profile)?, &anthropic::DIALECT)
        }
        Profile::Gemini => rewriting::rewritten(references::inlined(schema, profile)?, &gemini::DIALECT),
    }
}

/// What is made of texts, numbers and values has a JSON form.
fn json_of(value: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
