//! What a tool takes and returns: computed on first use, since most of it is never asked for.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::declare::completion::CompleteFn;
use crate::declare::entry::Entry;
use crate::declare::input::InputSpec;
use crate::declare::layout::ArgumentLayout;
use crate::declare::returns::Untyped;
use crate::definition::compose::{InputSchema, OutputSchema};
use crate::definition::documentation::Example;
use crate::definition::origin::Origin;
use crate::definition::promise;
use crate::definition::{Inner, ToolDefinition};
use crate::model::digest::Digest;
use crate::model::output::Output;
use crate::schema::problem::Problem;
use crate::schema::{Formats, NativeSchema, Validator};

/// An example of more bytes than this is not told to a caller whose input was wrong.
const MAX_EXAMPLE_LENGTH: usize = 4 * 1024;

impl ToolDefinition {
    /// The schema of the arguments (JSON Schema 2020-12), in the normal form of this crate: an object, closed, without
    /// references but to recursive types, optional inputs without `null`.
    ///
    /// An object within it is closed, too, where its type names its members: `additionalProperties` is `false`. A map and a
    /// schema that names none stay open.
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

    /// The schema of the structured output, always an object: another type stands under `result`. `None` for a tool
    /// that returns nothing, a text or content.
    ///
    /// Objects in it are open unless their type says otherwise (`#[serde(deny_unknown_fields)]`): a client does not fail when
    /// a later version returns more.
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

    /// The [schema of the arguments](Self::input_schema) as compact JSON. Of a tool that is written by hand it is there
    /// already.
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

    /// The [schema of the structured output](Self::output_schema) as compact JSON, where there is one.
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

    /// The same definition, for whoever looks at very many once: what is made of its schemas on the way goes with it.
    ///
    /// The schemas of a tool that is written by hand are kept as text. What is asked for as a value, or in other words, is made
    /// on first use and stays, which is seven times as much: a list of ten thousand tools would keep it of each.
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

    /// Whether both are one definition: what is made of the one is there for the other. Two that were built apart are not one,
    /// however alike.
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

    /// Another one for each definition that is there.
    pub(crate) fn address(&self) -> (usize, u32) {
        match &self.0 {
            Inner::Declared(declared) => declared.address(),
            Inner::Custom(whole) => (Arc::as_ptr(whole).addr(), 0),
        }
    }

    /// The inputs without JSON Schema, for people and scripts.
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

    /// The bare output without JSON Schema, where it has a schema.
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

    /// What the author calls the type of the output, where it has a schema: the name of the Rust type as schemars has it,
    /// and the `title` of a schema that was written by hand.
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

    /// The calls that its author gives as examples: fenced blocks of the language `tool` in its doc comment. The values of
    /// secret inputs are replaced.
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

    /// Returns the inputs of a declared tool; none of one that is not.
    pub(crate) fn input_specs(&self) -> &[&'static InputSpec] {
        self.whole().origin.declared().map_or(&[], |declared| &declared.inputs)
    }

    /// Returns the examples as they stand in the doc comment of a declared tool.
    pub(crate) fn documented_examples(&self) -> &[Example] {
        self.whole().origin.declared().map_or(&[], |declared| &declared.examples)
    }

    /// Returns the first example that is valid, and whether it is short enough to be shown; the one that is made of the schema
    /// where none is.
    pub(crate) fn chosen_example(&self, is_valid: fn(&Self, &Value) -> bool) -> &(Value, bool) {
        self.whole().example.get_or_init(|| {
            let made = self.input().example();
            let mut candidates = self.examples().iter().chain([made]);
            match candidates.find(|call| is_valid(self, call)) {
                Some(valid) => Box::new((
                    valid.clone(),
                    crate::schema::json::size::take(&mut { MAX_EXAMPLE_LENGTH }, valid),
                )),
                None => Box::new((made.clone(), false)),
            }
        })
    }

    /// The identity of everything that this definition promises.
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

    /// Computes the digest while the schemas are there as values.
    pub(super) fn digested(&self, input: &Value, output: Option<&Value>) {
        self.whole().digest.get_or_init(|| promise::digest(self, input, output));
    }

    /// What proposes values for an input, where something does.
    pub(crate) fn completion(&self, input: &str) -> Option<CompleteFn> {
        let declared = self.whole().origin.declared()?;
        declared.inputs.iter().find(|spec| spec.name == input)?.complete
    }

    /// What a declared tool is entered by.
    pub(crate) fn entry(&self) -> Option<Entry> {
        self.declaration().map(|declaration| declaration.entry)
    }

    /// What reading the arguments of a declared tool needs to know.
    pub(crate) fn argument_layout(&self) -> &ArgumentLayout {
        self.whole().origin.argument_layout()
    }

    /// What a declared tool returns where that has no schema.
    pub(crate) fn returns_untyped(&self) -> Option<Untyped> {
        self.whole().origin.declared()?.returns_untyped()
    }

    pub(crate) fn validator(&self) -> Result<&Validator, &str> {
        let validator =
            self.whole().validator.get_or_init(|| Validator::new(self.input_schema()).map(Box::new));
        validator.as_deref().map_err(String::as_str)
    }

    /// What about an output is not as the output schema says: at most twenty problems, none where there is no schema. A call
    /// of a hand-written tool checks this by itself, and fails as an internal error; one that can say more about it, since the
    /// output is somebody else's, looks first.
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

    /// What checks outputs; `None` where there is no schema, or one that is a fault of [`Registry::check`](crate::Registry).
    pub(crate) fn output_validator(&self) -> Option<&Validator> {
        let compile = || {
            let schema = self.output_schema()?;
            Validator::with(schema, Formats::Described).ok().map(Box::new)
        };
        self.whole().output_validator.get_or_init(compile).as_deref()
    }

    /// Whether the code that makes the schema or a default panicked: such a tool is listed, and every call of it fails.
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
