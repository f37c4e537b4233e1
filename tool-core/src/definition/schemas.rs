//! The schemas of a tool: computed on first use, because most are never needed.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::declare::completion::CompleteFn;
use crate::declare::input_spec::InputSpec;
use crate::declare::layout::ArgumentLayout;
use crate::declare::returns::Untyped;
use crate::definition::compose::{InputSchema, OutputSchema};
use crate::definition::documentation::Example;
use crate::definition::origin::Origin;
use crate::definition::promise;
use crate::definition::{Inner, ToolDefinition};
use crate::model::digest::Digest;
use crate::model::output::Output;
use crate::schema::json::size;
use crate::schema::problem::Problem;
use crate::schema::{Formats, NativeSchema, Validator};

/// The maximum size in bytes of an example in an error message.
const MAX_EXAMPLE_LENGTH: usize = 4 * 1024;

impl ToolDefinition {
    /// Returns the schema of the arguments (JSON Schema 2020-12), in the normal form of this crate: a closed object,
    /// with references only to recursive types, and optional inputs without `null`.
    ///
    /// Nested objects are closed, too (`additionalProperties` is `false`), if their type names its members. Maps and
    /// schemas without members stay open.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_j(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_j").build().unwrap();
    /// let tool = registry.get("send_j").unwrap();
    /// assert_eq!(tool.input_schema()["properties"]["to"]["type"], "string");
    /// ```
    pub fn input_schema(&self) -> &Value {
        &self.input().schema
    }

    /// Returns the schema of the structured output, always an object: other types are wrapped as `result`. `None` for a
    /// tool that returns nothing, a text or content.
    ///
    /// Its objects are open, unless their type has `#[serde(deny_unknown_fields)]`: clients do not fail if a later
    /// version returns more.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_k(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_k").build().unwrap();
    /// let tool = registry.get("send_k").unwrap();
    /// assert_eq!(tool.output_schema().unwrap()["required"][0], "result");
    /// ```
    pub fn output_schema(&self) -> Option<&Value> {
        self.output().map(|output| &output.schema)
    }

    /// Returns the [schema of the arguments](Self::input_schema) as compact JSON. A dynamic tool stores this text.
    ///
    /// ```
    /// use tool_core::ToolDefinition;
    ///
    /// let ping = ToolDefinition::builder("ping", "Answers.").build().unwrap();
    /// assert_eq!(ping.input_schema_text(), ping.input_schema().to_string());
    /// ```
    pub fn input_schema_text(&self) -> Cow<'_, str> {
        match &self.whole().origin {
            Origin::Custom(schemas) => schemas.input_text().into(),
            Origin::Declared(_) => self.input_schema().to_string().into(),
        }
    }

    /// Returns the [schema of the structured output](Self::output_schema) as compact JSON, if there is one.
    ///
    /// ```
    /// use tool_core::ToolDefinition;
    ///
    /// let ping = ToolDefinition::builder("ping", "Answers.").build().unwrap();
    /// assert_eq!(ping.output_schema_text(), None);
    /// ```
    pub fn output_schema_text(&self) -> Option<Cow<'_, str>> {
        match &self.whole().origin {
            Origin::Custom(schemas) => schemas.output_text().map(Cow::from),
            Origin::Declared(_) => self.output_schema().map(|schema| schema.to_string().into()),
        }
    }

    /// Returns a copy whose parsed schemas are dropped with it, for iterating over very many tools.
    ///
    /// The schemas of dynamic tools are stored as text. Parsed schemas and documentation are created on first use and
    /// stay, which takes seven times as much memory: a list of ten thousand tools would keep all of them.
    ///
    /// ```
    /// use tool_core::ToolDefinition;
    ///
    /// let ping = ToolDefinition::builder("ping", "Answers.").build().unwrap();
    /// assert!(ping.detached().inputs().is_empty());
    /// assert_eq!(ping.detached().digest(), ping.digest());
    /// ```
    #[must_use]
    pub fn detached(&self) -> Self {
        let whole = self.whole();
        let Origin::Custom(schemas) = &whole.origin else { return self.clone() };
        let Some(schemas) = schemas.detached() else { return self.clone() };
        let detached = ToolDefinition::custom(whole.facts.clone(), Origin::Custom(schemas));
        if let Some(digest) = whole.digest.get() {
            detached.whole().digest.get_or_init(|| *digest);
        }
        detached
    }

    /// Returns `true` if both handles share the same definition. Definitions that were built separately are different,
    /// even if they are equal.
    ///
    /// ```
    /// use tool_core::ToolDefinition;
    ///
    /// let ping = ToolDefinition::builder("ping", "Answers.").build().unwrap();
    /// assert!(ping.ptr_eq(&ping.clone()) && !ping.ptr_eq(&ping.detached()));
    /// ```
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }

    /// Identifies the definition.
    pub(crate) fn address(&self) -> (usize, u32) {
        match &self.0 {
            Inner::Declared(declared) => declared.address(),
            Inner::Custom(whole) => (Arc::as_ptr(whole).addr(), 0),
        }
    }

    /// Returns the inputs in a simpler form than JSON Schema, for people and scripts.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_l(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_l").build().unwrap();
    /// let tool = registry.get("send_l").unwrap();
    /// assert_eq!(tool.inputs()[0].description.as_deref(), Some("To whom."));
    /// ```
    pub fn inputs(&self) -> &[NativeSchema] {
        self.input().native()
    }

    /// Returns the unwrapped output in a simpler form than JSON Schema, if it has a schema.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_m(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_m").build().unwrap();
    /// let tool = registry.get("send_m").unwrap();
    /// assert_eq!(tool.outputs().unwrap().kind, "integer");
    /// ```
    pub fn outputs(&self) -> Option<&NativeSchema> {
        self.output().map(|output| &output.native)
    }

    /// Returns the name of the output type, if it has a schema: the schemars name of a Rust type, or the `title` of a
    /// custom schema.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Postage {
    ///     cents: u32,
    /// }
    ///
    /// /// Weighs a letter.
    /// #[tool(operation = Transform)]
    /// fn weigh_letter(/** In grams. */ weight: u32) -> Postage {
    ///     Postage { cents: weight * 5 }
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "weigh_letter").build().unwrap();
    /// assert_eq!(registry.get("weigh_letter").unwrap().output_type(), Some("Postage"));
    /// ```
    pub fn output_type(&self) -> Option<&str> {
        self.output().and_then(|output| output.name.as_deref())
    }

    /// Returns the example calls: fenced blocks of the language `tool` in the doc comment. The values of secret inputs
    /// are replaced.
    ///
    /// ````
    /// # use tool_core::{Registry, tool};
    /// /// Adds what is paid.
    /// ///
    /// /// ```tool
    /// /// {"amounts": [3, 4]}
    /// /// ```
    /// #[tool(operation = Transform)]
    /// fn add_up(/** In cents. */ amounts: Vec<u32>) -> u32 {
    ///     amounts.iter().sum()
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "add_up").build().unwrap();
    /// let tool = registry.get("add_up").unwrap();
    /// assert_eq!(tool.description(), "Adds what is paid.");
    /// assert_eq!(tool.examples(), [serde_json::json!({"amounts": [3, 4]})]);
    /// ````
    pub fn examples(&self) -> &[Value] {
        &self.input().examples
    }

    /// Returns the inputs of a declared tool; none for a dynamic tool.
    pub(crate) fn input_specs(&self) -> &[&'static InputSpec] {
        self.whole().origin.declared().map_or(&[], |declared| &declared.inputs)
    }

    /// Returns the examples in the doc comment of a declared tool.
    pub(crate) fn documented_examples(&self) -> &[Example] {
        self.whole().origin.declared().map_or(&[], |declared| &declared.examples)
    }

    /// Returns the first valid example, or one generated from the schema, and whether it is short enough for a message.
    pub(crate) fn chosen_example(&self, is_valid: fn(&Self, &Value) -> bool) -> &(Value, bool) {
        self.whole().example.get_or_init(|| {
            let made = self.input().example();
            let mut candidates = self.examples().iter().chain([made]);
            match candidates.find(|call| is_valid(self, call)) {
                Some(valid) => Box::new((valid.clone(), size::take(&mut { MAX_EXAMPLE_LENGTH }, valid))),
                None => Box::new((made.clone(), false)),
            }
        })
    }

    /// Returns the digest of the definition.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Nothing much.
    /// #[tool(operation = Explain)]
    /// fn digested() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "digested").build().unwrap();
    /// let digest = registry.get("digested").unwrap().digest();
    /// assert_eq!(digest, registry.get("digested").unwrap().digest());
    /// ```
    pub fn digest(&self) -> Digest {
        let of = || promise::digest(self, self.input_schema(), self.output_schema());
        *self.whole().digest.get_or_init(of)
    }

    /// Computes the digest while the schemas are available as values.
    pub(super) fn digested(&self, input: &Value, output: Option<&Value>) {
        self.whole().digest.get_or_init(|| promise::digest(self, input, output));
    }

    /// Returns the completion function of an input.
    pub(crate) fn completion(&self, input: &str) -> Option<CompleteFn> {
        let declared = self.whole().origin.declared()?;
        declared.inputs.iter().find(|spec| spec.name == input)?.complete
    }

    /// Returns the layout of the arguments of a declared tool.
    pub(crate) fn argument_layout(&self) -> &ArgumentLayout {
        self.whole().origin.argument_layout()
    }

    /// Returns the kind of a return value without a schema, for a declared tool.
    pub(crate) fn returns_untyped(&self) -> Option<Untyped> {
        self.whole().origin.declared()?.returns_untyped()
    }

    pub(crate) fn validator(&self) -> Result<&Validator, &str> {
        let validator =
            self.whole().validator.get_or_init(|| Validator::new(self.input_schema()).map(Box::new));
        validator.as_deref().map_err(String::as_str)
    }

    /// Validates an output against the output schema, and returns at most twenty problems; none without a schema. Calls
    /// of a dynamic tool are validated anyway, and fail with an internal error. Call this first if a tool forwards the
    /// output of somebody else and can report more.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Output, ToolDefinition};
    ///
    /// let schema = json!({"type": "object", "properties": {"euro": {"type": "number"}}, "required": ["euro"]});
    /// let price = ToolDefinition::builder("price", "A price.").output_schema(schema).build().unwrap();
    /// let problems = price.output_problems(&Output::json(&json!({"euro": "5"})).unwrap());
    /// assert_eq!(problems[0].path, "/euro");
    /// assert_eq!(price.output_problems(&Output::text("5"))[0].message, "it has no structured output");
    /// ```
    pub fn output_problems(&self, output: &Output) -> Vec<Problem> {
        let Some(validator) = self.output_validator() else { return Vec::new() };
        let Some(text) = output.structured_text() else {
            return vec![Problem::new("", "type", "it has no structured output")];
        };
        match serde_json::from_str(text).ok() {
            None => vec![Problem::new("", "depth", "it is nested too deeply to be held against its schema")],
            Some(value) => validator.check(&value).err().unwrap_or_default(),
        }
    }

    /// Returns the validator of outputs; `None` without a schema, or if it is invalid, which
    /// [`Registry::check`](crate::Registry) reports.
    pub(crate) fn output_validator(&self) -> Option<&Validator> {
        let compile = || {
            let schema = self.output_schema()?;
            Validator::with(schema, Formats::Described).ok().map(Box::new)
        };
        self.whole().output_validator.get_or_init(compile).as_deref()
    }

    /// Returns `true` if creating a schema or a default panicked: the tool is listed, but every call fails.
    pub(crate) fn broken(&self) -> bool {
        self.argument_layout().broken
    }

    pub(crate) fn input(&self) -> &InputSchema {
        self.whole().origin.input()
    }

    /// Returns the schema of the output, if it has one.
    pub(crate) fn output(&self) -> Option<&OutputSchema> {
        self.whole().origin.output()
    }
}
