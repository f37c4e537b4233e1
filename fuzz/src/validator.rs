//! A validator of JSON Schema that shares no code with the one of the tools.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// With a path, against which a relative `$id` can be resolved.
const LOCATION: &str = "fuzz://schemas/root";

/// A compiled schema of JSON Schema 2020-12.
pub(crate) struct Validator(Schemas, SchemaIndex);

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// When it is invalid, or refers to another document.
    pub(crate) fn new(schema: &Value, asserts_formats: bool) -> Result<Self, String> {
        let mut compiler = Compiler::new();
        if asserts_formats {
            compiler.enable_format_assertions();
        }
        let mut schemas = Schemas::new();
        compiler.add_resource(LOCATION, schema.clone()).map_err(|error| error.to_string())?;
        let index = compiler.compile(LOCATION, &mut schemas).map_err(|error| error.to_string())?;
        Ok(Validator(schemas, index))
    }

    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}
