//! `tools![path::add, …]` and `prompts![…]`: what is declared, by the paths of the functions.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{ExprPath, Ident, Token};

use crate::diagnostics::{Errors, Section};
use crate::parse::ItemKind;

/// Returns the name of the constant that holds the declaration of a function. If the function has no attribute, rustc reports
/// that this name is missing, so the name says what to add.
pub(crate) fn constant(item_kind: ItemKind, function: &Ident) -> Ident {
    format_ident!("__{}_attribute_of_{}", item_kind.to_string(), function.unraw(), span = function.span())
}

/// `$crate, path::add, Shop::open` into `declared(const { &[path::__tool_attribute_of_add, Shop::__tool_attribute_of_open] })`.
pub(crate) fn list(item_kind: ItemKind, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut krate = TokenStream::new();
    let mut paths: Vec<ExprPath> = Vec::new();
    let parser = |input: ParseStream<'_>| {
        krate = input.parse::<syn::Path>()?.into_token_stream();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                paths.extend(path(item_kind, input, &mut errors)?);
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        errors.push_syntax(Section::Attribute, &error);
    }
    // With a wrong path among them the others are still looked for.
    let declaration = match item_kind {
        ItemKind::Tool => quote!(declared),
        ItemKind::Prompt => quote!(listed_prompts),
    };
    let list = quote!(#krate::private::#declaration(const { &[#(#paths),*] }));
    let errors = errors.emit_after(TokenStream::new());
    quote!({ #errors #list })
}

/// Replaces the name of the function in a path by that of its constant; `None` for something else.
fn path(item_kind: ItemKind, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<ExprPath>> {
    let start = input.fork();
    if let Ok(mut path) = input.parse::<ExprPath>()
        && (input.is_empty() || input.peek(Token![,]))
    {
        if let Some(function) = path.path.segments.last_mut() {
            function.ident = constant(item_kind, &function.ident);
        }
        return Ok(Some(path));
    }
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    let mut given = TokenStream::new();
    while start.cursor() != input.cursor() {
        given.extend([start.parse::<proc_macro2::TokenTree>()?]);
    }
    errors.push(
        Section::Attribute,
        given,
        format!("`{item_kind}s!` expects the paths of functions that are {item_kind}s"),
        format!("write `{item_kind}s![one, my_module::another]`"),
    );
    Ok(None)
}
