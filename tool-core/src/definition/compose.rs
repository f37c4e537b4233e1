//! Composes the schemas of a tool from its declaration.

use std::sync::{Arc, OnceLock};

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use crate::declare::input_spec::{InputSpec, JsonFn};
use crate::declare::layout::InputLayout;
use crate::declare::presence::Presence;
use crate::declare::returns::Returned;
use crate::definition::constrain::constrain;
use crate::definition::flatten;
use crate::definition::flatten::Fields;
use crate::definition::input_docs::InputDocs;
use crate::schema::bounds::{HEADER, Untrusted};
use crate::schema::constants;
use crate::schema::defaults;
use crate::schema::example;
use crate::schema::expansion::{self, TypeSchema};
use crate::schema::guarantee::Guarantee;
use crate::schema::limits::Limits;
use crate::schema::native::{self, NativeSchema};
use crate::schema::normal::{self, Side};

/// The input schema of a tool, with what is derived from it.
#[derive(Debug, Default)]
pub(crate) struct InputSchema {
    /// The schema, in normal form for a declared tool.
    pub(crate) schema: Value,
    docs: OnceLock<InputDocs>,
    /// The locators of a dynamic tool.
    locators: Arc<[String]>,
    /// How each input appears in the arguments, in order.
    pub(crate) layout: Vec<InputLayout>,
    /// Whether some input is more complex than a scalar or a list of scalars, so that arguments are validated before
    /// they are decoded.
    pub(crate) composite: bool,
    /// The example calls of the tool.
    pub(crate) examples: Vec<Value>,
    /// Faults in the declaration of the inputs.
    pub(crate) faults: Vec<String>,
    /// Whether composing it panicked.
    pub(crate) broken: bool,
}

/// The output schema of a tool.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    pub(crate) schema: Value,
    pub(crate) native: NativeSchema,
    /// The name of the type.
    pub(crate) name: Option<String>,
    /// What its Rust type guarantees; nothing without a type.
    pub(crate) guarantee: Guarantee,
    /// Whether the value is wrapped as `result`; `None` for a dynamic tool, which decides itself.
    pub(crate) wrapped: Option<bool>,
}

impl InputSchema {
    /// Replaces a schema that could not be composed.
    pub(crate) fn broken(fault: String) -> Self {
        InputSchema {
            schema: object(Map::new(), Vec::new()),
            docs: InputDocs::default().into(),
            faults: vec![fault],
            broken: true,
            ..InputSchema::default()
        }
    }

    /// Wraps the schema of a dynamic tool, which is published unchanged.
    pub(crate) fn foreign(schema: Value, mut examples: Vec<Value>, locators: Arc<[String]>) -> Self {
        let published = schema["examples"].as_array().into_iter().flatten();
        examples.extend(published.filter(|example| example.is_object()).cloned());
        let examples = examples.into_iter().map(|call| example::without_secrets(call, &schema)).collect();
        InputSchema { schema, locators, composite: true, examples, ..InputSchema::default() }
    }

    /// Returns the inputs in the simple form for people and scripts.
    pub(crate) fn native(&self) -> &[NativeSchema] {
        &self.docs().native
    }

    /// Returns a minimal valid call, or a guess.
    pub(crate) fn example(&self) -> &Value {
        &self.docs().example
    }

    fn docs(&self) -> &InputDocs {
        self.docs.get_or_init(|| InputDocs::foreign(&self.schema, &self.locators))
    }

    /// Composes the schema from the declared inputs, with whole calls as examples.
    pub(crate) fn compose(specs: &[&'static InputSpec], examples: Vec<Value>) -> Self {
        let mut composition = Composition::new(specs);
        specs.iter().for_each(|spec| composition.add(spec));
        composition.finish(specs, examples)
    }

    /// Uses the schema of the option `schema`, unchanged, for a function with these inputs.
    pub(crate) fn from_option(make: JsonFn, specs: &[&'static InputSpec], mut examples: Vec<Value>) -> Self {
        let schema = match make().map(Untrusted::new) {
            Ok(schema) => schema.into_checked().map_err(|error| format!("its `schema` is invalid: {error}")),
            Err(error) => Err(format!("its `schema` is not JSON: {error}")),
        };
        let mut schema = match schema {
            Ok(schema) => schema,
            Err(fault) => return InputSchema::broken(fault),
        };
        let mut composition = Composition::new(specs);
        specs.iter().for_each(|spec| composition.add(spec));
        composition.compare(&schema);
        for spec in specs.iter().filter(|spec| spec.secret || !spec.description.is_empty()) {
            let Some(property) = schema["properties"].get_mut(spec.name) else { continue };
            if *property == true {
                *property = Map::new().into();
            }
            let Value::Object(keywords) = property else { continue };
            if !spec.description.is_empty() {
                keywords.entry("description").or_insert_with(|| spec.description.into());
            }
            // Inputs that are declared secret are masked in every message.
            if spec.secret {
                conceal(property);
            }
        }
        let published: Vec<Value> = schema["examples"].as_array().cloned().unwrap_or_default();
        let masked = |call| example::without_secrets(call, &schema);
        let published: Vec<Value> = published.into_iter().map(masked).collect();
        examples = examples.into_iter().map(masked).chain(published.iter().cloned()).collect();
        if !published.is_empty() {
            schema["examples"] = published.into();
        }
        InputSchema {
            docs: InputDocs::declared(&schema, specs).into(),
            schema,
            layout: composition.layout,
            composite: true,
            examples,
            faults: composition.faults,
            ..InputSchema::default()
        }
    }
}

/// The inputs composed so far.
struct Composition {
    generator: SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<Value>,
    layout: Vec<InputLayout>,
    composite: bool,
    faults: Vec<String>,
}

impl Composition {
    fn new(specs: &[&'static InputSpec]) -> Self {
        let types: Vec<_> = specs.iter().map(|spec| spec.schema).collect();
        Composition {
            generator: generator(SchemaSettings::draft2020_12().for_deserialize(), &types),
            properties: Map::new(),
            required: Vec::new(),
            layout: Vec::new(),
            composite: false,
            faults: Vec::new(),
        }
    }

    fn add(&mut self, spec: &InputSpec) {
        let presence = (spec.presence)();
        let mut schema = Value::from((spec.schema)(&mut self.generator));
        let plain = normal::decode_implies_validity(&schema);
        let formatted = normal::names_a_format(&schema);
        let no_fields = Fields::none(&schema);
        normal::normalize(&mut schema, Side::Input);
        if presence == Presence::Optional {
            normal::drop_null(&mut schema);
        }
        if spec.flatten {
            let fields = no_fields.filter(|_| presence == Presence::Required).map(Ok);
            match fields.unwrap_or_else(|| self.fields(presence, schema.clone())) {
                Ok(fields) => return self.flatten(spec, fields),
                // It remains one input, so that what is published can still be called.
                Err(why) => self.fault(spec, &format!("it cannot be flattened: {why}")),
            }
        }
        let faults = constrain(&mut schema, spec, self.generator.definitions());
        faults.iter().for_each(|fault| self.fault(spec, fault));
        self.annotate(&mut schema, spec);
        let limits = match (plain, spec.is_constrained()) {
            (true, false) if !formatted => Some(Limits::None),
            (true, _) => Limits::of(&schema),
            (false, _) => None,
        };
        self.composite |= limits.is_none();
        self.layout.push(InputLayout::Member(limits.unwrap_or(Limits::None)));
        if spec.locator {
            self.locator(spec, presence, &schema);
        }
        let required = presence == Presence::Required && spec.default.is_none();
        self.property(spec, spec.name, schema, required);
    }

    /// Returns the fields of a flattened input, or why it cannot be flattened.
    fn fields(&self, presence: Presence, mut schema: Value) -> Result<Fields, &'static str> {
        if presence != Presence::Required {
            return Err("it may be left out as a whole; let its fields be left out instead");
        }
        let definition = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        if let Some(recursive) = definition.and_then(|name| self.generator.definitions().get(name)) {
            schema = recursive.clone();
            normal::normalize(&mut schema, Side::Input);
        }
        flatten::fields(schema)
    }

    fn flatten(&mut self, spec: &InputSpec, Fields { properties, required }: Fields) {
        self.layout.push(InputLayout::Flattened(properties.keys().cloned().collect()));
        // serde accepts a list for a struct, and ignores unknown fields: validate first.
        self.composite = true;
        for (name, schema) in properties {
            let required = required.iter().any(|required| *required == name);
            self.property(spec, &name, schema, required);
        }
    }

    fn property(&mut self, spec: &InputSpec, name: &str, schema: Value, required: bool) {
        if self.properties.contains_key(name) {
            return self.fault(spec, &format!("another input has the name `{name}`, too"));
        }
        self.properties.insert(name.to_owned(), schema);
        if required {
            self.required.push(name.into());
        }
    }

    /// Merges the declaration into the schema of the type; the declaration takes precedence.
    fn annotate(&mut self, schema: &mut Value, spec: &InputSpec) {
        if !spec.description.is_empty() {
            schema["description"] = spec.description.into();
        }
        let default = spec.default.and_then(|make| self.evaluate(spec, make, "default"));
        let examples: Vec<Value> =
            spec.examples.iter().filter_map(|make| self.evaluate(spec, *make, "example")).collect();
        if spec.secret {
            conceal(schema);
        }
        if let Some(default) = default {
            schema["default"] = default;
        }
        if !examples.is_empty() {
            schema["examples"] = examples.into();
        }
        if let Some(header) = spec.header {
            schema[HEADER] = header.into();
        }
    }

    fn evaluate(&mut self, spec: &InputSpec, make: JsonFn, what: &str) -> Option<Value> {
        make().map_err(|error| self.fault(spec, &format!("its {what} is not JSON: {error}"))).ok()
    }

    /// Checks that a locator is a string or an integer.
    fn locator(&mut self, spec: &InputSpec, presence: Presence, schema: &Value) {
        if !matches!(schema["type"].as_str(), Some("string" | "integer")) {
            self.fault(spec, "it is a locator, and its schema is neither a string nor an integer");
        }
        if presence != Presence::Required || spec.default.is_some() {
            self.fault(spec, "it is a locator, and may be left out");
        }
    }

    fn fault(&mut self, spec: &InputSpec, fault: &str) {
        self.faults.push(format!("input `{}`: {fault}", spec.name));
    }

    /// Reports differences between the schema of the option `schema` and the inputs of the function.
    fn compare(&mut self, schema: &Value) {
        let names = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let given = names(schema);
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        for name in self.properties.keys().filter(|name| !given.contains(name)) {
            self.faults.push(format!("its `schema` has no property for the input `{name}`"));
        }
        for name in given.iter().filter(|name| !self.properties.contains_key(*name)) {
            self.faults.push(format!("its `schema` has the property `{name}`, which is not an input"));
        }
        for name in self.required.iter().filter(|name| !required.contains(name)) {
            self.faults.push(format!("its `schema` does not require {name}, which has no default"));
        }
        if !["additionalProperties", "unevaluatedProperties"].iter().any(|keyword| schema[keyword] == false) {
            let fault = "its `schema` admits what is no input: write `\"additionalProperties\": false`";
            self.faults.push(fault.to_owned());
        }
    }

    fn finish(mut self, specs: &[&'static InputSpec], examples: Vec<Value>) -> InputSchema {
        let mut root = object(self.properties, self.required);
        define(&mut root, &mut self.generator, Side::Input);
        defaults::without_nulls(&mut root);
        let docs = InputDocs::declared(&root, specs);
        constants::publish(&mut root);
        let examples: Vec<Value> =
            examples.into_iter().map(|call| example::without_secrets(call, &root)).collect();
        if !examples.is_empty() {
            root["examples"] = examples.clone().into();
        }
        InputSchema {
            schema: root,
            docs: docs.into(),
            layout: self.layout,
            composite: self.composite,
            examples,
            faults: self.faults,
            ..InputSchema::default()
        }
    }
}

/// Marks a secret as write-only (JSON Schema 2020-12, Validation, section 9.4).
fn conceal(schema: &mut Value) {
    schema["writeOnly"] = true.into();
}

impl OutputSchema {
    pub(crate) fn compose(returned: Returned) -> Option<Self> {
        let Returned::Json(schema, name) = returned else { return None };
        let mut generator = generator(SchemaSettings::draft2020_12().for_serialize(), &[schema]);
        let mut schema = Value::from(schema(&mut generator));
        let guarantee = Guarantee::of(generator.definitions().values().chain([&schema]));
        normal::normalize(&mut schema, Side::Output);
        let wrapped = schema.get("type").is_none_or(|kind| kind != "object");
        let mut root = if wrapped {
            object(Map::from_iter([("result".to_owned(), schema)]), vec!["result".into()])
        } else {
            schema
        };
        define(&mut root, &mut generator, Side::Output);
        let value = if wrapped { &root["properties"]["result"] } else { &root };
        let native = native::value(value, &root);
        constants::publish(&mut root);
        let (name, wrapped) = (Some(name().into_owned()), Some(wrapped));
        Some(OutputSchema { schema: root, native, name, guarantee, wrapped })
    }

    /// Wraps the schema of a dynamic tool, which is published unchanged.
    pub(crate) fn foreign(schema: Value) -> Self {
        let name = schema["title"].as_str().map(str::to_owned);
        let (native, guarantee) = (native::value(&schema, &schema), Guarantee::default());
        OutputSchema { native, name, schema, guarantee, wrapped: None }
    }
}

/// Generates the schemas of these types, inlined where they are referred to, as far as that stays small.
fn generator(mut settings: SchemaSettings, types: &[TypeSchema]) -> SchemaGenerator {
    settings.meta_schema = None;
    settings.inline_subschemas = !expansion::is_too_much(&settings, types);
    settings.into_generator()
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> Value {
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        object.insert("required".to_owned(), required.into());
    }
    object.insert("additionalProperties".to_owned(), false.into());
    object.into()
}

/// Adds the definitions of recursive types, also in normal form.
fn define(root: &mut Value, generator: &mut SchemaGenerator, side: Side) {
    let mut definitions = generator.take_definitions(true);
    if definitions.is_empty() {
        return;
    }
    for definition in definitions.values_mut() {
        normal::normalize(definition, side);
    }
    root["$defs"] = definitions.into();
}
