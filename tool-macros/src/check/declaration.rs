//! The model of a valid function, for tools and prompts.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::execution::execution;
use super::{constraints, literal, parameter, receiver};
use crate::docs::{self, Description};
use crate::model::{self, Callee, Input, Parameter};
use crate::parse::{Argument, Attribute, DefaultOption, Function, ItemKind};

/// Returns the model of the call: the function and its parameters.
pub(super) fn callee(attribute: &Attribute, function: &Function) -> Option<Callee> {
    Some(Callee {
        krate: krate(attribute),
        item_kind: function.item_kind,
        operation: match function.item_kind {
            ItemKind::Tool => attribute.operation.as_ref()?.value.clone(),
            ItemKind::Prompt => Ident::new("Prompt", Span::call_site()),
        },
        owner: function.owner.clone(),
        execution: execution(attribute, function),
        parameters: function.arguments.iter().map(parameter).collect::<Option<_>>()?,
        cfgs: function
            .attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"))
            .cloned()
            .collect(),
    })
}

/// Returns `true` if `build()` need not check defaults and constraints against the types of the inputs.
pub(super) fn is_statically_checked(attribute: &Attribute, function: &Function) -> bool {
    let inputs = function.arguments.iter().filter(|argument| argument.inject.is_none());
    inputs.clone().all(literal::is_statically_checked)
        && (attribute.schema.is_none() || inputs.clone().all(|argument| argument.options.default.is_none()))
}

pub(super) fn title(attribute: &Attribute) -> Option<String> {
    attribute.title.as_ref().map(|given| given.value.trim().to_owned())
}

pub(super) fn description(attribute: &Attribute, function: &Function) -> Option<Description> {
    match &attribute.description {
        Some(given) => Some(Description::Text(given.value.trim().to_owned())),
        None => docs::description(&function.attributes),
    }
}

fn krate(attribute: &Attribute) -> TokenStream {
    match &attribute.krate {
        Some(path) => path.to_token_stream(),
        None => quote!(::tool_core),
    }
}

fn parameter(argument: &Argument) -> Option<Parameter> {
    if let Some(receiver) = &argument.receiver {
        return Some(Parameter::Receiver(Box::new(receiver::of(receiver))));
    }
    if argument.inject.is_some() {
        return Some(Parameter::Injected(Box::new(argument.kind.clone())));
    }
    let options = &argument.options;
    Some(Parameter::Input(Box::new(Input {
        name: parameter::name_of(argument)?,
        description: argument.description.clone(),
        kind: argument.kind.clone(),
        default: options.default.as_ref().map(|default| match default {
            DefaultOption::TypeDefault => model::Default::TypeDefault,
            DefaultOption::Expr(value) => model::Default::Expr((**value).clone()),
        }),
        example: options.example.clone(),
        range: options.range.as_ref().map(constraints::limits),
        length: options.length.as_ref().map(constraints::limits),
        pattern: options.pattern.as_ref().map(|given| given.value.clone()),
        secret: options.secret.is_some(),
        locator: options.locator.is_some(),
        complete: options.complete.clone(),
        header: options.header.as_ref().map(|given| given.value.clone()),
        flatten: options.flatten.is_some(),
    })))
}
