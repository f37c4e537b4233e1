//! Tokens that several expansions use.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ExprPath;

use crate::diagnostics::ends;

/// Returns an identifier that cannot collide with one of the user's code.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

pub(super) fn argument(position: usize) -> Ident {
    local(&format!("__arg{position}"))
}

/// Returns a tuple; more than eight items are nested.
pub(super) fn tuple(mut items: Vec<TokenStream>) -> TokenStream {
    while items.len() > 8 {
        items = items.chunks(8).map(|items| quote!((#(#items,)*))).collect();
    }
    quote!((#(#items,)*))
}

/// `|__requiring| __requiring.by(api_key)`
pub(super) fn bound_function(name: &str, function: &ExprPath) -> TokenStream {
    let (start, end) = ends(&function.to_token_stream());
    let mut parameter = local(name);
    parameter.set_span(parameter.span().located_at(start));
    let by = quote_spanned!(end=> .by(#function));
    quote!(|#parameter| #parameter #by)
}

/// `Some(…)` or `None` by their full paths, which the user's code cannot shadow.
pub(super) fn option<T>(value: Option<T>, tokens: impl FnOnce(T) -> TokenStream) -> TokenStream {
    match value.map(tokens) {
        Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}
