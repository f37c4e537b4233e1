//! The function under the attribute: its signature in parts, its body left as tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Receiver, ReturnType, Signature, Type, Visibility};

use crate::diagnostics::{Errors, Place};
use crate::parse::argument::{Argument, argument};

/// A function, with what the macro reads taken out of its signature.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// As it is written out again: without the attributes of the parameters that are ours.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) arguments: Vec<Argument>,
}

/// Reads the item. `None`, with or without a mistake, when it is no function that Rust can read.
pub(crate) fn function(item: TokenStream, errors: &mut Errors) -> Option<Function> {
    match syn::parse2::<Head>(item.clone()) {
        Ok(Head { attributes, visibility, mut signature, body }) => {
            let receiver = signature.receiver().cloned();
            let arguments = signature.inputs.iter_mut().filter_map(|input| match input {
                FnArg::Typed(input) => Some(argument(input, errors)),
                FnArg::Receiver(_) => None,
            });
            let arguments = arguments.collect();
            Some(Function { attributes, visibility, signature, body, receiver, arguments })
        }
        Err(_) => {
            // A function that is half typed is for rustc to speak about; another item is for us.
            if let Ok(other) = syn::parse2::<syn::Item>(item)
                && !matches!(other, syn::Item::Fn(_) | syn::Item::Verbatim(_))
            {
                errors.push(
                    Place::Attribute,
                    keyword(&other),
                    "`#[tool]` stands on something that is no function",
                    "put it on a `fn` or an `async fn`",
                );
            }
            None
        }
    }
}

struct Head {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        // The body is for rustc alone; a function without one is none.
        if !input.peek(syn::token::Brace) {
            return Err(input.error("expected a body"));
        }
        Ok(Head { attributes, visibility, signature, body: input.parse()? })
    }
}

/// The token that names the kind of an item, as `struct` does.
fn keyword(item: &syn::Item) -> TokenStream {
    let tokens = item.to_token_stream();
    let is_keyword = |token: &proc_macro2::TokenTree| {
        let text = token.to_string();
        ["struct", "enum", "union", "trait", "impl", "mod", "static", "const", "type", "use", "macro_rules"]
            .contains(&text.as_str())
    };
    tokens.clone().into_iter().find(is_keyword).map_or(tokens, ToTokens::into_token_stream)
}

impl Function {
    /// The type that the function returns; nothing stands for `()`.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, kind) => Some(kind),
        }
    }
}
