//! Edits a configuration file in JSON, keeping every other byte of it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::install::client::Syntax;
use crate::install::entry::{Edit, EditError, Entry, TRANSPORT, split_mark};

/// Adds the entry to the object at the key `section`, or replaces the one of its name.
pub(super) fn edit(
    text: &str,
    syntax: Syntax,
    section: &str,
    entry: &Entry,
    replace: bool,
) -> Result<Edit, EditError> {
    let (mark, text) = split_mark(text);
    // An empty file is how some clients begin.
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = parse(text, syntax)?;
    let before = root.to_serde_value().unwrap_or(Value::Null);
    let object = root.object_value_or_create().ok_or(EditError::NoRoot)?;
    let servers = match property(&object, section)? {
        None => object.object_value_or_create(section),
        Some(property) => property.object_value(),
    };
    let wanted = || EditError::NotObject { wanted: "object", key: section.to_owned() };
    let servers = servers.ok_or_else(wanted)?;
    let existing = property(&servers, &entry.name)?;
    let is_new = existing.is_none();
    match existing {
        None => drop(servers.append(&entry.name, value(entry))),
        Some(property) if property.to_serde_value().is_some_and(|value| entry.is_started_by(&value)) => {
            return Ok(Edit::Unchanged);
        }
        Some(_) if !replace => return Err(EditError::Differs { name: entry.name.clone() }),
        Some(property) => change(&property, entry),
    }
    let text = format!("{mark}{root}");
    if !changes_only_entry(&before, &text, syntax, section, entry) {
        return Err(EditError::Unsupported);
    }
    Ok(if is_new { Edit::Added(text) } else { Edit::Replaced(text) })
}

fn parse(text: &str, syntax: Syntax) -> Result<CstRootNode, EditError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: syntax == Syntax::Jsonc,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(text, &options)
        .map_err(|error| invalid(error.line_display(), error.column_display(), &error.kind().to_string()))?;
    if syntax == Syntax::Json {
        check(text)?;
    }
    Ok(root)
}

/// Checks JSON without comments, which the parser of documents lets pass. No number is read, however large it is.
fn check(text: &str) -> Result<(), EditError> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let found = text
            .split('\n')
            .nth(line.saturating_sub(1))
            .and_then(|line| line.as_bytes().get(column.saturating_sub(1)));
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        invalid(line, column, if found == Some(&b'/') { "comments are not allowed" } else { reason })
    })
}

fn invalid(line: usize, column: usize, reason: &str) -> EditError {
    let first = reason.chars().next().map(|c| c.to_ascii_lowercase());
    let reason = first.into_iter().chain(reason.chars().skip(1)).collect();
    EditError::Invalid { language: "JSON", line, column, reason }
}

/// Returns the property of this name. Of two, clients take different ones.
fn property(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, EditError> {
    let mut found =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    let first = found.next();
    if found.next().is_some() {
        return Err(EditError::Duplicate { key: name.to_owned() });
    }
    Ok(first)
}

fn members(entry: &Entry) -> Vec<(String, CstInputValue)> {
    let kind = entry.has_type.then(|| ("type", TRANSPORT.into()));
    let args = CstInputValue::Array(entry.args.iter().map(|arg| arg.as_str().into()).collect());
    let members = [("command", entry.command.as_str().into()), ("args", args)];
    kind.into_iter().chain(members).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn value(entry: &Entry) -> CstInputValue {
    CstInputValue::Object(members(entry))
}

/// Starts the program of the entry. Of a server that is a program, the rest is kept, such as variables of the environment.
fn change(property: &CstObjectProp, entry: &Entry) {
    let is_program = |object: &CstObject| object.get("command").is_some() && object.get("url").is_none();
    let Some(object) = property.object_value().filter(is_program) else {
        property.set_value(value(entry));
        return;
    };
    for (name, value) in members(entry) {
        match object.get(&name) {
            Some(property) => property.set_value(value),
            None => drop(object.append(&name, value)),
        }
    }
    if !entry.has_type
        && let Some(property) = object.get("type")
    {
        property.remove();
    }
}

/// Returns `true` if the edited text is what it was, apart from the entry.
fn changes_only_entry(before: &Value, text: &str, syntax: Syntax, section: &str, entry: &Entry) -> bool {
    let Ok(Some(mut after)) = parse(split_mark(text).1, syntax).map(|root| root.to_serde_value()) else {
        return false;
    };
    let mut before = before.clone();
    if before.is_null() {
        before = Value::Object(serde_json::Map::new());
    }
    let same_program = after[section].get(&entry.name).is_some_and(|value| entry.is_started_by(value));
    let taken = |value: &mut Value| {
        let is_empty = {
            let Some(servers) = value.get_mut(section).and_then(Value::as_object_mut) else { return };
            servers.remove(&entry.name);
            servers.is_empty()
        };
        if is_empty && let Some(object) = value.as_object_mut() {
            object.remove(section);
        }
    };
    taken(&mut before);
    taken(&mut after);
    same_program && before == after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(args: &[&str]) -> Entry {
        Entry { has_type: true, ..Entry::demo(args) }
    }

    /// Returns `true` if `text` has all characters of `part`, in this order.
    fn keeps(text: &str, part: &str) -> bool {
        let mut rest = text.chars();
        part.chars().filter(|c| !c.is_whitespace()).all(|wanted| rest.any(|c| c == wanted))
    }

    #[test]
    fn keeps_comments_wherever_they_are() {
        for text in [
            "// a\n{ /* b */ } // c",
            "{\n  // a\n}\n",
            "{\"servers\": {}} // a",
            "{\"servers\": { /* a */ } /* b */ }",
            "{\"servers\": {\n  // a\n  // b\n}, /* c */ \"x\": [1, /* d */]}",
            "{\"servers\": {\"a\": 1 // b\n // c\n}}",
            "{\"servers\": {\"a\": 1, // b\n}}",
            "{\"servers\": /* a */ {\"b\": {/* c */} /* d */}}",
            "/* a */\r\n{\r\n\t\"x\": 1 /* b */\r\n}",
            "\u{feff}{\n}\n// a",
            "// a",
        ] {
            let Ok(Edit::Added(edited)) = edit(text, Syntax::Jsonc, "servers", &entry(&["a\nb"]), false)
            else {
                panic!("{text}");
            };
            assert!(keeps(&edited, text), "{text}\n became\n{edited}");
            let again = edit(&edited, Syntax::Jsonc, "servers", &entry(&["a\nb"]), false);
            assert_eq!(again, Ok(Edit::Unchanged), "{edited}");
            let Ok(Edit::Replaced(replaced)) = edit(&edited, Syntax::Jsonc, "servers", &entry(&[]), true)
            else {
                panic!("{edited}");
            };
            assert!(keeps(&replaced, text), "{edited}\n became\n{replaced}");
        }
    }

    #[test]
    fn notices_other_changes() {
        let before = serde_json::json!({"a": 1, "servers": {"x": 2}});
        let entry = entry(&[]);
        let after = |more: &str| {
            format!(
                r#"{{{more}, "servers": {{"x": 2, "demo": {{"command": "C:\\demo \"x\"", "args": []}}}}}}"#
            )
        };
        let same = |text: &str| changes_only_entry(&before, text, Syntax::Json, "servers", &entry);
        assert!(same(&after(r#""a": 1"#)));
        for text in [after(r#""a": 2"#), after(r#""a": 1, "b": 1"#), before.to_string(), "{".to_owned()] {
            assert!(!same(&text), "{text}");
        }
    }
}
