//! Checks the `self` of a method.

use quote::ToTokens;
use syn::{ReceiverKind, Type};

use crate::diagnostics::{Errors, Section};
use crate::model;
use crate::parse::{Function, ItemKind};

// All calls share the state of a registry.
pub(super) fn check_receiver(function: &Function, errors: &mut Errors) {
    let Some(receiver) = &function.receiver else { return };
    let (fact, help) = match kind(receiver) {
        _ if function.item_kind == ItemKind::Prompt => (
            "a prompt cannot take `self`",
            "make it a free function and take the state as `#[inject] state: State<…>`",
        ),
        // Only the attribute on the `impl` block has the type of `self`.
        _ if function.owner.is_none() => (
            "`#[tool]` on a method needs a `#[tool]` on its `impl` block",
            "add `#[tool]` to the `impl` block, which cannot be the `impl` of a trait",
        ),
        ReceiverForm::Mutable => (
            "a tool cannot take `&mut self`",
            "take `&self`, and use a `Mutex` or an atomic for what changes",
        ),
        ReceiverForm::Consumed => {
            ("a tool cannot take `self` by value", "take `&self`, or `self: Arc<Self>`")
        }
        ReceiverForm::Static => ("a tool cannot take `&'static self`", "take `&self`, or `self: Arc<Self>`"),
        ReceiverForm::Borrowed | ReceiverForm::Other => return,
    };
    errors.push(Section::Parameters, receiver, fact, help);
}

/// The form of `self`.
enum ReceiverForm {
    Borrowed,
    Mutable,
    Static,
    Consumed,
    /// Another type, which the compiler checks.
    Other,
}

fn kind(receiver: &syn::Receiver) -> ReceiverForm {
    let reference = |lifetime: Option<&syn::Lifetime>, is_mut: bool| match lifetime {
        _ if is_mut => ReceiverForm::Mutable,
        Some(lifetime) if lifetime.ident == "static" => ReceiverForm::Static,
        _ => ReceiverForm::Borrowed,
    };
    match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, mutability) => {
            reference(lifetime.as_ref(), mutability.is_some())
        }
        ReceiverKind::Typed(_, kind) => match &**kind {
            Type::Reference(kind) => reference(kind.lifetime.as_ref(), kind.mutability.is_some()),
            Type::Path(path) if path.path.is_ident("Self") => ReceiverForm::Consumed,
            _ => ReceiverForm::Other,
        },
        _ => ReceiverForm::Consumed,
    }
}

/// Returns the model of a valid receiver.
pub(super) fn of(receiver: &syn::Receiver) -> model::Receiver {
    let tokens = match &receiver.kind {
        ReceiverKind::Typed(_, kind) => kind.to_token_stream(),
        _ => receiver.to_token_stream(),
    };
    model::Receiver { borrowed: matches!(kind(receiver), ReceiverForm::Borrowed), tokens }
}
