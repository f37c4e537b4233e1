//! Checks the parameters of a function: inputs and injected parameters.

use quote::{ToTokens, quote};
use syn::Type;
use syn::ext::IdentExt as _;

use super::parameter::{ident, name_of, type_text};
use super::{constraints, name};
use crate::diagnostics::{Errors, Section, find_borrow};
use crate::parse::{ArgOptions, Argument, Attribute, Function, ItemKind};

pub(super) fn check(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    for argument in &function.arguments {
        check_cfg(argument, errors);
        check_injected(argument, errors);
        check_binding(argument, errors);
        check_input_name(argument, errors);
        check_type(argument, errors);
        if argument.inject.is_none() {
            constraints::check(attribute, argument, errors);
        }
        if function.item_kind == ItemKind::Prompt {
            check_prompt_options(argument, errors);
        }
    }
    check_input_names_differ(function, errors);
    constraints::check_headers_differ(function, errors);
}

// The generated code names every parameter, whether or not its `#[cfg]` applies.
fn check_cfg(argument: &Argument, errors: &mut Errors) {
    if let Some(cfg) = &argument.cfg {
        errors.push(
            Section::Parameters,
            cfg,
            "an input cannot depend on a `cfg`",
            "put the `#[cfg]` on the function, and declare one function for each case",
        );
    }
}

// Options of inputs have no effect on injected parameters.
fn check_injected(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_none() {
        return;
    }
    if let Some(arg) = &argument.arg {
        errors.push(
            Section::Parameters,
            arg,
            "an injected parameter is not an input and cannot have `#[arg]`",
            "remove one of `#[inject]` and `#[arg]`",
        );
    }
    if !argument.docs.is_empty() {
        let docs = &argument.docs;
        errors.push(
            Section::Parameters,
            quote!(#(#docs)*),
            "the description of an injected parameter is not shown anywhere",
            "make it a plain comment: `// …`",
        );
    }
}

// The input is named after its parameter.
fn check_binding(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_some() || ident(argument).is_some() {
        return;
    }
    errors.push(
        Section::Parameters,
        &argument.binding,
        "an input needs a name",
        "name the parameter, and destructure it in the body",
    );
}

// The strictest model API defines the valid names of properties.
fn check_input_name(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_some() {
        return;
    }
    let (name, tokens) = match (&argument.options.rename, ident(argument)) {
        (Some(given), _) => (given.value.clone(), given.tokens.clone()),
        (None, Some(ident)) => (ident.unraw().to_string(), ident.to_token_stream()),
        (None, None) => return,
    };
    if let Some(fault) = name::fault(&name, 64) {
        errors.push(
            Section::Parameters,
            tokens,
            format!("the input name `{name}` {fault}"),
            "use 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, as in `#[arg(rename = \"city\")]`",
        );
    }
}

// An input cannot borrow from its JSON, which is dropped before an asynchronous function runs.
fn check_type(argument: &Argument, errors: &mut Errors) {
    let what = if argument.inject.is_some() { "an injected parameter" } else { "an input" };
    match &argument.kind {
        Type::Reference(reference) => {
            let owned = match &*reference.elem {
                Type::Slice(slice) => format!("Vec<{}>", type_text(&slice.elem)),
                other if type_text(other) == "str" => "String".to_owned(),
                other => type_text(other),
            };
            errors.push(
                Section::Parameters,
                reference,
                format!("{what} cannot be borrowed"),
                format!("take it by value: `{owned}`"),
            );
        }
        Type::ImplTrait(kind) => {
            errors.push(
                Section::Parameters,
                kind,
                format!("{what} must have a concrete type"),
                "write the type instead of `impl …`",
            );
        }
        kind => {
            if let Some(part) = find_borrow(kind.to_token_stream()) {
                let fact = format!("{what} cannot be borrowed");
                let help = format!("use a type that owns its data; `{}` does not", type_text(kind));
                errors.push(Section::Parameters, part, fact, help);
            }
        }
    }
}

// The members of an object have different names.
fn check_input_names_differ(function: &Function, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for argument in function.arguments.iter().filter(|argument| argument.inject.is_none()) {
        let Some(name) = name_of(argument) else { continue };
        if seen.contains(&name) {
            // rustc rejects duplicate parameters; only a `rename` is checked here.
            if let Some(given) = &argument.options.rename {
                errors.push(
                    Section::Parameters,
                    &given.tokens,
                    format!("two inputs are named `{name}`"),
                    "give one of them another name",
                );
            } else if function
                .arguments
                .iter()
                .any(|other| other.options.rename.as_ref().is_some_and(|r| r.value == name))
            {
                errors.push(
                    Section::Parameters,
                    &argument.binding,
                    format!("two inputs are named `{name}`"),
                    "give one of them another name",
                );
            }
        }
        seen.push(name);
    }
}

// A prompt has neither an address nor a route.
fn check_prompt_options(argument: &Argument, errors: &mut Errors) {
    let names = ArgOptions::names(ItemKind::Prompt);
    for key in argument.options.keys().filter(|key| !names.iter().any(|name| *key == name)) {
        let fact = format!("`{key}` is not supported for prompt arguments");
        errors.push(Section::Parameters, key, fact, format!("remove `{key}`"));
    }
}
