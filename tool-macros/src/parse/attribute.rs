//! The options of `#[tool(…)]` and `#[prompt(…)]`.

use proc_macro2::TokenStream;
use syn::{Expr, ExprPath, Ident};

use crate::diagnostics::{Errors, Section};
use crate::parse::item_kind::ItemKind;
use crate::parse::options::{Call, Spanned, options};
use crate::parse::permission::Permission;
use crate::parse::table::option_table;
use crate::parse::task::TaskOption;

option_table! {
    /// The options of `#[tool(…)]` and `#[prompt(…)]`, as written.
    pub(crate) struct Attribute {
        "operation" => operation: Spanned<Ident> = word, [Tool];
        "destructive" => destructive: Spanned<bool> = boolean, [Tool];
        "idempotent" => idempotent: Spanned<bool> = boolean, [Tool];
        "open_world" => open_world: Spanned<bool> = boolean, [Tool];
        "name" => name: Spanned<String> = text, [Tool, Prompt];
        "title" => title: Spanned<String> = text, [Tool, Prompt];
        "description" => description: Spanned<String> = text, [Tool, Prompt];
        "permission" => permission: Permission = permission, [Tool, Prompt];
        "access" => access: Call = call, [Tool, Prompt];
        "requires" => requires: Spanned<Vec<ExprPath>> = functions, [Tool];
        "tags" => tags: Spanned<Vec<Spanned<String>>> = texts, [Tool];
        "path" => path: Spanned<String> = text, [Tool];
        "schema" => schema: Expr = expression, [Tool];
        "meta" => meta: Expr = expression, [Tool];
        "ui" => ui: Expr = expression, [Tool];
        "timeout" => timeout: Spanned<String> = text, [Tool];
        "task" => task: TaskOption = task, [Tool];
        "cache" => cache: Spanned<String> = text, [Tool];
        "alias" => alias: Spanned<String> = text, [Tool];
        "blocking" => blocking: Ident = flag, [Tool, Prompt];
        "crate" => krate: syn::Path = krate, [Tool, Prompt];
    }
}

/// Reads the options of `#[tool(…)]` or `#[prompt(…)]`.
pub(crate) fn attribute(item_kind: ItemKind, tokens: TokenStream, errors: &mut Errors) -> Attribute {
    let mut attribute = Attribute::default();
    let names = Attribute::names(item_kind);
    for setting in options(tokens, &names, &format!("#[{item_kind}]"), Section::Attribute, errors) {
        attribute.set(setting, errors);
    }
    attribute
}
