//! Checks the parameters that an access function takes.

use syn::Ident;
use syn::ext::IdentExt as _;

use super::parameter;
use crate::diagnostics::{Errors, Section, similar};
use crate::model::Access;
use crate::parse::{Attribute, Call, Function};

// An access function can only take parameters that the tool has.
pub(super) fn check_access(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(call) = &attribute.access else { return };
    for name in call.parameters.iter().filter(|name| position(name, function).is_none()) {
        let names: Vec<String> = function
            .arguments
            .iter()
            .filter_map(parameter::ident)
            .map(|ident| ident.unraw().to_string())
            .collect();
        let text = name.unraw().to_string();
        let help = match similar(&text, names.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`?"),
            None if names.is_empty() => "the function has no parameters with a name".to_owned(),
            None => format!("the parameters are `{}`", names.join("`, `")),
        };
        errors.push(
            Section::Attribute,
            name,
            format!("`{text}` in `access` is not a parameter of this function"),
            help,
        );
    }
}

/// Returns the call with the positions of the parameters that it names.
pub(super) fn resolved(call: &Call, function: &Function) -> Access {
    let parameter = |name: &Ident| position(name, function).map(|position| (position, name.clone()));
    Access {
        function: call.path.clone(),
        parentheses: call.parentheses,
        parameters: call.parameters.iter().filter_map(parameter).collect(),
    }
}

fn position(name: &Ident, function: &Function) -> Option<usize> {
    let is_named = |ident: &Ident| ident.unraw() == name.unraw();
    function.arguments.iter().position(|argument| parameter::ident(argument).is_some_and(is_named))
}
