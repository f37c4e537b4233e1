//! Checks the `impl` block whose methods are tools.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::diagnostics::{Errors, Section, find_borrow};
use crate::parse::{Block, Member};

/// Adds every error of the block itself.
pub(crate) fn block(attribute: &TokenStream, block: &Block, errors: &mut Errors) {
    check_options(attribute, errors);
    check_tools(block, errors);
    check_inherent(block, errors);
    check_generics(block, errors);
    check_type(block, errors);
}

// Each method is a tool of its own.
fn check_options(attribute: &TokenStream, errors: &mut Errors) {
    if !attribute.is_empty() {
        errors.push(
            Section::Attribute,
            attribute,
            "`#[tool]` on an `impl` block takes no options",
            "write `#[tool]` here, and set the options in the `#[tool(…)]` of each method",
        );
    }
}

// An attribute without effect is a mistake.
fn check_tools(block: &Block, errors: &mut Errors) {
    if block.members.iter().all(|member| matches!(member, Member::Other(_))) {
        errors.push(
            Section::Name,
            &block.empty.self_ty,
            "no method in this `impl` block is a tool",
            "write `#[tool(operation = Read)]` on a method, or remove the `#[tool]` of the block",
        );
    }
}

// The generated items belong to the type; an `impl` of a trait cannot contain them.
fn check_inherent(block: &Block, errors: &mut Errors) {
    if let Some((path, _)) = &block.empty.trait_ {
        errors.push(
            Section::Signature,
            path,
            "a tool cannot be a trait method",
            "use an `impl` block of the type itself, with a method that calls this one",
        );
    }
}

// A tool has one schema, and its state has one type.
fn check_generics(block: &Block, errors: &mut Errors) {
    let generics = &block.empty.generics;
    if !generics.params.is_empty() {
        errors.push(
            Section::Signature,
            &generics.params,
            "an `impl` block with tools cannot be generic",
            "write one `impl` block for each concrete type",
        );
    } else if let Some(clause) = &generics.where_clause {
        errors.push(
            Section::Signature,
            clause,
            "an `impl` block with tools cannot have a `where` clause",
            "remove it",
        );
    }
}

// State lives as long as the registry, so its type must be `'static`.
fn check_type(block: &Block, errors: &mut Errors) {
    if let Some(part) = find_borrow(block.empty.self_ty.to_token_stream()) {
        errors.push(
            Section::Signature,
            part,
            "a tool cannot borrow its state",
            "use a type that owns its data, or write `'static`",
        );
    }
}
