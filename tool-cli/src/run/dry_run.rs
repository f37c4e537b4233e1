//! `run --dry-run`: shows a call without making it.

use serde_json::{Map, Value, json};
use tool_core::schema::NativeSchema;
use tool_core::{Failure, Operation, Registry, ToolDefinition};

use crate::cli::Format;
use crate::list::json_text;
use crate::schema_text::holds_secret;
use crate::style::neutral;
use crate::yaml;

/// The replacement of a secret.
const MASK: &str = "***";

/// Shows the call, after all checks that run no code of the tool. The access rule is not checked: it may read stored data.
pub(super) fn dry_run(
    registry: &Registry,
    tool: &ToolDefinition,
    arguments: &[u8],
    format: Format,
) -> Result<String, Failure> {
    registry.check_access(tool.name())?;
    let validation = registry.validate(tool.name(), arguments)?;
    let mut arguments_json: Map<String, Value> = serde_json::from_slice(arguments).unwrap_or_default();
    if tool.inputs().iter().any(holds_secret) {
        tool.inputs().iter().for_each(|input| mask_member(input, &mut arguments_json));
    }
    let caller = registry.principal().id().unwrap_or("an anonymous caller");
    let operation = tool.operation().map_or("not declared", Operation::as_str);
    let data = || {
        json!({
            "success": true,
            "dry_run": true,
            "tool": tool.name(),
            "operation": operation,
            "destructive": tool.destructive(),
            "principal": caller,
            "arguments": arguments_json,
            "repairs": validation.coercions,
            "access_rule": tool.guarded(),
        })
    };
    Ok(match format {
        Format::Json => format!("{}\n", data()),
        Format::Yaml => yaml::text(&data()),
        _ => {
            let destructive = if tool.destructive() { ", destructive" } else { "" };
            let mut page = format!("would run `{}` ({operation}{destructive}) as {caller}\n", tool.name());
            page.push_str(&json_text(&Value::Object(arguments_json.clone())));
            validation.coercions.iter().for_each(|repair| page.push_str(&format!("- {repair}\n")));
            if tool.guarded() {
                page.push_str("its access rule is checked when it runs\n");
            }
            neutral(&page).into_owned()
        }
    })
}

fn mask_member(input: &NativeSchema, members: &mut Map<String, Value>) {
    if let Some(value) = input.name.as_ref().and_then(|name| members.get_mut(name)) {
        mask(input, value);
    }
}

/// Replaces every secret in a value with asterisks, for a tool that has secrets.
fn mask(schema: &NativeSchema, value: &mut Value) {
    let is_masked = match value {
        Value::Null => schema.secret,
        // A string may contain the whole value as JSON, which is parsed when the tool is called.
        Value::String(_) => schema.recursive.is_some() || holds_secret(schema),
        // Below a recursive reference, the schema does not show which values are secret.
        _ => schema.secret || schema.recursive.is_some(),
    };
    if is_masked {
        *value = MASK.into();
        return;
    }
    match value {
        Value::Object(members) => {
            schema.properties.iter().for_each(|member| mask_member(member, members));
            if let Some(values) = &schema.items {
                let named =
                    |name: &String| schema.properties.iter().any(|member| member.name.as_ref() == Some(name));
                members
                    .iter_mut()
                    .filter(|(name, _)| !named(name))
                    .for_each(|(_, value)| mask(values, value));
            }
        }
        Value::Array(items) => {
            if let Some(item) = &schema.items {
                items.iter_mut().for_each(|value| mask(item, value));
            }
            schema.properties.iter().zip(items).for_each(|(item, value)| mask(item, value));
        }
        _ => {}
    }
    schema.variants.iter().for_each(|variant| mask(variant, value));
}
