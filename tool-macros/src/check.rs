//! Every rule of a declaration, one function a rule, in the order in which one reads it.

mod access;
mod attribute;
mod block;
mod constraints;
mod duration;
mod inputs;
mod literal;
mod name;
mod path;
mod pattern;
mod permission;
mod portable;
mod prompt;
mod receiver;
mod signature;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

pub(crate) use self::block::block;
pub(crate) use self::prompt::prompt;
use crate::diagnostics::Errors;
use crate::docs::{self, Description};
use crate::model::{self, Callee, Execution, Input, Parameter, Tool};
use crate::parse::{Argument, Attribute, Default, Function, ItemKind};

/// Makes a declaration of what was read, or notes everything that is wrong with it.
pub(crate) fn tool(attribute: &Attribute, function: &Function, errors: &mut Errors) -> Option<Tool> {
    self::attribute::check(attribute, function, errors);
    signature::check(function, errors);
    inputs::check(attribute, function, errors);
    if errors.any() { None } else { valid(attribute, function) }
}

/// The declaration, when nothing is wrong with what was read.
fn valid(attribute: &Attribute, function: &Function) -> Option<Tool> {
    Some(Tool {
        callee: callee(attribute, function)?,
        name: name::of(attribute, function),
        title: title(attribute),
        description: description(attribute, function)?,
        destructive: attribute.destructive.as_ref().is_some_and(|given| given.value),
        idempotent: attribute.idempotent.as_ref().map(|given| given.value),
        open_world: attribute.open_world.as_ref().map(|given| given.value),
        permission: attribute.permission.as_ref().map(permission::text),
        access: attribute.access.as_ref().map(|call| access::resolved(call, function)),
        requires: attribute.requires.as_ref().map_or_else(Vec::new, |given| given.value.clone()),
        tags: attribute.tags.iter().flat_map(|given| &given.value).map(|tag| tag.value.clone()).collect(),
        path: attribute.path.as_ref().map(|given| given.value.clone()),
        schema: attribute.schema.clone(),
        timeout: attribute.timeout.as_ref().and_then(|given| duration::parse(&given.value).ok()),
        cache: attribute.cache.as_ref().and_then(|given| duration::parse(&given.value).ok()),
        alias: attribute.alias.as_ref().map(|given| given.value.clone()),
        deprecated: docs::deprecated(&function.attributes),
        statically_checked: is_statically_checked(attribute, function),
    })
}

/// Returns `true` if `build()` need not hold defaults and constraints against the types of the inputs.
fn is_statically_checked(attribute: &Attribute, function: &Function) -> bool {
    let inputs = function.arguments.iter().filter(|argument| argument.inject.is_none());
    inputs.clone().all(literal::is_statically_checked)
        && (attribute.schema.is_none() || inputs.clone().all(|argument| argument.options.default.is_none()))
}

/// What is called, and with what.
fn callee(attribute: &Attribute, function: &Function) -> Option<Callee> {
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

fn title(attribute: &Attribute) -> Option<String> {
    attribute.title.as_ref().map(|given| given.value.trim().to_owned())
}

fn description(attribute: &Attribute, function: &Function) -> Option<Description> {
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

fn execution(attribute: &Attribute, function: &Function) -> Execution {
    match (&function.signature.asyncness, &attribute.blocking) {
        (Some(_), _) => Execution::Async,
        (None, Some(_)) => Execution::Blocking,
        (None, None) => Execution::Sync,
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
        name: inputs::name_of(argument)?,
        description: argument.description.clone(),
        kind: argument.kind.clone(),
        default: options.default.as_ref().map(|default| match default {
            Default::TypeDefault => model::Default::TypeDefault,
            Default::Expr(value) => model::Default::Expr((**value).clone()),
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
