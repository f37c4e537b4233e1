//! The name and the alias of a tool.

use quote::ToTokens;
use syn::ext::IdentExt as _;

use crate::diagnostics::{Errors, Section};
use crate::parse::{Attribute, Function};

/// Returns the name of a tool on the wire.
pub(super) fn of(attribute: &Attribute, function: &Function) -> String {
    attribute.name.as_ref().map_or_else(|| of_function(function), |given| given.value.clone())
}

/// Returns the name of the function.
pub(super) fn of_function(function: &Function) -> String {
    function.signature.ident.unraw().to_string()
}

const HELP: &str =
    "use 1 to 128 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, as in `name = \"get_weather\"`";

// MCP, tools: names are 1 to 128 characters of `A-Za-z0-9_.-`.
pub(super) fn check_name(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let (section, tokens) = match &attribute.name {
        Some(given) => (Section::Attribute, given.tokens.clone()),
        None => (Section::Name, function.signature.ident.to_token_stream()),
    };
    let name = of(attribute, function);
    if let Some(fault) = fault(&name, 128) {
        errors.push(section, tokens, format!("the {} name `{name}` {fault}", function.item_kind), HELP);
    }
}

// An alias must be a valid name, different from the name of the tool.
pub(super) fn check_alias(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(given) = &attribute.alias else { return };
    let alias = &given.value;
    if let Some(fault) = fault(alias, 128) {
        let help = HELP.replace("name =", "alias =");
        errors.push(Section::Attribute, &given.tokens, format!("the alias `{alias}` {fault}"), help);
    } else if *alias == of(attribute, function) {
        errors.push(
            Section::Attribute,
            &given.tokens,
            format!("the alias `{alias}` is the current name of the tool"),
            "write the previous name, or remove `alias`",
        );
    }
}

/// Returns the error of a name; `None` if it is valid.
pub(super) fn fault(name: &str, most: usize) -> Option<String> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if let Some(other) = name.chars().find(|c| !allowed(c)) {
        return Some(format!("contains {other:?}"));
    }
    // A name of dots only would be a relative step in a path.
    if name.bytes().all(|byte| byte == b'.') {
        return Some("consists only of dots".to_owned());
    }
    (name.len() > most).then(|| format!("is longer than {most} characters"))
}
