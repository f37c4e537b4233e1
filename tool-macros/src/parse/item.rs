//! The annotated item: a function or an `impl` block.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Ident, Signature, Token, Visibility};

use crate::diagnostics::{Errors, Section};
use crate::parse::block::{Block, block};
use crate::parse::function::{Function, function};
use crate::parse::item_kind::ItemKind;

/// The item under `#[tool]`.
pub(crate) enum Item {
    Function(Box<Function>),
    Block(Box<Block>),
    /// An item that cannot be parsed, or is not supported.
    Other,
}

/// Reads the item.
pub(crate) fn item(item_kind: ItemKind, tokens: &TokenStream, errors: &mut Errors) -> Item {
    if let Some(function) = function(item_kind, tokens.clone(), errors) {
        return Item::Function(Box::new(function));
    }
    if item_kind == ItemKind::Tool
        && let Some(block) = block(tokens)
    {
        return Item::Block(Box::new(block));
    }
    if let Some(name) = bodiless(tokens) {
        let fact = format!("`#[{item_kind}]` cannot be applied to a function without a body");
        let help = "apply it to the function with the body, or to a new one that calls this one".to_owned();
        errors.push(Section::Name, name, fact, help);
        return Item::Other;
    }
    // rustc reports incomplete functions and blocks; other items are reported here.
    if let Ok(other) = syn::parse2::<syn::Item>(tokens.clone())
        && !matches!(other, syn::Item::Fn(_) | syn::Item::Verbatim(_))
        && (item_kind == ItemKind::Prompt || !matches!(other, syn::Item::Impl(_)))
    {
        let help = match item_kind {
            ItemKind::Tool => {
                "apply it to a `fn` or an `async fn`, or to an `impl` block whose methods are tools"
            }
            ItemKind::Prompt => "apply it to a `fn` or an `async fn`",
        };
        let fact = match item_kind {
            ItemKind::Tool => "`#[tool]` can only be applied to functions and `impl` blocks",
            ItemKind::Prompt => "`#[prompt]` can only be applied to functions",
        };
        errors.push(Section::Attribute, keyword(&other), fact, help);
    }
    Item::Other
}

/// Returns the name of a function that ends in `;`, as in a trait or an `extern` block.
fn bodiless(tokens: &TokenStream) -> Option<Ident> {
    let parser = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let signature: Signature = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(signature.ident)
    };
    parser.parse2(tokens.clone()).ok()
}

/// Returns the keyword of an item, such as `struct`.
fn keyword(item: &syn::Item) -> TokenStream {
    let tokens = item.to_token_stream();
    let is_keyword = |token: &TokenTree| {
        let text = token.to_string();
        ["struct", "enum", "union", "trait", "impl", "mod", "static", "const", "type", "use", "macro_rules"]
            .contains(&text.as_str())
    };
    tokens.clone().into_iter().find(is_keyword).map_or(tokens, ToTokens::into_token_stream)
}
