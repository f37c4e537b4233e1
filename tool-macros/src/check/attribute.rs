//! The options of `#[tool(…)]`.

use quote::ToTokens;

use super::execution::check_blocking;
use super::operation::{check_operation, modifies, operation};
use super::{access, duration, name, path, permission, task};
use crate::diagnostics::{Errors, Section};
use crate::docs;
use crate::parse::{Attribute, Function};

pub(super) fn check(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    check_operation(attribute, function, errors);
    check_destructive(attribute, function, errors);
    check_idempotent(attribute, errors);
    name::check_name(attribute, function, errors);
    check_title(attribute, errors);
    check_description(attribute, function, errors);
    permission::check_permission(attribute, errors);
    access::check_access(attribute, function, errors);
    check_requires(attribute, errors);
    check_tags(attribute, errors);
    path::check(attribute, function, errors);
    duration::check_timeout(attribute, function, errors);
    duration::check_cache(attribute, errors);
    task::check(attribute, function, errors);
    name::check_alias(attribute, function, errors);
    check_blocking(attribute, function, errors);
}

// MCP assumes that a modifying tool is destructive, so the author has to decide.
fn check_destructive(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(operation) = operation(attribute) else { return };
    match &attribute.destructive {
        None if modifies(&operation) && !errors.is_unreadable("destructive") => errors.push(
            Section::Attribute,
            attribute.operation.as_ref().map(|given| &given.tokens),
            format!(
                "tool `{}` has `operation = {operation}` but does not set `destructive`",
                name::of_function(function)
            ),
            "add `destructive = true` if it can delete or overwrite, else `destructive = false`",
        ),
        Some(given) if given.value && !modifies(&operation) => errors.push(
            Section::Attribute,
            &given.tokens,
            format!("a `{operation}` tool cannot be destructive"),
            "declare `operation = Write`, or remove `destructive = true`",
        ),
        _ => {}
    }
}

// Explaining and reading are always idempotent.
fn check_idempotent(attribute: &Attribute, errors: &mut Errors) {
    let Some(operation) = operation(attribute) else { return };
    if let Some(given) = &attribute.idempotent
        && !given.value
        && matches!(operation.as_str(), "Explain" | "Read")
    {
        errors.push(
            Section::Attribute,
            &given.tokens,
            format!("`{operation}` tools are always idempotent"),
            "remove `idempotent = false`, or declare another operation",
        );
    }
}

// People see the title instead of the name.
pub(super) fn check_title(attribute: &Attribute, errors: &mut Errors) {
    if let Some(given) = &attribute.title
        && given.value.trim().is_empty()
    {
        errors.push(
            Section::Attribute,
            &given.tokens,
            "the title is empty",
            "write a title, or remove `title`",
        );
    }
}

// A model chooses a tool by its description.
pub(super) fn check_description(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    match &attribute.description {
        Some(given) if given.value.trim().is_empty() => errors.push(
            Section::Attribute,
            &given.tokens,
            "the description is empty",
            format!(
                "describe what the {} does, or remove `description` and write a doc comment",
                function.item_kind
            ),
        ),
        None if docs::description(&function.attributes).is_none() && !errors.is_unreadable("description") => {
            errors.push(
                Section::Name,
                &function.signature.ident,
                format!("{} `{}` has no description", function.item_kind, name::of_function(function)),
                "describe it in a doc comment: `/// …`",
            );
        }
        _ => {}
    }
}

// An empty list or a duplicate is a mistake.
fn check_requires(attribute: &Attribute, errors: &mut Errors) {
    let Some(given) = &attribute.requires else { return };
    if given.value.is_empty() {
        errors.push(
            Section::Attribute,
            &given.tokens,
            "`requires` is empty",
            "name a function, as in `requires = [api_key]`, or remove `requires`",
        );
    }
    let mut seen = Vec::new();
    for path in &given.value {
        let text = path.to_token_stream().to_string().replace(' ', "");
        if seen.contains(&text) {
            errors.push(
                Section::Attribute,
                path,
                format!("`{text}` appears twice in `requires`"),
                "keep one",
            );
        }
        seen.push(text);
    }
}

// Tags are filters: an empty or duplicate tag is a mistake.
fn check_tags(attribute: &Attribute, errors: &mut Errors) {
    let Some(given) = &attribute.tags else { return };
    if given.value.is_empty() {
        let help = "name one, as in `tags = [\"weather\"]`, or remove `tags`";
        errors.push(Section::Attribute, &given.tokens, "`tags` is empty", help);
    }
    let mut seen = Vec::new();
    for tag in &given.value {
        if tag.value.trim().is_empty() {
            errors.push(Section::Attribute, &tag.tokens, "a tag is empty", "write a word, or remove it");
        } else if seen.contains(&&tag.value) {
            let fact = format!("the tag `{}` is given twice", tag.value);
            errors.push(Section::Attribute, &tag.tokens, fact, "keep one");
        }
        seen.push(&tag.value);
    }
}
