//! Checks `permission`, and converts it to its string form.

use proc_macro2::TokenStream;

use crate::diagnostics::{Errors, Section};
use crate::parse::{Attribute, Permission};

/// Characters that join conditions in other notations, and so are not allowed in names.
const OPERATORS: [char; 12] = [',', '+', '&', '|', ';', '!', '(', ')', '"', '\'', '`', '\\'];

/// The maximum depth of nested lists.
const MAX_DEPTH: usize = 16;

/// Returns the suggestion for two or more names.
fn either(names: &str) -> String {
    format!("write `all({names})` if each is required, or `any({names})` if one is enough")
}

// A misread permission admits the wrong callers, so the syntax must be unambiguous.
pub(super) fn check_permission(attribute: &Attribute, errors: &mut Errors) {
    if let Some(given) = &attribute.permission {
        check(given, MAX_DEPTH, errors);
    }
}

fn check(permission: &Permission, depth: usize, errors: &mut Errors) {
    let mut push = |tokens: &TokenStream, fact: String, help: String| {
        errors.push(Section::Attribute, tokens, fact, help);
    };
    match permission {
        Permission::Name(name) => {
            if let Some((fact, help)) = fault(&name.value) {
                push(&name.tokens, fact, help);
            }
        }
        Permission::List { tokens, .. } if depth == 0 => {
            push(
                tokens,
                format!("`permission` nests more than {MAX_DEPTH} lists"),
                "use fewer nested lists".to_owned(),
            );
        }
        Permission::List { items, tokens, any } if items.is_empty() => {
            let word = if *any { "any" } else { "all" };
            push(tokens, format!("`{word}()` is empty"), either("\"a\", \"b\""));
        }
        Permission::List { items, .. } => {
            let mut seen = Vec::new();
            for item in items {
                let text = text(item);
                if seen.contains(&text) {
                    push(item.tokens(), format!("`permission` names `{text}` twice"), "keep one".to_owned());
                }
                seen.push(text);
            }
            for item in items {
                check(item, depth - 1, errors);
            }
        }
    }
}

/// Returns the error of a name, with a suggestion.
fn fault(name: &str) -> Option<(String, String)> {
    if name.trim().is_empty() {
        let help = "name one, as in `permission = \"node.view\"`, or remove `permission`";
        return Some(("the permission is empty".to_owned(), help.to_owned()));
    }
    if let Some(sign) = name.chars().find(|c| OPERATORS.contains(c)) {
        let parts = name.split(OPERATORS).map(str::trim).filter(|part| !part.is_empty());
        let parts: Vec<String> = parts.map(|part| format!("\"{part}\"")).collect();
        let help = if parts.len() > 1 { either(&parts.join(", ")) } else { format!("remove `{sign}`") };
        return Some((format!("the name of a permission cannot contain `{sign}`"), help));
    }
    let control = name.chars().any(char::is_control);
    control.then(|| {
        ("the name of a permission cannot contain a control character".to_owned(), "remove it".to_owned())
    })
}

/// Returns the string form, as `tool_core::Permission` parses it.
pub(super) fn text(permission: &Permission) -> String {
    match permission {
        Permission::Name(name) => name.value.trim().to_owned(),
        Permission::List { items, any, .. } => {
            let items: Vec<String> = items.iter().map(text).collect();
            format!("{}({})", if *any { "any" } else { "all" }, items.join(", "))
        }
    }
}
