//! Limits the size of schemas with inlined types.

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

/// Generates the schema of one type.
pub(crate) type TypeSchema = fn(&mut SchemaGenerator) -> Schema;

/// The maximum number of schemas after inlining. Twelve types that refer to each other would have four hundred million.
const MAX_SCHEMAS: usize = 10_000;

/// Returns `true` if inlining these types would exceed the limit, so that they stay definitions.
///
/// Each type is measured once. A recursive type counts as a reference.
pub(crate) fn is_too_much(settings: &SchemaSettings, types: &[TypeSchema]) -> bool {
    let (roots, definitions) = referring(settings.clone(), types);
    let mut expansion = Expansion { definitions: &definitions, open: Vec::new(), left: MAX_SCHEMAS };
    !definitions.is_empty() && roots.iter().any(|root| !expansion.fits(root))
}

/// Returns the schemas of types with a reference to each type in them, and the definitions that these lead to.
pub(crate) fn referring(
    mut settings: SchemaSettings,
    types: &[TypeSchema],
) -> (Vec<Value>, Map<String, Value>) {
    settings.inline_subschemas = false;
    let mut generator = settings.into_generator();
    let roots = types.iter().map(|make| make(&mut generator).into()).collect();
    (roots, generator.take_definitions(true))
}

struct Expansion<'s> {
    definitions: &'s Map<String, Value>,
    /// The enclosing definitions.
    open: Vec<&'s str>,
    left: usize,
}

impl<'s> Expansion<'s> {
    fn fits(&mut self, schema: &'s Value) -> bool {
        match schema {
            Value::Object(members) => {
                let Some(left) = self.left.checked_sub(1) else { return false };
                self.left = left;
                members.values().all(|member| self.fits(member)) && self.referred_fits(members)
            }
            Value::Array(items) => items.iter().all(|item| self.fits(item)),
            _ => true,
        }
    }

    fn referred_fits(&mut self, schema: &'s Map<String, Value>) -> bool {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/")) else {
            return true;
        };
        let Some(definition) = self.definitions.get(name).filter(|_| !self.open.contains(&name)) else {
            return true;
        };
        self.open.push(name);
        let fits = self.fits(definition);
        self.open.pop();
        fits
    }
}
