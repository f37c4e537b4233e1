//! The schema of a whole tool, from what its declaration says about each input and about the output.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use crate::input::{InputSpec, JsonFn, Presence};
use crate::returns::Returned;
use crate::schema::example;
use crate::schema::native::{self, NativeSchema};
use crate::schema::normal::{self, Side};

/// The inputs of a tool as one object schema.
#[derive(Debug)]
pub(crate) struct InputSchema {
    /// The normal form.
    pub(crate) schema: Value,
    /// The same for people and scripts.
    pub(crate) native: Vec<NativeSchema>,
    /// A minimal valid call: declared examples, then what the schema suggests.
    pub(crate) example: Value,
    /// Whether some input is more than a scalar or a list of them, and so is checked before it is decoded.
    pub(crate) composite: bool,
    /// What is wrong with defaults and examples.
    pub(crate) faults: Vec<String>,
    /// Whether making it panicked.
    pub(crate) broken: bool,
}

/// The output of a tool as an object schema, where it has one.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    pub(crate) schema: Value,
    pub(crate) native: NativeSchema,
    /// Whether the value is no object itself and stands under `result` on the wire; `None` where nobody knows but the
    /// tool.
    pub(crate) wrapped: Option<bool>,
}

impl InputSchema {
    /// In the place of a schema that could not be made.
    pub(crate) fn broken() -> Self {
        InputSchema {
            schema: object(Map::new(), Vec::new()),
            native: Vec::new(),
            example: Map::new().into(),
            composite: false,
            faults: vec!["making its schema panicked; the log says where".to_owned()],
            broken: true,
        }
    }

    /// A schema that was written by hand and is kept as it is.
    pub(crate) fn written(schema: Value, example: Option<Value>) -> Self {
        let native = native::properties(&schema, &schema);
        let example = example.unwrap_or_else(|| example::of(&schema));
        InputSchema { schema, native, example, composite: true, faults: Vec::new(), broken: false }
    }

    pub(crate) fn compose(specs: &[&'static InputSpec]) -> Self {
        let mut generator = generator(SchemaSettings::draft2020_12().for_deserialize());
        let mut faults = Vec::new();
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut composite = false;
        for spec in specs {
            let presence = (spec.presence)();
            let mut schema = Value::from((spec.schema)(&mut generator));
            composite |= !normal::decode_implies_validity(&schema);
            normal::normalise(&mut schema, Side::Input);
            if presence == Presence::Optional {
                normal::drop_null(&mut schema);
            }
            annotate(&mut schema, spec, &mut faults);
            if presence == Presence::Required && spec.default.is_none() {
                required.push(Value::from(spec.name));
            }
            properties.insert(spec.name.to_owned(), schema);
        }
        let mut root = object(properties, required);
        define(&mut root, &mut generator, Side::Input);
        let native = native::properties(&root, &root);
        let example = example::of(&root);
        normal::publish(&mut root);
        InputSchema { schema: root, native, example, composite, faults, broken: false }
    }
}

impl OutputSchema {
    pub(crate) fn compose(returned: Returned) -> Option<Self> {
        let Returned::Json(schema) = returned else { return None };
        let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
        let mut schema = Value::from(schema(&mut generator));
        normal::normalise(&mut schema, Side::Output);
        let wrapped = schema.get("type").is_none_or(|kind| kind != "object");
        let mut root = if wrapped {
            object(Map::from_iter([("result".to_owned(), schema)]), vec!["result".into()])
        } else {
            schema
        };
        define(&mut root, &mut generator, Side::Output);
        let value = if wrapped { &root["properties"]["result"] } else { &root };
        let native = native::value(value, &root);
        normal::publish(&mut root);
        Some(OutputSchema { schema: root, native, wrapped: Some(wrapped) })
    }

    /// A schema that was written by hand and is kept as it is.
    pub(crate) fn written(schema: Value) -> Self {
        OutputSchema { native: native::value(&schema, &schema), schema, wrapped: None }
    }
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        })
        .into_generator()
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

/// Adds the definitions of recursive types, in normal form too.
fn define(root: &mut Value, generator: &mut SchemaGenerator, side: Side) {
    let mut definitions = generator.take_definitions(true);
    if definitions.is_empty() {
        return;
    }
    for definition in definitions.values_mut() {
        normal::normalise(definition, side);
    }
    root["$defs"] = definitions.into();
}

/// Puts what the declaration says beside what the type says; the declaration wins.
fn annotate(schema: &mut Value, spec: &InputSpec, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object_mut() else { return };
    if !spec.description.is_empty() {
        schema.insert("description".to_owned(), spec.description.into());
    }
    let mut evaluate = |make: JsonFn, what: &str| {
        make()
            .map_err(|error| faults.push(format!("the {what} of input `{}` is no JSON: {error}", spec.name)))
            .ok()
    };
    if let Some(default) = spec.default.and_then(|make| evaluate(make, "default")) {
        schema.insert("default".to_owned(), default);
    }
    let examples: Vec<Value> = spec.examples.iter().filter_map(|make| evaluate(*make, "example")).collect();
    if !examples.is_empty() {
        schema.insert("examples".to_owned(), examples.into());
    }
}
