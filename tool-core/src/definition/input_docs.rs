//! What is told of the inputs of a tool in other words than those of JSON Schema.

use serde_json::{Map, Value};

use crate::declare::input::InputSpec;
use crate::schema::example;
use crate::schema::native::{self, NativeSchema};

/// The inputs of a tool as people and scripts hear of them. Of a foreign schema it is made on first use: a list shows the
/// schema, and no more.
#[derive(Debug)]
pub(crate) struct InputDocs {
    pub(crate) native: Vec<NativeSchema>,
    /// A minimal valid call: declared examples, then what the schema suggests.
    pub(crate) example: Value,
}

/// Of no inputs.
impl Default for InputDocs {
    fn default() -> Self {
        InputDocs { native: Vec::new(), example: Map::new().into() }
    }
}

impl InputDocs {
    /// Of a schema in the normal form, for these inputs.
    pub(crate) fn declared(schema: &Value, specs: &[&'static InputSpec]) -> Self {
        InputDocs { native: described(schema, specs), example: example::of(schema) }
    }

    /// Of a foreign schema, of whose inputs these stand in a path.
    pub(crate) fn foreign(schema: &Value, locators: &[String]) -> Self {
        let mut native = native::properties(schema, schema);
        for input in &mut native {
            input.locator = input.name.as_ref().is_some_and(|name| locators.contains(name));
        }
        let guess = Some(example::of(schema)).filter(Value::is_object);
        InputDocs { native, example: guess.unwrap_or_else(|| Map::new().into()) }
    }
}

/// The inputs without JSON Schema.
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
