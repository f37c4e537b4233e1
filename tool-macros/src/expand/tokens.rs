//! Tokens that several parts of an expansion are made of.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ExprPath;

use crate::diagnostics::ends;

/// A name that no name of the user's can be.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

pub(super) fn argument(position: usize) -> Ident {
    local(&format!("__arg{position}"))
}

/// A tuple of any length: of more than eight, a tuple of tuples.
pub(super) fn tuple(mut items: Vec<TokenStream>) -> TokenStream {
    while items.len() > 8 {
        items = items.chunks(8).map(|items| quote!((#(#items,)*))).collect();
    }
    quote!((#(#items,)*))
}

/// `|__requiring| __requiring.by(api_key)`
pub(super) fn bound_function(name: &str, function: &ExprPath) -> TokenStream {
    let (start, end) = ends(&function.to_token_stream());
    let mut asking = local(name);
    asking.set_span(asking.span().located_at(start));
    let by = quote_spanned!(end=> .by(#function));
    quote!(|#asking| #asking #by)
}

/// `Some(…)` or `None`, however these names are taken.
pub(super) fn option<T>(value: Option<T>, tokens: impl FnOnce(T) -> TokenStream) -> TokenStream {
    match value.map(tokens) {
        Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}
