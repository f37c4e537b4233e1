//! The address of a result: `node/{id}/revision/{vid}`, with the locator inputs as its variables.

use super::operation::operation;
use super::parameter;
use crate::diagnostics::{Errors, Section};
use crate::parse::{Argument, Attribute, Function};

pub(super) fn check(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    check_operation(attribute, errors);
    check_form(attribute, errors);
    check_variables(attribute, function, errors);
    check_locators(attribute, function, errors);
}

// Only results that are read have an address.
fn check_operation(attribute: &Attribute, errors: &mut Errors) {
    let (Some(given), Some(operation)) = (&attribute.path, operation(attribute)) else { return };
    if !has_address(&operation) {
        errors.push(
            Section::Attribute,
            &given.tokens,
            format!("the result of a `{operation}` tool has no address"),
            "remove `path`, or declare `operation = Read`",
        );
    }
}

fn has_address(operation: &str) -> bool {
    matches!(operation, "Explain" | "Read")
}

// Names and variables are separated by slashes, so that a path can be parsed in one way only.
fn check_form(attribute: &Attribute, errors: &mut Errors) {
    if let Some(given) = &attribute.path
        && let Err(PathError { fact, help }) = variables(&given.value)
    {
        errors.push(Section::Attribute, &given.tokens, fact, help);
    }
}

// The variables must be known before the call, and be locators.
fn check_variables(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some((path, variables)) = parsed_path(attribute) else { return };
    for variable in &variables {
        let (fact, help) = match input(variable, function) {
            None => (format!("`{variable}` in `path` is not an input of this tool"), locators_of(function)),
            Some(input) if input.options.key("locator").is_none() && !input.options.unread => (
                format!("`{variable}` in `path` is not a locator"),
                format!("mark `{variable}` with `#[arg(locator)]`"),
            ),
            Some(_) => continue,
        };
        errors.push(Section::Attribute, &path.tokens, fact, help);
    }
}

// A path without all locators would be ambiguous.
fn check_locators(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some((path, variables)) = parsed_path(attribute) else { return };
    // A misspelled locator is already reported.
    let misspelled = variables.iter().any(|variable| input(variable, function).is_none());
    for argument in function.arguments.iter().filter(|argument| argument.inject.is_none()) {
        let options = &argument.options;
        let Some(name) = parameter::name_of(argument) else { continue };
        if options.unread || variables.contains(&name) {
            continue;
        }
        let (fact, help) = match options.key("locator") {
            Some(_) if misspelled => continue,
            Some(_) => (
                format!("the locator `{name}` is missing from `path`"),
                format!("write `path = \"{}/{{{name}}}\"`, or remove `locator`", path.value),
            ),
            None if options.flatten.is_some() => (
                format!("the fields of `{name}` are not locators and are missing from `path`"),
                "make each of them a locator parameter, or remove `path`".to_owned(),
            ),
            None => (
                format!("`{name}` is not a locator and is missing from `path`"),
                format!("mark `{name}` with `#[arg(locator)]` and add `{{{name}}}`, or remove `path`"),
            ),
        };
        errors.push(Section::Attribute, &path.tokens, fact, help);
    }
}

/// Returns the input that a variable names.
fn input<'f>(variable: &str, function: &'f Function) -> Option<&'f Argument> {
    function.arguments.iter().find(|argument| {
        let is_input = argument.inject.is_none() && argument.options.flatten.is_none();
        is_input && parameter::name_of(argument).as_deref() == Some(variable)
    })
}

/// Returns the path and its variables, if they can be compared with the inputs.
fn parsed_path(attribute: &Attribute) -> Option<(&crate::parse::Spanned<String>, Vec<String>)> {
    let given = attribute.path.as_ref()?;
    // An operation without an address is already reported.
    if operation(attribute).is_some_and(|operation| !has_address(&operation)) {
        return None;
    }
    Some((given, variables(&given.value).ok()?))
}

fn locators_of(function: &Function) -> String {
    let is_locator =
        |argument: &&Argument| argument.inject.is_none() && argument.options.key("locator").is_some();
    let names: Vec<String> =
        function.arguments.iter().filter(is_locator).filter_map(parameter::name_of).collect();
    if names.is_empty() {
        return "it has no locator inputs: mark one with `#[arg(locator)]`".to_owned();
    }
    format!("its locator inputs are `{}`", names.join("`, `"))
}

/// An error in a path, with a suggestion.
#[derive(Debug)]
pub(super) struct PathError {
    fact: String,
    help: &'static str,
}

/// Returns the variables of a path, in order.
pub(super) fn variables(path: &str) -> Result<Vec<String>, PathError> {
    let fault = |fact: String, help| Err(PathError { fact, help });
    if path.is_empty() {
        return fault("`path` is empty".to_owned(), "write an address, as in `path = \"node/{id}\"`");
    }
    let mut variables = Vec::new();
    for segment in path.split('/') {
        if segment.is_empty() {
            let fact = if path.starts_with('/') {
                "`path` starts with a slash"
            } else if path.ends_with('/') {
                "`path` ends with a slash"
            } else {
                "`path` has an empty segment"
            };
            return fault(fact.to_owned(), "write one slash between two segments, as in `node/{id}`");
        }
        if matches!(segment, "." | "..") {
            return fault(
                format!("`{segment}` is not allowed in `path`"),
                "write the segments of the address itself",
            );
        }
        let Some(variable) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            if segment.contains(['{', '}']) {
                return fault(
                    format!("`{segment}` in `path` is neither a name nor a variable"),
                    "a variable is a whole segment: `{id}`",
                );
            }
            if let Some(other) = segment.chars().find(|c| !is_plain(*c)) {
                return fault(
                    format!("`path` contains {other:?}"),
                    "use plain characters; an address is escaped when it is used",
                );
            }
            continue;
        };
        if variable.is_empty() || variable.contains(['{', '}']) {
            return fault(
                format!("`{segment}` in `path` names no input"),
                "write the name of a locator input: `{id}`",
            );
        }
        if variables.iter().any(|earlier| earlier == variable) {
            return fault(format!("`{variable}` appears twice in `path`"), "keep one");
        }
        variables.push(variable.to_owned());
    }
    Ok(variables)
}

/// Returns `true` if a character is allowed outside of variables.
fn is_plain(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !matches!(c, '?' | '#' | '%' | '\\')
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn reads_paths_like_tool_core() {
        let table: &[(&str, Option<&[&str]>)] = &include!("../../../tests/paths.rs");
        for (path, expected) in table {
            let read = variables(path).ok();
            assert_eq!(
                read,
                expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
                "{path:?}"
            );
        }
    }
}
