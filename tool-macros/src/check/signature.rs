//! The function itself: what it may be, and what it may return.

use syn::Type;

use crate::diagnostics::{Errors, Place};
use crate::parse::Function;

pub(super) fn check(function: &Function, errors: &mut Errors) {
    check_declared_once(function, errors);
    check_qualifiers(function, errors);
    check_generics(function, errors);
    check_receiver(function, errors);
    check_number_of_parameters(function, errors);
    check_output(function, errors);
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

// Inputs are folded into tuples of eight, twice: beyond that a struct serves the reader better, too.
fn check_number_of_parameters(function: &Function, errors: &mut Errors) {
    if let Some(argument) = function.arguments.get(64) {
        errors.push(
            Place::Parameters,
            &argument.binding,
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
