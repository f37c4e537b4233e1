//! Checks the function itself: its qualifiers, generics, parameters and output.

use quote::ToTokens;
use syn::{Signature, Type};

use super::receiver;
use crate::diagnostics::{Errors, Section, find_borrow};
use crate::parse::{Function, ItemKind};

pub(super) fn check(function: &Function, errors: &mut Errors) {
    check_declared_once(function, errors);
    check_qualifiers(function, errors);
    check_generics(function, errors);
    receiver::check_receiver(function, errors);
    check_number_of_parameters(function, errors);
    check_output(function, errors);
}

// Two declarations would register two tools of the same name.
fn check_declared_once(function: &Function, errors: &mut Errors) {
    for attribute in &function.attributes {
        let (fact, help) = match ItemKind::of(attribute) {
            Some(item_kind) if item_kind == function.item_kind => {
                (format!("`#[{item_kind}]` appears twice on one function"), "keep one")
            }
            Some(_) => (
                "a function cannot be both a tool and a prompt".to_owned(),
                "declare two functions, and call one from the other",
            ),
            None => continue,
        };
        errors.push(Section::Attribute, &attribute.meta, fact, help);
    }
}

// The function is called from safe Rust.
fn check_qualifiers(function: &Function, errors: &mut Errors) {
    let Function { signature, item_kind, .. } = function;
    let help = "declare a plain `fn` that calls it";
    if let syn::Safety::Unsafe(token) = &signature.safety {
        errors.push(Section::Signature, token, format!("a {item_kind} cannot be `unsafe`"), help);
    }
    if let Some(abi) = &signature.abi {
        errors.push(Section::Signature, abi, format!("a {item_kind} cannot have a foreign ABI"), help);
    }
}

// A tool has one schema, so each input has one type.
fn check_generics(function: &Function, errors: &mut Errors) {
    let Function { item_kind, signature: Signature { generics, .. }, .. } = function;
    if !generics.params.is_empty() {
        errors.push(
            Section::Signature,
            &generics.params,
            format!("a {item_kind} cannot be generic"),
            "declare one function for each concrete type",
        );
    } else if let Some(clause) = &generics.where_clause {
        errors.push(
            Section::Signature,
            clause,
            format!("a {item_kind} cannot have a `where` clause"),
            "remove it",
        );
    }
}

// Parameters become nested tuples of eight; a struct is easier to read beyond their limit.
fn check_number_of_parameters(function: &Function, errors: &mut Errors) {
    if let Some(argument) = function.arguments.get(64) {
        errors.push(
            Section::Parameters,
            &argument.binding,
            format!("a {} takes at most 64 parameters", function.item_kind),
            "group some of them in a struct",
        );
    }
}

// The output needs a schema, and so a type that can be named.
fn check_output(function: &Function, errors: &mut Errors) {
    match function.returns() {
        Some(Type::ImplTrait(kind)) => errors.push(
            Section::Output,
            kind,
            format!("the output of a {} must have a concrete type", function.item_kind),
            "write the type instead of `impl …`; make a function that returns a future an `async fn`",
        ),
        Some(Type::Reference(reference)) if reference.lifetime.is_none() => {
            borrows(function, reference, errors);
        }
        // Outside of methods, rustc reports the missing lifetime itself.
        Some(kind) if function.receiver.is_some() => {
            if let Some(part) = find_borrow(kind.to_token_stream()) {
                borrows(function, part, errors);
            }
        }
        _ => {}
    }
}

fn borrows(function: &Function, tokens: impl ToTokens, errors: &mut Errors) {
    errors.push(
        Section::Output,
        tokens,
        format!("the output of a {} cannot be borrowed", function.item_kind),
        "return it by value, or as `&'static …`",
    );
}
