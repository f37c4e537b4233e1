//! A tool as everybody sees it: what it is called, does, takes and returns.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::call::reader::InputPlan;
use crate::call::{Panicked, contained};
use crate::declaration::Declaration;
use crate::digest::Digest;
use crate::entry::{Call, Entry, Step};
use crate::failure::Problem;
use crate::inject::Needs;
use crate::input::{InputSpec, Visitor};
use crate::operation::{Annotations, Operation};
use crate::returns::Returned;
use crate::schema::{InputSchema, NativeSchema, OutputSchema, Validator};
use crate::state::States;

/// The definition of one tool. Its schemas and its digest are computed on first use.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Adds two numbers.
/// #[tool(operation = Transform, open_world = false)]
/// fn add(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "add").build().unwrap();
/// let add = registry.get("add").unwrap();
/// assert_eq!(add.description(), "Adds two numbers.");
/// assert_eq!(add.input_schema()["required"], serde_json::json!(["a", "b"]));
/// assert_eq!(add.output_schema().unwrap()["properties"]["result"]["type"], "integer");
/// ```
#[derive(Debug)]
pub struct ToolDefinition {
    declaration: &'static Declaration,
    annotations: Annotations,
    inputs: Vec<&'static InputSpec>,
    needs: Needs,
    returned: Returned,
    plan: OnceLock<Vec<InputPlan>>,
    input: OnceLock<InputSchema>,
    output: OnceLock<Option<OutputSchema>>,
    validator: OnceLock<Result<Validator, String>>,
    digest: OnceLock<Digest>,
    /// Whether the example is what the tool takes: where a pattern is all that is known, it is a guess.
    example_is_valid: OnceLock<bool>,
}

impl ToolDefinition {
    pub(crate) fn new(declaration: &'static Declaration) -> Self {
        let mut inputs = Vec::new();
        let mut needs = Needs::default();
        let mut call = Call::Describe(Visitor { inputs: &mut inputs, needs: &mut needs });
        let returned = match (declaration.entry)(&mut call) {
            Step::Described(returned) => returned,
            // `run` and its siblings answer `Describe` in this one way.
            Step::Valid | Step::Invalid | Step::Done(_) | Step::Running(_) => Returned::Nothing,
        };
        ToolDefinition {
            declaration,
            annotations: declaration.annotations(),
            inputs,
            needs,
            returned,
            plan: OnceLock::new(),
            input: OnceLock::new(),
            output: OnceLock::new(),
            validator: OnceLock::new(),
            digest: OnceLock::new(),
            example_is_valid: OnceLock::new(),
        }
    }

    /// The name on the wire.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Nothing much.
    /// #[tool(operation = Explain, name = "say.nothing")]
    /// fn nothing() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "say.nothing").build().unwrap();
    /// assert_eq!(registry.get("say.nothing").unwrap().name(), "say.nothing");
    /// ```
    pub fn name(&self) -> &str {
        self.declaration.name
    }

    /// The name for people, where one was declared.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_a(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_a").build().unwrap();
    /// let tool = registry.get("send_a").unwrap();
    /// assert_eq!(tool.title(), Some("Send"));
    /// ```
    pub fn title(&self) -> Option<&str> {
        self.declaration.title
    }

    /// What the tool does, in the words of its doc comment.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_b(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_b").build().unwrap();
    /// let tool = registry.get("send_b").unwrap();
    /// assert_eq!(tool.description(), "Sends a letter.");
    /// ```
    pub fn description(&self) -> &str {
        self.declaration.description
    }

    /// The kind of thing that the tool does; `None` for a hand-written tool that does not say.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_c(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_c").build().unwrap();
    /// let tool = registry.get("send_c").unwrap();
    /// assert_eq!(tool.operation(), Some(tool_core::Operation::Trigger));
    /// ```
    pub fn operation(&self) -> Option<Operation> {
        Some(self.declaration.operation)
    }

    /// What a client may assume about the tool; `None` for a hand-written tool without hints.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_d(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_d").build().unwrap();
    /// let tool = registry.get("send_d").unwrap();
    /// assert_eq!(tool.annotations().unwrap().read_only_hint, Some(false));
    /// ```
    pub fn annotations(&self) -> Option<&Annotations> {
        Some(&self.annotations)
    }

    /// Whether the tool changes something. One that does not say its operation counts as modifying.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_e(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_e").build().unwrap();
    /// let tool = registry.get("send_e").unwrap();
    /// assert!(tool.modifies());
    /// ```
    pub fn modifies(&self) -> bool {
        self.operation().is_none_or(Operation::modifies)
    }

    /// Whether the tool may destroy or overwrite. One that does not say counts as destructive.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_f(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_f").build().unwrap();
    /// let tool = registry.get("send_f").unwrap();
    /// assert!(!tool.destructive());
    /// ```
    pub fn destructive(&self) -> bool {
        self.annotations().and_then(|hints| hints.destructive_hint).unwrap_or(true)
    }

    /// Whether the same call again has no further effect.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_g(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_g").build().unwrap();
    /// let tool = registry.get("send_g").unwrap();
    /// assert!(!tool.idempotent());
    /// ```
    pub fn idempotent(&self) -> bool {
        self.annotations().and_then(|hints| hints.idempotent_hint).unwrap_or(false)
    }

    /// Whether the tool reaches entities outside this system.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_h(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_h").build().unwrap();
    /// let tool = registry.get("send_h").unwrap();
    /// assert!(tool.open_world());
    /// ```
    pub fn open_world(&self) -> bool {
        self.annotations().and_then(|hints| hints.open_world_hint).unwrap_or(true)
    }

    /// Where the tool was declared.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_i(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_i").build().unwrap();
    /// let tool = registry.get("send_i").unwrap();
    /// assert!(tool.source().line > 0);
    /// ```
    pub fn source(&self) -> Source<'_> {
        let location = self.declaration.location;
        Source { file: location.file(), line: location.line(), module: self.declaration.module }
    }

    /// The schema of the arguments (JSON Schema 2020-12), in the normal form of this crate: an object, closed, without
    /// references but to recursive types, optional inputs without `null`.
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
        &self.input().native
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

    /// A minimal call, made from declared examples, defaults and the schema, in this order. Where a pattern is all that is
    /// known of a required input it is a guess: declare an example there.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false, title = "Send")]
    /// fn send_n(/** To whom. */ to: String) -> u8 {
    ///     to.len() as u8
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "send_n").build().unwrap();
    /// let tool = registry.get("send_n").unwrap();
    /// assert_eq!(*tool.example(), serde_json::json!({"to": "text"}));
    /// ```
    pub fn example(&self) -> &Value {
        &self.input().example
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
        *self.digest.get_or_init(|| {
            Digest::of(&json!({
                "name": self.name(),
                "title": self.title(),
                "description": self.description(),
                "operation": self.operation(),
                "annotations": self.annotations(),
                "inputSchema": self.input_schema(),
                "outputSchema": self.output_schema(),
            }))
        })
    }

    /// Everything that is wrong with the declaration and shows only when its schema is made.
    pub(crate) fn faults(&self) -> Vec<String> {
        let input = self.input();
        let mut faults = input.faults.clone();
        if self.description().is_empty() {
            faults.push("it has no description".to_owned());
        }
        match self.validator() {
            Err(error) => faults.push(format!("the input schema is invalid: {error}")),
            Ok(_) if self.broken() => {}
            Ok(_) => faults.extend(self.faults_of_values()),
        }
        if let Some(Err(error)) = self.output_schema().map(Validator::new) {
            faults.push(format!("the output schema is invalid: {error}"));
        }
        faults
    }

    /// Defaults and examples that a call could not have either.
    fn faults_of_values(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let input = self.input();
        for (name, schema) in input.schema["properties"].as_object().into_iter().flatten() {
            let examples = schema["examples"].as_array().into_iter().flatten();
            let values = schema.get("default").into_iter().map(|value| ("default", value));
            for (what, value) in values.chain(examples.map(|value| ("example", value))) {
                let mut arguments = input.example.clone();
                arguments[name] = value.clone();
                let call = arguments.to_string();
                let Err(failure) = crate::call::validate(self, &States::default(), call.as_bytes()) else {
                    continue;
                };
                let path = crate::schema::pointer(name);
                let concerns = |problem: &&Problem| {
                    problem
                        .path
                        .strip_prefix(&path)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                if let Some(problem) = failure.problems().iter().find(concerns) {
                    faults.push(format!("the {what} of input `{name}` is invalid: {}", problem.message));
                }
            }
        }
        faults
    }

    /// The example, unless it is a guess that went wrong.
    pub(crate) fn valid_example(&self) -> Option<&Value> {
        let is_valid = || crate::call::is_valid(self, self.example());
        self.example_is_valid.get_or_init(is_valid).then(|| self.example())
    }

    pub(crate) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(crate) fn declaration(&self) -> &'static Declaration {
        self.declaration
    }

    pub(crate) fn entry(&self) -> Entry {
        self.declaration.entry
    }

    /// What reading the arguments needs to know; cheaper than the schema, and all that a simple call takes.
    pub(crate) fn plan(&self) -> &[InputPlan] {
        self.plan.get_or_init(|| {
            let plan = |spec: &&'static InputSpec| {
                // A default that is no JSON is a fault that `Registry::check` reports; here the input is then required.
                let default = spec.default.and_then(|make| make().ok()).map(|value| value.to_string());
                InputPlan::new(spec.name, (spec.presence)(), default)
            };
            // The code of an author runs here, for defaults and for types: `broken` tells when it panicked.
            contained(|| self.inputs.iter().map(plan).collect()).unwrap_or_default()
        })
    }

    /// Whether arguments are checked before they are decoded.
    pub(crate) fn composite(&self) -> bool {
        self.input().composite
    }

    /// Whether the output stands under `result` on the wire; `None` when there is no schema that says so.
    pub(crate) fn wrapped(&self) -> Option<bool> {
        self.output().map(|output| output.wrapped)
    }

    pub(crate) fn validator(&self) -> Result<&Validator, &str> {
        self.validator.get_or_init(|| Validator::new(self.input_schema())).as_ref().map_err(String::as_str)
    }

    /// Whether the code that makes the schema or a default panicked: such a tool is listed, and every call of it fails.
    pub(crate) fn broken(&self) -> bool {
        self.input().broken || self.plan().len() != self.inputs.len()
    }

    fn input(&self) -> &InputSchema {
        self.input.get_or_init(|| {
            contained(|| InputSchema::compose(&self.inputs)).unwrap_or_else(|Panicked| InputSchema::broken())
        })
    }

    fn output(&self) -> Option<&OutputSchema> {
        self.output
            .get_or_init(|| contained(|| OutputSchema::compose(self.returned)).unwrap_or_default())
            .as_ref()
    }
}

/// Where a tool was declared.
///
/// ```
/// # use tool_core::{Registry, tool};
/// /// Nothing much.
/// #[tool(operation = Explain)]
/// fn located() {}
/// # let registry = Registry::builder().linked().select(|tool| tool.name() == "located").build().unwrap();
/// let source = registry.get("located").unwrap().source();
/// assert_eq!(source.to_string(), format!("{}:{}", source.file, source.line));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'d> {
    /// The file, as the compiler was given it.
    pub file: &'d str,
    /// The line of the function's name, counted from 1.
    pub line: u32,
    /// The module path.
    pub module: &'d str,
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
