//! Profiles: tools in the formats of model vendors, each a pure function of the definition.
//!
//! Rendering has two steps. `references` inlines every `$ref`, except those of recursive types. Then the module of the
//! vendor decides which keywords stay, and `rewriting` moves the others into the description. The top of each module
//! lists the rules of its vendor, with sources.

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

use serde::Serialize;
use serde_json::{Map, Value};

use crate::definition::ToolDefinition;
use crate::model::names::names;

names! {
    /// The format of a tool for a kind of client: which schema, and in which shape.
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
    /// Nothing is lost silently: limits that a vendor does not support are added to the description for the model, and
    /// every call is validated against the normal form. A schema that a vendor cannot express is rejected with a
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
        Mcp = "mcp",
        /// The normal form without references, for clients that do not follow them.
        NoRef = "no-ref",
        /// Function calling of OpenAI: <https://developers.openai.com/api/docs/guides/function-calling>.
        ///
        /// For Chat Completions and compatible APIs, move everything but `type` below `"function"`.
        OpenAi = "openai",
        /// Function calling of OpenAI in strict mode, where the model cannot leave the schema:
        /// <https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>.
        ///
        /// The model sends `null` for omitted values, and calls accept that at every depth. An input of type
        /// `Option<Option<T>>` cannot be omitted then: its `null` is a value.
        OpenAiStrict = "openai-strict",
        /// Tool use of Anthropic: <https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools>.
        ///
        /// The schema works for plain and for strict use. Add `"strict": true` to make the tool strict; see
        /// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs> for the limits per request.
        Anthropic = "anthropic",
        /// Function calling of Google's Gemini: <https://ai.google.dev/api/caching#FunctionDeclaration>, with the keywords that
        /// <https://ai.google.dev/api/generate-content#GenerationConfig> lists for `responseJsonSchema`.
        Gemini = "gemini",
        /// The flat structure for people and scripts, without JSON Schema.
        Native = "native",
    }

    /// All profiles.
    ///
    /// ```
    /// assert_eq!(tool_core::profile::Profile::ALL.len(), 7);
    /// ```
    const ALL: [Profile; 7];

    /// Returns the name.
    ///
    /// ```
    /// assert_eq!(tool_core::profile::Profile::NoRef.as_str(), "no-ref");
    /// ```
    pub const fn as_str;

    impl FromStr<Err = UnknownProfile>, |name: &str| UnknownProfile(name.to_owned());
}

/// The error for a text that is not a [`Profile`].
///
/// ```
/// let error = "opnai".parse::<tool_core::profile::Profile>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown profile `opnai`: expected one of mcp, no-ref, openai, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile `{0}`: expected one of {names}", names = Profile::ALL.map(Profile::as_str).join(", "))]
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
    /// The profile does not support recursive types.
    #[error("`{profile}` does not support recursive types: there is one at `{path}`{}", help(*.profile))]
    Recursive {
        /// The profile.
        profile: Profile,
        /// Where the type recurs.
        path: String,
    },
    /// The profile does not support objects with arbitrary property names.
    #[error("`{profile}` does not support objects with arbitrary property names: there is one at `{path}`{}", help(*.profile))]
    FreeNames {
        /// The profile.
        profile: Profile,
        /// The path of the object.
        path: String,
    },
    /// The profile does not support values of any type.
    #[error("`{profile}` does not support values of any type: there is one at `{path}`{}", help(*.profile))]
    Untyped {
        /// The profile.
        profile: Profile,
        /// The path of the value.
        path: String,
    },
    /// The root of the schema is not a plain object, such as a choice in a custom schema.
    #[error(
        "`{profile}` takes one plain object as the inputs of a tool, and these are a choice or no object"
    )]
    Root {
        /// The profile.
        profile: Profile,
    },
    /// The profile does not support this name of an input or property.
    #[error("`{profile}` does not support the property name `{name}`: it supports {}", dialect::property_names(*.profile))]
    PropertyName {
        /// The profile.
        profile: Profile,
        /// The name.
        name: String,
    },
    /// The profile does not support the name of the tool.
    #[error("`{profile}` does not support the tool name `{name}`: it supports {}", dialect::tool_names(*.profile))]
    ToolName {
        /// The profile.
        profile: Profile,
        /// The name.
        name: String,
    },
    /// A reference in a custom schema has no target in it.
    #[error("the reference `{reference}` at `{path}` leads nowhere in the schema")]
    Reference {
        /// The path of the reference.
        path: String,
        /// The reference.
        reference: String,
    },
    /// The schema would become too large.
    #[error("the schema would become too large in `{profile}`: its references or choices multiply")]
    TooLarge {
        /// The profile.
        profile: Profile,
    },
}

/// Suggests an alternative for a tool that a profile cannot express.
fn help(profile: Profile) -> &'static str {
    match profile {
        // A request may contain strict and other tools.
        Profile::OpenAiStrict => "\nhelp: the profile `openai`, which is not strict, takes it",
        _ => "",
    }
}

impl ToolDefinition {
    /// Returns the schema of the inputs in a profile; for [`Profile::Native`], the array of [`ToolDefinition::inputs`].
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
    /// If the profile cannot express an input. [`Profile::Mcp`] and [`Profile::Native`] can express all.
    pub fn schema_for(&self, profile: Profile) -> Result<Value, ProfileError> {
        match profile {
            Profile::Native => Ok(json_of(self.inputs())),
            _ => rendered(self.input_schema(), profile),
        }
    }

    /// Returns the tool in the shape of the vendor's API: name, description and schema.
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
    /// If the profile cannot express an input, or does not support the name.
    pub fn tool_for(&self, profile: Profile) -> Result<Value, ProfileError> {
        if !takes_tool_name(profile, self.name()) {
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

    /// Returns the name, title and description.
    fn named(&self) -> Map<String, Value> {
        let mut tool = Map::from_iter([("name".to_owned(), self.name().into())]);
        if let Some(title) = self.title() {
            tool.insert("title".to_owned(), title.into());
        }
        tool.insert("description".to_owned(), self.description().into());
        tool
    }
}

/// Renders a schema in normal form, or a custom schema, in a profile.
fn rendered(schema: &Value, profile: Profile) -> Result<Value, ProfileError> {
    if matches!(profile, Profile::Mcp | Profile::Native) {
        return Ok(schema.clone());
    }
    let inlined = references::inlined(schema, profile)?;
    match profile {
        Profile::OpenAi => openai::rendered(&inlined),
        Profile::OpenAiStrict => rewriting::rewritten(inlined, &openai::STRICT),
        Profile::Anthropic => rewriting::rewritten(inlined, &anthropic::DIALECT),
        Profile::Gemini => rewriting::rewritten(inlined, &gemini::DIALECT),
        Profile::Mcp | Profile::NoRef | Profile::Native => Ok(inlined),
    }
}

/// Texts, numbers and values always serialize.
fn json_of(value: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Returns `true` if a profile supports a tool of this name.
fn takes_tool_name(profile: Profile, name: &str) -> bool {
    match profile {
        Profile::OpenAi | Profile::OpenAiStrict => openai::takes_tool_name(name),
        Profile::Anthropic => anthropic::takes_tool_name(name),
        Profile::Gemini => gemini::takes_tool_name(name),
        Profile::Mcp | Profile::NoRef | Profile::Native => true,
    }
}

#[cfg(test)]
mod tests;
