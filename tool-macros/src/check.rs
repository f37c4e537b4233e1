//! Every rule of a declaration, one function a rule, in the order in which one reads it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::{Ident, Pat, Type};

use crate::diagnostics::{Errors, Place, similar};
use crate::docs::{self, Description};
use crate::model::{self, Input, Parameter, Running, Tool};
use crate::parse::{Argument, Attribute, Default, Function};

/// Makes a declaration of what was read, or notes everything that is wrong with it.
pub(crate) fn tool(attribute: &Attribute, function: &Function, errors: &mut Errors) -> Option<Tool> {
    check_operation(attribute, function, errors);
    check_destructive(attribute, function, errors);
    check_idempotent(attribute, errors);
    check_name(attribute, function, errors);
    check_title(attribute, errors);
    check_description(attribute, function, errors);
    check_blocking(attribute, function, errors);
    check_declared_once(function, errors);
    check_qualifiers(function, errors);
    check_generics(function, errors);
    check_receiver(function, errors);
    for argument in &function.arguments {
        check_cfg(argument, errors);
        check_injected(argument, errors);
        check_pattern(argument, errors);
        check_input_name(argument, errors);
        check_type(argument, errors);
    }
    check_input_names_differ(function, errors);
    check_number_of_parameters(function, errors);
    check_output(function, errors);
    if errors.any() { None } else { valid(attribute, function) }
}

const OPERATIONS: [&str; 5] = ["Explain", "Read", "Transform", "Trigger", "Write"];

fn modifies(operation: &str) -> bool {
    matches!(operation, "Trigger" | "Write")
}

/// The operation, where one of the five was given.
fn operation(attribute: &Attribute) -> Option<String> {
    let operation = attribute.operation.as_ref()?.value.to_string();
    OPERATIONS.contains(&operation.as_str()).then_some(operation)
}

fn name_of(function: &Function) -> String {
    function.signature.ident.unraw().to_string()
}

// What kind of thing a tool does decides what a client may assume, so that it is never guessed.
fn check_operation(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let list = "the operations are `Explain`, `Read`, `Transform`, `Trigger` and `Write`";
    match &attribute.operation {
        None if errors.mentions("operation") => {}
        None => errors.push(
            Place::Name,
            &function.signature.ident,
            format!("tool `{}` does not say what kind of thing it does", name_of(function)),
            format!("write `#[tool(operation = Read)]`; {list}"),
        ),
        Some(given) => {
            let word = given.value.to_string();
            if !OPERATIONS.contains(&word.as_str()) {
                let help = match similar(&word, OPERATIONS) {
                    Some(name) => format!("there is an operation with a similar name: `{name}`"),
                    None => list.to_owned(),
                };
                errors.push(Place::Attribute, &given.tokens, format!("`{word}` is no operation"), help);
            }
        }
    }
}

// MCP's default for a tool that modifies is "destructive": an author who means it says so, and one who does not, too.
fn check_destructive(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(operation) = operation(attribute) else { return };
    match &attribute.destructive {
        None if modifies(&operation) && !errors.mentions("destructive") => errors.push(
            Place::Attribute,
            attribute.operation.as_ref().map(|given| &given.tokens),
            format!(
                "tool `{}` is declared `operation = {operation}` and does not say whether it is destructive",
                name_of(function)
            ),
            "add `destructive = true` if it can delete or overwrite, else `destructive = false`",
        ),
        Some(given) if given.value && !modifies(&operation) => errors.push(
            Place::Attribute,
            &given.tokens,
            format!("a `{operation}` tool cannot be destructive"),
            "declare `operation = Write`, or drop `destructive = true`",
        ),
        _ => {}
    }
}

// To explain or to read twice is to explain or to read once.
fn check_idempotent(attribute: &Attribute, errors: &mut Errors) {
    let Some(operation) = operation(attribute) else { return };
    if let Some(given) = &attribute.idempotent
        && !given.value
        && matches!(operation.as_str(), "Explain" | "Read")
    {
        errors.push(
            Place::Attribute,
            &given.tokens,
            format!("`{operation}` tools are always idempotent"),
            "drop `idempotent = false`, or declare another operation",
        );
    }
}

// MCP, tools: names are 1 to 128 characters of `A-Za-z0-9_.-`.
fn check_name(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let (name, place, tokens) = match &attribute.name {
        Some(given) => (given.value.clone(), Place::Attribute, given.tokens.clone()),
        None => (name_of(function), Place::Name, function.signature.ident.to_token_stream()),
    };
    if let Some(fault) = fault_of_name(&name, 128) {
        errors.push(
            place,
            tokens,
            format!("the tool name `{name}` {fault}"),
            "use 1 to 128 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, as in `name = \"get_weather\"`",
        );
    }
}

fn fault_of_name(name: &str, most: usize) -> Option<String> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if let Some(other) = name.chars().find(|c| !allowed(c)) {
        return Some(format!("contains {other:?}"));
    }
    (name.len() > most).then(|| format!("is longer than {most} characters"))
}

// A title is what people see instead of the name.
fn check_title(attribute: &Attribute, errors: &mut Errors) {
    if let Some(given) = &attribute.title
        && given.value.trim().is_empty()
    {
        errors.push(
            Place::Attribute,
            &given.tokens,
            "the title is empty",
            "write a title for people, or drop `title`",
        );
    }
}

// A model chooses a tool by its description: one without is never found.
fn check_description(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    match &attribute.description {
        Some(given) if given.value.trim().is_empty() => errors.push(
            Place::Attribute,
            &given.tokens,
            "the description is empty",
            "say what the tool does, or drop `description` and write a doc comment",
        ),
        None if docs::description(&function.attributes).is_none() && !errors.mentions("description") => {
            errors.push(
                Place::Name,
                &function.signature.ident,
                format!("tool `{}` has no description", name_of(function)),
                "say what it does in a doc comment: `/// …`",
            );
        }
        _ => {}
    }
}

// An `async fn` that blocks is mended by `spawn_blocking` inside it; the option could not do that.
fn check_blocking(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    if let Some(blocking) = &attribute.blocking
        && function.signature.asyncness.is_some()
    {
        errors.push(
            Place::Attribute,
            blocking,
            "an `async fn` cannot be `blocking`",
            "drop `blocking`, or make it a plain `fn`",
        );
    }
}

// Twice declared is registered twice, and two tools of one name are no registry.
fn check_declared_once(function: &Function, errors: &mut Errors) {
    for attribute in &function.attributes {
        if attribute.path().segments.last().is_some_and(|last| last.ident == "tool") {
            errors.push(
                Place::Attribute,
                &attribute.meta,
                "`#[tool]` stands twice on one function",
                "keep one",
            );
        }
    }
}

// The pipeline calls the function from safe Rust.
fn check_qualifiers(function: &Function, errors: &mut Errors) {
    let signature = &function.signature;
    let help = "declare a plain function that calls it";
    if let syn::Safety::Unsafe(token) = &signature.safety {
        errors.push(Place::Signature, token, "a tool cannot be `unsafe`", help);
    }
    if let Some(abi) = &signature.abi {
        errors.push(Place::Signature, abi, "a tool cannot have a foreign ABI", help);
    }
}

// A tool has one schema, and so each of its inputs one type.
fn check_generics(function: &Function, errors: &mut Errors) {
    let generics = &function.signature.generics;
    if !generics.params.is_empty() {
        errors.push(
            Place::Signature,
            &generics.params,
            "a tool cannot be generic",
            "write out the types, and declare one function for each",
        );
    } else if let Some(clause) = &generics.where_clause {
        errors.push(Place::Signature, clause, "a tool cannot have a `where` clause", "drop it");
    }
}

// A method is declared on the `impl` block, which knows the type of `self`.
fn check_receiver(function: &Function, errors: &mut Errors) {
    if let Some(receiver) = &function.receiver {
        errors.push(
            Place::Parameters,
            receiver,
            "a tool cannot take `self`",
            "make it a free function and take the state as `#[inject] state: State<…>`",
        );
    }
}

// The generated code names every parameter, and cannot know which of them are compiled.
fn check_cfg(argument: &Argument, errors: &mut Errors) {
    if let Some(cfg) = &argument.cfg {
        errors.push(
            Place::Parameters,
            cfg,
            "an input cannot depend on a `cfg`",
            "put the `#[cfg]` on the function, and declare one function for each case",
        );
    }
}

// What is injected is no input: nothing of what is said about inputs would show anywhere.
fn check_injected(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_none() {
        return;
    }
    if let Some(arg) = &argument.arg {
        errors.push(
            Place::Parameters,
            arg,
            "an injected parameter is no input and takes no `#[arg]`",
            "drop one of `#[inject]` and `#[arg]`",
        );
    }
    if !argument.docs.is_empty() {
        let docs = &argument.docs;
        errors.push(
            Place::Parameters,
            quote!(#(#docs)*),
            "an injected parameter is no input, and its description is shown nowhere",
            "make it a plain comment: `// …`",
        );
    }
}

// The name of a parameter is the name of its input.
fn check_pattern(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_some() || ident(argument).is_some() {
        return;
    }
    errors.push(
        Place::Parameters,
        &argument.pattern,
        "an input needs a name",
        "give the parameter a name, and take it apart in the body",
    );
}

/// The name of a parameter that has one.
fn ident(argument: &Argument) -> Option<&Ident> {
    match &argument.pattern {
        Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none() => Some(&pattern.ident),
        _ => None,
    }
}

// What the strictest of the model APIs accepts as the name of a property.
fn check_input_name(argument: &Argument, errors: &mut Errors) {
    if argument.inject.is_some() {
        return;
    }
    let (name, tokens) = match (&argument.rename, ident(argument)) {
        (Some(given), _) => (given.value.clone(), given.tokens.clone()),
        (None, Some(ident)) => (ident.unraw().to_string(), ident.to_token_stream()),
        (None, None) => return,
    };
    if let Some(fault) = fault_of_name(&name, 64) {
        errors.push(
            Place::Parameters,
            tokens,
            format!("the input name `{name}` {fault}"),
            "use 1 to 64 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, as in `#[arg(rename = \"city\")]`",
        );
    }
}

// An input is read from JSON, which is gone when an asynchronous function runs.
fn check_type(argument: &Argument, errors: &mut Errors) {
    let what = if argument.inject.is_some() { "an injected parameter" } else { "an input" };
    match &argument.kind {
        Type::Reference(reference) => {
            let owned = match &*reference.elem {
                Type::Slice(slice) => format!("Vec<{}>", written(&slice.elem)),
                other if written(other) == "str" => "String".to_owned(),
                other => written(other),
            };
            errors.push(
                Place::Parameters,
                reference,
                format!("{what} cannot be borrowed"),
                format!("take it by value: `{owned}`"),
            );
        }
        Type::ImplTrait(kind) => {
            errors.push(
                Place::Parameters,
                kind,
                format!("{what} needs one type"),
                "write the type instead of `impl …`",
            );
        }
        _ => {}
    }
}

/// A type as one writes it, which is denser than its tokens.
fn written(kind: &Type) -> String {
    let tokens = kind.to_token_stream().to_string();
    tokens.replace(" < ", "<").replace(" >", ">").replace(" :: ", "::").replace(" ,", ",")
}

// One object cannot have two members of one name.
fn check_input_names_differ(function: &Function, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for argument in function.arguments.iter().filter(|argument| argument.inject.is_none()) {
        let Some(name) = input_name(argument) else { continue };
        if seen.contains(&name) {
            // Two parameters of one name are for rustc to refuse; a `rename` is ours.
            if let Some(given) = &argument.rename {
                errors.push(
                    Place::Parameters,
                    &given.tokens,
                    format!("two inputs are named `{name}`"),
                    "give one of them another name",
                );
            } else if function
                .arguments
                .iter()
                .any(|other| other.rename.as_ref().is_some_and(|r| r.value == name))
            {
                errors.push(
                    Place::Parameters,
                    &argument.pattern,
                    format!("two inputs are named `{name}`"),
                    "give one of them another name",
                );
            }
        }
        seen.push(name);
    }
}

fn input_name(argument: &Argument) -> Option<String> {
    match &argument.rename {
        Some(given) => Some(given.value.clone()),
        None => ident(argument).map(|ident| ident.unraw().to_string()),
    }
}

// Inputs are folded into tuples of eight, twice: beyond that a struct serves the reader better, too.
fn check_number_of_parameters(function: &Function, errors: &mut Errors) {
    if let Some(argument) = function.arguments.get(64) {
        errors.push(
            Place::Parameters,
            &argument.pattern,
            "a tool takes at most 64 parameters",
            "gather some of them in a struct",
        );
    }
}

// The output has a schema, and so a type with a name.
fn check_output(function: &Function, errors: &mut Errors) {
    match function.returns() {
        Some(Type::ImplTrait(kind)) => errors.push(
            Place::Output,
            kind,
            "the output of a tool needs one type",
            "write the type instead of `impl …`; make a function that returns a future an `async fn`",
        ),
        Some(Type::Reference(reference)) if reference.lifetime.is_none() => errors.push(
            Place::Output,
            reference,
            "the output of a tool cannot be borrowed",
            "return it by value, or as `&'static …`",
        ),
        _ => {}
    }
}

/// The declaration, when nothing is wrong with what was read.
fn valid(attribute: &Attribute, function: &Function) -> Option<Tool> {
    let description = match &attribute.description {
        Some(given) => Description::Text(given.value.trim().to_owned()),
        None => docs::description(&function.attributes)?,
    };
    let running = match (&function.signature.asyncness, &attribute.blocking) {
        (Some(_), _) => Running::Async,
        (None, Some(_)) => Running::Blocking,
        (None, None) => Running::Sync,
    };
    let parameter = |argument: &Argument| {
        if argument.inject.is_some() {
            return Some(Parameter::Injected(Box::new(argument.kind.clone())));
        }
        Some(Parameter::Input(Box::new(Input {
            name: input_name(argument)?,
            description: argument.description.clone(),
            kind: argument.kind.clone(),
            default: argument.default.as_ref().map(|default| match default {
                Default::OfType => model::Default::OfType,
                Default::Is(value) => model::Default::Is((**value).clone()),
            }),
            example: argument.example.clone(),
        })))
    };
    Some(Tool {
        krate: krate(attribute),
        name: attribute.name.as_ref().map_or_else(|| name_of(function), |given| given.value.clone()),
        title: attribute.title.as_ref().map(|given| given.value.trim().to_owned()),
        description,
        operation: attribute.operation.as_ref()?.value.clone(),
        destructive: attribute.destructive.as_ref().is_some_and(|given| given.value),
        idempotent: attribute.idempotent.as_ref().map(|given| given.value),
        open_world: attribute.open_world.as_ref().map(|given| given.value),
        running,
        parameters: function.arguments.iter().map(parameter).collect::<Option<_>>()?,
        cfgs: function
            .attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .cloned()
            .collect(),
    })
}

fn krate(attribute: &Attribute) -> TokenStream {
    match &attribute.krate {
        Some(path) => path.to_token_stream(),
        None => quote!(::tool_core),
    }
}
