//! Documentation of inputs, in a simpler form than JSON Schema.

use serde_json::{Map, Value};

use crate::declare::input_spec::InputSpec;
use crate::schema::example;
use crate::schema::native::{self, NativeSchema};

/// The documentation of the inputs of a tool. For a dynamic tool it is created on first use, because lists only need
/// the schema.
#[derive(Debug)]
pub(crate) struct InputDocs {
    pub(crate) native: Vec<NativeSchema>,
    /// A minimal valid call, from declared examples or else from the schema.
    pub(crate) example: Value,
}

impl Default for InputDocs {
    fn default() -> Self {
        InputDocs { native: Vec::new(), example: Map::new().into() }
    }
}

impl InputDocs {
    /// Documents declared inputs, from a schema in normal form.
    pub(crate) fn declared(schema: &Value, specs: &[&'static InputSpec]) -> Self {
        InputDocs { native: described(schema, specs), example: example::of(schema) }
    }

    /// Documents the inputs of a dynamic tool with these locators.
    pub(crate) fn foreign(schema: &Value, locators: &[String]) -> Self {
        let mut native = native::properties(schema, schema);
        for input in &mut native {
            input.locator = input.name.as_ref().is_some_and(|name| locators.contains(name));
        }
        let guess = Some(example::of(schema)).filter(Value::is_object);
        InputDocs { native, example: guess.unwrap_or_else(|| Map::new().into()) }
    }
}

/// Describes the inputs without JSON Schema.
fn described(root: &Value, specs: &[&'static InputSpec]) -> Vec<NativeSchema> {
    let mut native = native::properties(root, root);
    for input in &mut native {
        let is_it = |spec: &&&InputSpec| Some(spec.name) == input.name.as_deref();
        let Some(spec) = specs.iter().find(is_it) else { continue };
        input.locator = spec.locator;
        input.completes = spec.complete.is_some() && !input.secret;
    }
    native
}
