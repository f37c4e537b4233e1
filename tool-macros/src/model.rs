//! A declaration in which everything is valid: what `expand` takes, and only `check` makes.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, Ident, Type};

use crate::docs::Description;

/// A valid declaration.
pub(crate) struct Tool {
    /// The path of `tool_core`.
    pub(crate) krate: TokenStream,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Description,
    pub(crate) operation: Ident,
    pub(crate) destructive: bool,
    /// `None` where it is what the operation implies.
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) running: Running,
    pub(crate) parameters: Vec<Parameter>,
    /// What the generated code depends on, as the function does.
    pub(crate) cfgs: Vec<Attribute>,
}

/// How the function is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Async,
    Sync,
    Blocking,
}

/// One parameter of the function.
pub(crate) enum Parameter {
    Input(Box<Input>),
    Injected(Box<Type>),
}

/// One input.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) description: Option<Description>,
    pub(crate) kind: Type,
    pub(crate) default: Option<Default>,
    pub(crate) example: Option<Expr>,
}

/// The value of an input that was left out.
pub(crate) enum Default {
    OfType,
    Is(Expr),
}
