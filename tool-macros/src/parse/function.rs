//! The function under the attribute: its signature in parts, its body left as tokens.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, FnArg, Receiver, ReturnType, Signature, Type, Visibility};

use crate::diagnostics::Errors;
use crate::parse::argument::{Argument, argument, receiver};
use crate::parse::item_kind::ItemKind;

/// A function, with what the macro reads taken out of its signature.
pub(crate) struct Function {
    /// What it is declared as.
    pub(crate) item_kind: ItemKind,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// As it is written out again: without the attributes of the parameters that are ours.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    /// The type whose `impl` block carries `#[tool]`, and the function in it.
    pub(crate) owner: Option<Type>,
    pub(crate) receiver: Option<Receiver>,
    /// The parameters; `self` is one in a block that carries `#[tool]`.
    pub(crate) arguments: Vec<Argument>,
}

/// Reads a function. `None` when it is none that Rust can read.
pub(super) fn function(item_kind: ItemKind, item: TokenStream, errors: &mut Errors) -> Option<Function> {
    let parser = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_outer)?, input.parse()?));
    let (attributes, head) = parser.parse2(item).ok()?;
    Some(Function::new(item_kind, attributes, head, None, errors))
}

/// What follows the attributes.
pub(super) struct Head {
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = input.parse()?;
        let signature = input.parse()?;
        // The body is for rustc alone; a function without one is none.
        if !input.peek(syn::token::Brace) {
            return Err(input.error("expected a body"));
        }
        let body: TokenTree = input.parse()?;
        Ok(Head { visibility, signature, body: body.into() })
    }
}

impl Function {
    pub(super) fn new(
        item_kind: ItemKind,
        attributes: Vec<Attribute>,
        head: Head,
        owner: Option<Type>,
        errors: &mut Errors,
    ) -> Self {
        let Head { visibility, mut signature, body } = head;
        let arguments = signature.inputs.iter_mut().filter_map(|input| match input {
            FnArg::Typed(input) => Some(argument(input, errors)),
            FnArg::Receiver(input) => owner.is_some().then(|| receiver(input)),
        });
        let arguments = arguments.collect();
        let receiver = signature.receiver().cloned();
        Function { item_kind, attributes, visibility, signature, body, owner, receiver, arguments }
    }

    /// The type that the function returns; nothing stands for `()`.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, kind) => Some(kind),
        }
    }
}
