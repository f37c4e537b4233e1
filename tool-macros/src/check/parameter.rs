//! The name and the type of a parameter as strings.

use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::{Ident, Pat, Type};

use crate::parse::Argument;

/// Returns the name of an input on the wire.
pub(super) fn name_of(argument: &Argument) -> Option<String> {
    match &argument.options.rename {
        Some(given) => Some(given.value.clone()),
        None => ident(argument).map(|ident| ident.unraw().to_string()),
    }
}

/// Returns the name of a parameter, if it has one.
pub(super) fn ident(argument: &Argument) -> Option<&Ident> {
    match &argument.binding {
        Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none() => Some(&pattern.ident),
        _ => None,
    }
}

/// Returns a type as people write it, with less whitespace than its tokens.
pub(super) fn type_text(kind: &Type) -> String {
    let tokens = kind.to_token_stream().to_string();
    tokens.replace(" < ", "<").replace(" >", ">").replace(" :: ", "::").replace(" ,", ",")
}
