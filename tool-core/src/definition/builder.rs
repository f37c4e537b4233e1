//! The builder for definitions of dynamic tools.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::declare::source::Source;
use crate::definition::ToolDefinition;
use crate::definition::facts::Facts;
use crate::definition::fault::{DefinitionError, DefinitionFault};
use crate::definition::origin::Origin;
use crate::definition::parameter::{self, Parameter};
use crate::definition::schema_text::CustomSchemas;
use crate::definition::surface;
use crate::definition::task;
use crate::model::meta;
use crate::model::operation::{Annotations, Operation};
use crate::model::permission::Permission;
use crate::model::setters::setters;
use crate::model::task::TaskOptions;
use crate::model::ui::Ui;
use crate::schema::subschemas::requires;
use crate::schema::{Untrusted, has_secret};

/// The maximum number of characters of a name (MCP, tools).
const MAX_NAME_LENGTH: usize = 128;

/// The maximum size of a description in bytes.
const MAX_DESCRIPTION_LENGTH: usize = 32 * 1024;

/// Builds the definition of a [dynamic tool](crate::Tool).
///
/// Schemas are published unchanged. They must be JSON Schema 2020-12, or the part of draft-07 that means the same. See
/// [`SchemaFault`](crate::schema::SchemaFault) for everything that is rejected, including schemas that are too
/// expensive to validate.
///
/// ```
/// use serde_json::json;
/// use tool_core::{Operation, ToolDefinition};
///
/// let definition = ToolDefinition::builder("get_price", "The price of an article.")
///     .operation(Operation::Read)
///     .input_schema(json!({
///         "type": "object",
///         "properties": {"article": {"type": "string", "description": "Its number."}},
///         "required": ["article"],
///         "additionalProperties": false,
///     }))
///     .output_schema(json!({"type": "object", "properties": {"euro": {"type": "number"}}, "required": ["euro"]}))
///     .build()
///     .unwrap();
/// assert_eq!(definition.inputs()[0].description.as_deref(), Some("Its number."));
/// assert!(!definition.modifies());
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct ToolDefinitionBuilder {
    facts: Facts,
    input_schema: Untrusted,
    /// Replaces the schema.
    parameters: Option<Vec<Parameter>>,
    output_schema: Option<Untrusted>,
    examples: Vec<Untrusted>,
}

impl ToolDefinition {
    /// Starts a definition with its required parts.
    ///
    /// ```
    /// use tool_core::ToolDefinition;
    ///
    /// let ping = ToolDefinition::builder("ping", "Answers.").build().unwrap();
    /// assert_eq!(ping.input_schema()["additionalProperties"], false);
    /// assert!(ping.annotations().is_none() && ping.modifies() && ping.destructive());
    /// ```
    #[track_caller]
    pub fn builder(name: impl Into<String>, description: impl Into<String>) -> ToolDefinitionBuilder {
        ToolDefinitionBuilder {
            facts: Facts::custom(name.into(), description.into(), source(Location::caller())),
            input_schema: Untrusted::new(
                json!({"type": "object", "properties": {}, "additionalProperties": false}),
            ),
            parameters: None,
            output_schema: None,
            examples: Vec::new(),
        }
    }
}

impl ToolDefinitionBuilder {
    setters! {
        /// Sets the title for people.
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// let ping = ToolDefinition::builder("ping", "Answers.").title("Ping").build().unwrap();
        /// assert_eq!(ping.title(), Some("Ping"));
        /// ```
        pub fn title(title: impl Into<String>) => facts.title = Some(Cow::Owned(title.into()));

        /// Sets the provider of the tool, such as the service that it calls. Lists on the command line show it.
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// let ping = ToolDefinition::builder("ping", "Answers.").provider("library").build().unwrap();
        /// assert_eq!(ping.provider(), Some("library"));
        /// ```
        pub fn provider(provider: impl Into<String>) => facts.provider = Some(Cow::Owned(provider.into()));

        /// Sets the operation. A tool without one counts as modifying and destructive.
        ///
        /// With an operation, all four hints are published. Those not set with [`annotations`](Self::annotations) follow
        /// from it; a modifying tool is then destructive.
        ///
        /// ```
        /// # use tool_core::{Operation, ToolDefinition};
        /// let ping = ToolDefinition::builder("ping", "Answers.").operation(Operation::Explain).build().unwrap();
        /// assert_eq!(ping.annotations().unwrap().read_only_hint, Some(true));
        /// ```
        pub fn operation(operation: Operation) => facts.operation = Some(operation);

        /// Sets the hints for clients. Without an [operation](Self::operation), they are published but otherwise ignored.
        ///
        /// ```
        /// # use tool_core::{Annotations, Operation, ToolDefinition};
        /// let builder = ToolDefinition::builder("send", "Sends a letter.").operation(Operation::Trigger);
        /// let hints = Annotations { destructive_hint: Some(false), ..Annotations::default() };
        /// let send = builder.annotations(hints).build().unwrap();
        /// assert!(!send.destructive());
        /// assert_eq!(send.annotations().unwrap().open_world_hint, Some(true));
        /// ```
        pub fn annotations(annotations: Annotations) => facts.annotations = Some(annotations);

        /// Sets the permissions that a caller must have.
        ///
        /// ```
        /// # use tool_core::{Permission, ToolDefinition};
        /// let builder = ToolDefinition::builder("ping", "Answers.").permission(Permission::all(["ping"]));
        /// assert!(builder.build().unwrap().permission().is_some());
        /// ```
        pub fn permission(permission: Permission) => facts.permission = Some(permission);
    }

    /// Sets the tags, for grouping and filtering.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// let ping = ToolDefinition::builder("ping", "Answers.").tags(["net", "test"]).build().unwrap();
    /// assert_eq!(ping.tags().collect::<Vec<_>>(), ["net", "test"]);
    /// ```
    pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.facts.tags.extend(tags.into_iter().map(|tag| Cow::Owned(tag.into())));
        self
    }

    setters! {
        /// Sets the path of the result, for an `Explain` or `Read` whose inputs are all variables of the path: required
        /// strings or integers.
        ///
        /// ```
        /// # use serde_json::json;
        /// # use tool_core::{Operation, ToolDefinition};
        /// # use tool_core::address::Surface;
        /// let note = ToolDefinition::builder("get_note", "A note.")
        ///     .operation(Operation::Read)
        ///     .input_schema(json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}))
        ///     .path("note/{id}")
        ///     .build()
        ///     .unwrap();
        /// assert!(matches!(Surface::of(&note), Surface::ResourceTemplate(_)));
        /// ```
        pub fn path(path: impl Into<String>) => facts.path = Some(Cow::Owned(path.into()));

        /// Sets the time limit of a call.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::ToolDefinition;
        /// let ping = ToolDefinition::builder("ping", "Answers.").timeout(Duration::from_secs(5)).build().unwrap();
        /// assert_eq!(ping.timeout(), Some(Duration::from_secs(5)));
        /// ```
        pub fn timeout(timeout: Duration) => facts.timeout = Some(timeout);

        /// Sets metadata for clients: see [`ToolDefinition::meta`].
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// let meta = serde_json::Map::from_iter([("com.example/owner".to_owned(), "web".into())]);
        /// let ping = ToolDefinition::builder("ping", "Answers.").meta(meta).build().unwrap();
        /// assert_eq!(ping.meta().unwrap()["com.example/owner"], "web");
        /// ```
        pub fn meta(meta: Map<String, Value>) => facts.meta = Some(meta);

        /// Sets the page that MCP clients show for a call: see [`Ui`].
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// # use tool_core::ui::Ui;
        /// let page = Ui::new("<!doctype html><title>Ping</title>");
        /// let ping = ToolDefinition::builder("ping", "Answers.").ui(page.clone()).build().unwrap();
        /// assert_eq!(ping.ui(), Some(&page));
        /// ```
        pub fn ui(ui: Ui) => facts.ui = Some(ui);

        /// Lets callers run the tool as a task, which must be a `Trigger` without secret inputs. With retries, it must be safe
        /// to run it twice: by [`Context::task`](crate::Context::task), it has the key of its task.
        ///
        /// ```
        /// # use tool_core::{Operation, ToolDefinition};
        /// use tool_core::tasks::{TaskOptions, TaskSupport};
        ///
        /// let export = ToolDefinition::builder("export", "Exports all pages.").operation(Operation::Trigger);
        /// let export = export.task(TaskOptions::new(TaskSupport::Optional)).build().unwrap();
        /// assert_eq!(export.task().unwrap().support, TaskSupport::Optional);
        /// ```
        pub fn task(options: TaskOptions) => facts.task = Some(options);
    }

    /// Sets the schema of the arguments, published unchanged. Without one, the tool takes no inputs.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// let schema = serde_json::json!({"type": "object", "properties": {"n": {"type": "integer", "x-unit": "cm"}}});
    /// let tool = ToolDefinition::builder("cut", "Cuts.").input_schema(schema.clone()).build().unwrap();
    /// assert_eq!(*tool.input_schema(), schema);
    /// ```
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = Untrusted::new(schema);
        self.parameters = None;
        self
    }

    setters! {
        /// Sets the inputs one by one, instead of a [schema](Self::input_schema). Other inputs are rejected.
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// # use tool_core::definition::{Parameter, ParameterType};
        /// let n = Parameter::new("n", ParameterType::Integer).required();
        /// let square = ToolDefinition::builder("square", "Squares.").parameters([n]).build().unwrap();
        /// assert_eq!(square.inputs()[0].name.as_deref(), Some("n"));
        /// ```
        pub fn parameters(parameters: impl IntoIterator<Item = Parameter>) => parameters = Some(parameters.into_iter().collect());

        /// Sets the schema of the structured output, an object. A call whose output is invalid fails with an internal
        /// error, and the reason is logged.
        ///
        /// ```
        /// # use tool_core::ToolDefinition;
        /// let schema = serde_json::json!({"type": "object", "properties": {"result": {"type": "integer"}}});
        /// let tool = ToolDefinition::builder("count", "Counts.").output_schema(schema).build().unwrap();
        /// assert!(tool.output_schema().is_some());
        /// ```
        pub fn output_schema(schema: Value) => output_schema = Some(Untrusted::new(schema));
    }

    /// Adds example arguments. The first example is shown to a caller with invalid arguments.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use tool_core::ToolDefinition;
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    /// let tool = ToolDefinition::builder("square", "Squares.").input_schema(schema).example(json!({"n": 4}));
    /// assert_eq!(*tool.build().unwrap().example(), json!({"n": 4}));
    /// ```
    pub fn example(mut self, arguments: Value) -> Self {
        self.examples.push(Untrusted::new(arguments));
        self
    }

    /// Builds the definition.
    ///
    /// # Errors
    ///
    /// The first fault; see [`DefinitionFault`].
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// assert!(ToolDefinition::builder("..", "Goes up.").build().is_err());
    /// ```
    pub fn build(self) -> Result<ToolDefinition, DefinitionError> {
        let name = self.facts.name.clone();
        self.checked().map_err(|fault| DefinitionError::new(name.into_owned(), fault))
    }

    /// Applies a setter if there is a value.
    pub(super) fn maybe<T>(self, given: Option<T>, with: impl FnOnce(Self, T) -> Self) -> Self {
        match given {
            Some(value) => with(self, value),
            None => self,
        }
    }

    pub(super) fn at(mut self, location: &'static Location<'static>) -> Self {
        self.facts.location = source(location);
        self
    }

    fn checked(self) -> Result<ToolDefinition, DefinitionFault> {
        let mut facts = self.facts;
        check_name(&facts.name)?;
        facts.description = Cow::Owned(facts.description.trim().to_owned());
        if facts.description.is_empty() {
            return Err(DefinitionFault::NoDescription);
        }
        if facts.description.len() > MAX_DESCRIPTION_LENGTH {
            return Err(DefinitionFault::LongDescription { most: MAX_DESCRIPTION_LENGTH });
        }
        if let Some(permission) = &facts.permission {
            permission.check().map_err(DefinitionFault::Permission)?;
        }
        facts.annotations = annotations(facts.operation, facts.annotations)?;
        let by_parameters = self.parameters.is_some();
        let schema = self.parameters.map_or(Ok(self.input_schema), parameter::schema_of)?;
        let mut schema = schema.into_checked().map_err(DefinitionFault::InputSchema)?;
        if by_parameters {
            parameter::check_defaults(&schema)?;
            parameter::conceal_defaults(&mut schema);
        }
        facts.meta.as_ref().map_or(Ok(()), meta::check).map_err(DefinitionFault::Meta)?;
        facts.ui.as_ref().map_or(Ok(()), Ui::check).map_err(DefinitionFault::Ui)?;
        task::check(&facts, &schema).map_err(DefinitionFault::Task)?;
        let output = self.output_schema.map(Untrusted::into_checked).transpose();
        let output = output.map_err(DefinitionFault::OutputSchema)?;
        let examples = self.examples.into_iter().map(|example| example.into_valid(&schema));
        let examples = examples.collect::<Result<_, _>>().map_err(DefinitionFault::Example)?;
        let locators = facts.path.as_deref().map(|path| locators(path, &schema)).unwrap_or_default();
        let schemas = CustomSchemas::new(&schema, output.as_ref(), examples, locators);
        let definition = ToolDefinition::custom(facts, Origin::Custom(schemas));
        definition.digested(&schema, output.as_ref());
        surface::fault(&definition).map_or(Ok(definition), |fault| Err(DefinitionFault::Path(fault)))
    }
}

impl fmt::Debug for ToolDefinitionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDefinitionBuilder").field("name", &self.facts.name).finish_non_exhaustive()
    }
}

fn source(location: &'static Location<'static>) -> Source<'static> {
    Source { file: location.file(), line: location.line(), module: "" }
}

fn check_name(name: &str) -> Result<(), DefinitionFault> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    // Names appear in HTTP paths, where `.` and `..` have a meaning.
    let is_name = name.bytes().all(allowed) && !name.bytes().all(|b| b == b'.');
    if is_name && name.len() <= MAX_NAME_LENGTH { Ok(()) } else { Err(DefinitionFault::Name) }
}

/// Returns the variables of the path that are required strings or integers, and no secrets: addresses are logged.
fn locators(path: &str, schema: &Value) -> Vec<String> {
    let is_locator = |name: &str| {
        let kind = schema["properties"][name]["type"].as_str();
        let is_secret = has_secret(&schema["properties"][name]);
        requires(schema, name) && matches!(kind, Some("string" | "integer")) && !is_secret
    };
    let variables = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    variables.filter(|name| is_locator(name)).map(str::to_owned).collect()
}

/// Returns the hints to publish: the given ones, completed from the operation.
fn annotations(
    operation: Option<Operation>,
    given: Option<Annotations>,
) -> Result<Option<Annotations>, DefinitionFault> {
    let Some(operation) = operation else { return Ok(given) };
    let modifies = operation.modifies();
    let given = given.unwrap_or_default();
    let hints = Annotations {
        read_only_hint: given.read_only_hint.or(Some(!modifies)),
        destructive_hint: given.destructive_hint.or(Some(modifies)),
        idempotent_hint: given.idempotent_hint.or(Some(operation.idempotent_by_default())),
        open_world_hint: given.open_world_hint.or(Some(true)),
    };
    let always_idempotent = matches!(operation, Operation::Explain | Operation::Read);
    if hints.read_only_hint != Some(!modifies) {
        Err(DefinitionFault::Contradiction("a tool is read only unless it is a `Trigger` or a `Write`"))
    } else if hints.destructive_hint == Some(true) && !modifies {
        Err(DefinitionFault::Contradiction("only a `Trigger` or a `Write` can be destructive"))
    } else if hints.idempotent_hint == Some(false) && always_idempotent {
        Err(DefinitionFault::Contradiction("an `Explain` and a `Read` are always idempotent"))
    } else {
        Ok(Some(hints))
    }
}
