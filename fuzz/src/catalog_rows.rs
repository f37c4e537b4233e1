//! Definitions of tools as JSON, such as the rows of a catalog.

use serde_json::Value;
use tool_core::ToolDefinition;
use tool_core::profile::Profile;

use crate::validator::Validator;

/// Reads a definition.
///
/// - What is accepted has its name and its description, an object schema, and examples that are valid by the schema.
/// - It can be written for every vendor, or is refused with an error.
/// - It has the same digest each time, whatever the order of members.
pub fn catalog_rows(text: &[u8]) {
    let Ok(row) = serde_json::from_slice::<Value>(text) else { return };
    let Ok(tool) = ToolDefinition::from_json(row.clone()) else { return };
    assert_eq!(row["name"], tool.name());
    assert_eq!(row["description"].as_str().map(str::trim), Some(tool.description().trim()));
    assert_eq!(tool.input_schema()["type"], "object");
    let again = ToolDefinition::from_json(reversed(&row));
    assert_eq!(again.map(|again| again.digest()).ok(), Some(tool.digest()), "{row}");
    for profile in Profile::ALL {
        drop(tool.tool_for(profile));
    }
    let text = row.to_string();
    if text.contains("\"format\"") || text.contains("\"pattern") || text.contains("\"multipleOf\"") {
        return;
    }
    let validator = Validator::new(tool.input_schema(), false);
    let validator = validator.unwrap_or_else(|error| panic!("another validator refuses {row}: {error}"));
    for example in row["examples"].as_array().into_iter().flatten() {
        assert!(validator.is_valid(example), "{example} is accepted as an example of {row}");
    }
}

/// Returns an object with its members from the last to the first.
fn reversed(row: &Value) -> Value {
    let members = row.as_object().into_iter().flatten().rev();
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}
