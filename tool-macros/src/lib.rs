#![doc = include_str!("../README.md")]

mod check;
mod diagnostics;
mod docs;
mod expand;
mod listing;
mod model;
mod parse;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;

use crate::diagnostics::Errors;
use crate::parse::{Block, Function, Item, ItemKind, Member, Method};

// The documentation of the attribute is `docs/tool.md` of `tool-core`, which rustdoc shows before this line.
/// Implements `tool_core::tool`, which documents it.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    declare(ItemKind::Tool, attribute.into(), item.into()).into()
}

/// Implements `tool_core::prompt`, which documents it.
#[proc_macro_attribute]
pub fn prompt(attribute: TokenStream, item: TokenStream) -> TokenStream {
    declare(ItemKind::Prompt, attribute.into(), item.into()).into()
}

/// Implements `tool_core::tools!`: takes its `$crate` and the paths of the functions.
#[doc(hidden)]
#[proc_macro]
pub fn __tools(paths: TokenStream) -> TokenStream {
    listing::list(ItemKind::Tool, paths.into()).into()
}

/// Implements `tool_core::prompts!`.
#[doc(hidden)]
#[proc_macro]
pub fn __prompts(paths: TokenStream) -> TokenStream {
    listing::list(ItemKind::Prompt, paths.into()).into()
}

/// Parses, checks and expands a declaration. The item is returned even if its declaration has errors.
fn declare(item_kind: ItemKind, attribute: TokenStream2, item: TokenStream2) -> TokenStream2 {
    let mut errors = Errors::new();
    match parse::item(item_kind, &item, &mut errors) {
        Item::Function(function) => declare_function(attribute, &function, errors),
        Item::Block(block) => declare_block(&attribute, *block, errors),
        Item::Other => errors.emit_after(item),
    }
}

fn declare_function(attribute: TokenStream2, function: &Function, mut errors: Errors) -> TokenStream2 {
    let attribute = parse::attribute(function.item_kind, attribute, &mut errors);
    let expansion = match function.item_kind {
        ItemKind::Tool => {
            check::tool(&attribute, function, &mut errors).map(|tool| expand::tool(&tool, function))
        }
        ItemKind::Prompt => {
            check::prompt(&attribute, function, &mut errors).map(|prompt| expand::prompt(&prompt, function))
        }
    };
    match expansion {
        Some(expansion) => {
            errors.assert_none();
            expansion
        }
        None => errors.emit_after(expand::function(function)),
    }
}

/// Expands a block. The methods of an invalid block are checked, but not declared.
fn declare_block(attribute: &TokenStream2, block: Block, mut errors: Errors) -> TokenStream2 {
    check::block(attribute, &block, &mut errors);
    let valid = !errors.any();
    let method = |mut method: Box<Method>| {
        if valid {
            return declare_function(method.options, &method.function, method.errors);
        }
        let attribute = parse::attribute(ItemKind::Tool, method.options, &mut method.errors);
        check::tool(&attribute, &method.function, &mut method.errors);
        method.errors.emit_after(expand::function(&method.function))
    };
    let members = block.members.into_iter().map(|member| match member {
        Member::Tool(tool) => method(tool),
        Member::Other(tokens) => tokens,
        Member::Incomplete => TokenStream2::new(),
    });
    let members = members.collect();
    let mut tokens = errors.emit_after(TokenStream2::new());
    tokens.extend(expand::block(block.head, &block.braces, members));
    tokens
}

#[cfg(test)]
mod tests;
