//! The model of a valid declaration: built by `check`, read by `expand`.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, ExprPath, Ident, Type};

use crate::docs::{Deprecated, Description};
use crate::parse::ItemKind;

/// A valid declaration of a tool.
pub(crate) struct Tool {
    pub(crate) callee: Callee,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Description,
    pub(crate) destructive: bool,
    /// `None` where it is what the operation implies.
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    /// In the text form of `tool_core::Permission`.
    pub(crate) permission: Option<String>,
    pub(crate) access: Option<Access>,
    pub(crate) requires: Vec<ExprPath>,
    pub(crate) tags: Vec<String>,
    pub(crate) path: Option<String>,
    pub(crate) schema: Option<Expr>,
    pub(crate) meta: Option<Expr>,
    /// A file of HTML, or a `Ui`.
    pub(crate) ui: Option<Expr>,
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
    pub(crate) task: Option<Task>,
    /// In milliseconds.
    pub(crate) cache: Option<u64>,
    pub(crate) alias: Option<String>,
    pub(crate) deprecated: Option<Deprecated>,
    /// Whether defaults and constraints fit the types of the inputs, as far as the macro can see.
    pub(crate) statically_checked: bool,
}

/// How a tool runs as a task.
pub(crate) struct Task {
    /// Whether every call is a task.
    pub(crate) is_required: bool,
    pub(crate) retries: Option<u32>,
    /// In milliseconds, as all durations.
    pub(crate) attempt_timeout: Option<u64>,
    pub(crate) ttl: Option<u64>,
    pub(crate) poll: Option<u64>,
}

/// A valid declaration of a prompt.
pub(crate) struct Prompt {
    pub(crate) callee: Callee,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Description,
    /// In the text form of `tool_core::Permission`.
    pub(crate) permission: Option<String>,
    pub(crate) access: Option<Access>,
    /// As [`Tool::statically_checked`].
    pub(crate) statically_checked: bool,
}

/// The function of a declaration.
pub(crate) struct Callee {
    /// The path of `tool_core`.
    pub(crate) krate: TokenStream,
    pub(crate) item_kind: ItemKind,
    /// The operation of a tool, and `Prompt` for a prompt: what may be injected depends on it.
    pub(crate) operation: Ident,
    /// The type of which the function is a method or an associated function.
    pub(crate) owner: Option<Type>,
    pub(crate) execution: Execution,
    pub(crate) parameters: Vec<Parameter>,
    /// What the generated code depends on, as the function does.
    pub(crate) cfgs: Vec<Attribute>,
}

impl Callee {
    fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Input(input) => Some(&**input),
            Parameter::Injected(_) | Parameter::Receiver(_) => None,
        })
    }

    /// Returns `true` if every input is a locator, as it is where there is none.
    pub(crate) fn takes_only_locators(&self) -> bool {
        self.inputs().all(|input| input.locator)
    }

    /// Returns `true` if a parameter is marked `#[inject]`, and so may be awaited. The `self` of a method never is.
    pub(crate) fn injects(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Injected(_)))
    }

    /// Returns `true` if a parameter, or what completes one, takes something that may not be there.
    pub(crate) fn takes_state(&self) -> bool {
        let injects = |parameter: &Parameter| !matches!(parameter, Parameter::Input(_));
        self.parameters.iter().any(injects) || self.inputs().any(|input| input.complete.is_some())
    }
}

/// The function that decides whether a call may go on.
pub(crate) struct Access {
    pub(crate) function: ExprPath,
    pub(crate) parentheses: Option<syn::token::Paren>,
    /// The parameters that it is shown: the position of each, and where it is named.
    pub(crate) parameters: Vec<(usize, Ident)>,
}

/// How a function is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Execution {
    Async,
    Sync,
    Blocking,
}

/// One parameter of the function.
pub(crate) enum Parameter {
    Input(Box<Input>),
    Injected(Box<Type>),
    Receiver(Box<Receiver>),
}

/// The `self` of a method: the state of that type.
pub(crate) struct Receiver {
    pub(crate) borrowed: bool,
    /// As it is written.
    pub(crate) tokens: TokenStream,
}

/// One input.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) description: Option<Description>,
    pub(crate) kind: Type,
    pub(crate) default: Option<Default>,
    pub(crate) example: Option<Expr>,
    pub(crate) range: Option<Limits>,
    pub(crate) length: Option<Limits>,
    pub(crate) pattern: Option<String>,
    pub(crate) secret: bool,
    pub(crate) locator: bool,
    pub(crate) complete: Option<ExprPath>,
    pub(crate) header: Option<String>,
    pub(crate) flatten: bool,
}

/// The value of an input that is missing.
pub(crate) enum Default {
    TypeDefault,
    Expr(Expr),
}

/// A minimum and a maximum, both included.
pub(crate) struct Limits {
    pub(crate) min: Option<Limit>,
    pub(crate) max: Option<Limit>,
}

/// One end of a range.
pub(crate) enum Limit {
    /// Made of literals, all of them integers.
    Integer(Expr),
    /// Made of literals, one with a fraction among them.
    Number(Expr),
    /// Anything else: its type says what it is.
    Constant(Expr),
}
