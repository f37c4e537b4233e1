//! The annotated function: a parsed signature, and a body that remains tokens.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, FnArg, Receiver, ReturnType, Signature, Type, Visibility};

use crate::diagnostics::Errors;
use crate::parse::argument::{Argument, argument, receiver};
use crate::parse::item_kind::ItemKind;

/// A parsed function.
pub(crate) struct Function {
    /// The kind of declaration.
    pub(crate) item_kind: ItemKind,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// The signature to emit, without the attributes of this crate.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    /// The type of the `impl` block with `#[tool]`, if the function is in one.
    pub(crate) owner: Option<Type>,
    pub(crate) receiver: Option<Receiver>,
    /// The parameters, including `self` in a block with `#[tool]`.
    pub(crate) arguments: Vec<Argument>,
}

/// Reads a function. Returns `None` for syntax errors.
pub(super) fn function(item_kind: ItemKind, item: TokenStream, errors: &mut Errors) -> Option<Function> {
    let parser = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_outer)?, input.parse()?));
    let (attributes, head) = parser.parse2(item).ok()?;
    Some(Function::new(item_kind, attributes, head, None, errors))
}

/// The part of a function after its attributes.
pub(super) struct Head {
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = input.parse()?;
        let signature = input.parse()?;
        // Only rustc parses the body; an item without one is not a function.
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

    /// Returns the return type, if there is one.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, kind) => Some(kind),
        }
    }
}
