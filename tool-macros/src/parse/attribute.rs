//! What `#[tool(…)]` says about a tool.

use proc_macro2::TokenStream;
use syn::{Expr, ExprPath, Ident};

use crate::diagnostics::{Errors, Section};
use crate::parse::options::{Call, Spanned, options};
use crate::parse::permission::Permission;

/// The options of `#[tool(…)]`, as written.
#[derive(Default)]
pub(crate) struct Attribute {
    pub(crate) operation: Option<Spanned<Ident>>,
    pub(crate) destructive: Option<Spanned<bool>>,
    pub(crate) idempotent: Option<Spanned<bool>>,
    pub(crate) open_world: Option<Spanned<bool>>,
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) title: Option<Spanned<String>>,
    pub(crate) description: Option<Spanned<String>>,
    pub(crate) permission: Option<Permission>,
    pub(crate) access: Option<Call>,
    pub(crate) requires: Option<Spanned<Vec<ExprPath>>>,
    pub(crate) tags: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) path: Option<Spanned<String>>,
    pub(crate) schema: Option<Expr>,
    pub(crate) timeout: Option<Spanned<String>>,
    pub(crate) cache: Option<Spanned<String>>,
    pub(crate) alias: Option<Spanned<String>>,
    pub(crate) blocking: Option<Ident>,
    pub(crate) krate: Option<syn::Path>,
}

const KNOWN: [&str; 18] = [
    "operation",
    "destructive",
    "idempotent",
    "open_world",
    "name",
    "title",
    "description",
    "permission",
    "access",
    "requires",
    "tags",
    "path",
    "schema",
    "timeout",
    "cache",
    "alias",
    "blocking",
    "crate",
];

/// Reads the options of `#[tool(…)]`.
pub(crate) fn attribute(tokens: TokenStream, errors: &mut Errors) -> Attribute {
    read(tokens, &KNOWN, "#[tool]", errors)
}

/// Reads the options of `#[prompt(…)]`, which are some of those of a tool.
pub(crate) fn prompt_attribute(tokens: TokenStream, errors: &mut Errors) -> Attribute {
    read(
        tokens,
        &["name", "title", "description", "permission", "access", "blocking", "crate"],
        "#[prompt]",
        errors,
    )
}

fn read(tokens: TokenStream, known: &[&str], owner: &str, errors: &mut Errors) -> Attribute {
    let mut attribute = Attribute::default();
    for setting in options(tokens, known, owner, Section::Attribute, errors) {
        match setting.name().as_str() {
            "operation" => attribute.operation = setting.word(errors),
            "destructive" => attribute.destructive = setting.boolean(errors),
            "idempotent" => attribute.idempotent = setting.boolean(errors),
            "open_world" => attribute.open_world = setting.boolean(errors),
            "name" => attribute.name = setting.text(errors),
            "title" => attribute.title = setting.text(errors),
            "description" => attribute.description = setting.text(errors),
            "permission" => attribute.permission = setting.permission(errors),
            "access" => attribute.access = setting.call(errors),
            "requires" => attribute.requires = setting.functions(errors),
            "tags" => attribute.tags = setting.texts(errors),
            "path" => attribute.path = setting.text(errors),
            "schema" => attribute.schema = setting.expression(errors),
            "timeout" => attribute.timeout = setting.text(errors),
            "cache" => attribute.cache = setting.text(errors),
            "alias" => attribute.alias = setting.text(errors),
            "blocking" => attribute.blocking = setting.flag(errors),
            _ => attribute.krate = setting.krate(errors),
        }
    }
    attribute
}
