//! The rules of a declaration: one function for each, in the order of the source.

mod access;
mod attribute;
mod block;
mod constraints;
mod declaration;
mod duration;
mod execution;
mod inputs;
mod literal;
mod name;
mod number;
mod operation;
mod parameter;
mod path;
mod pattern;
mod permission;
mod portable;
mod prompt;
mod receiver;
mod signature;
mod task;

pub(crate) use self::block::block;
pub(crate) use self::prompt::prompt;
use crate::diagnostics::Errors;
use crate::docs;
use crate::model::Tool;
use crate::parse::{Attribute, Function};

/// Builds the model of a tool, or adds every error of its declaration.
pub(crate) fn tool(attribute: &Attribute, function: &Function, errors: &mut Errors) -> Option<Tool> {
    self::attribute::check(attribute, function, errors);
    signature::check(function, errors);
    inputs::check(attribute, function, errors);
    if errors.any() { None } else { valid(attribute, function) }
}

/// Builds the model of a tool without errors.
fn valid(attribute: &Attribute, function: &Function) -> Option<Tool> {
    Some(Tool {
        callee: declaration::callee(attribute, function)?,
        name: name::of(attribute, function),
        title: declaration::title(attribute),
        description: declaration::description(attribute, function)?,
        destructive: attribute.destructive.as_ref().is_some_and(|given| given.value),
        idempotent: attribute.idempotent.as_ref().map(|given| given.value),
        open_world: attribute.open_world.as_ref().map(|given| given.value),
        permission: attribute.permission.as_ref().map(permission::text),
        access: attribute.access.as_ref().map(|call| access::resolved(call, function)),
        requires: attribute.requires.as_ref().map_or_else(Vec::new, |given| given.value.clone()),
        tags: attribute.tags.iter().flat_map(|given| &given.value).map(|tag| tag.value.clone()).collect(),
        path: attribute.path.as_ref().map(|given| given.value.clone()),
        schema: attribute.schema.clone(),
        meta: attribute.meta.clone(),
        ui: attribute.ui.clone(),
        timeout: attribute.timeout.as_ref().and_then(|given| duration::parse(&given.value).ok()),
        task: attribute.task.as_ref().and_then(task::valid),
        cache: attribute.cache.as_ref().and_then(|given| duration::parse(&given.value).ok()),
        alias: attribute.alias.as_ref().map(|given| given.value.clone()),
        deprecated: docs::deprecated(&function.attributes),
        statically_checked: declaration::is_statically_checked(attribute, function),
    })
}
