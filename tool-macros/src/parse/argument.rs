//! One parameter of the function, and its `#[arg(…)]`.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, ExprPath, Ident, Meta, Pat, PatType, Receiver, Type, parse_quote};

use crate::diagnostics::{Errors, Section};
use crate::docs::{self, Description};
use crate::parse::item_kind::ItemKind;
use crate::parse::options::{LimitOption, Setting, Spanned, options};
use crate::parse::table::option_table;

/// One parameter, as written.
pub(crate) struct Argument {
    /// The pattern of the parameter, usually a name.
    pub(crate) binding: Pat,
    pub(crate) kind: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) description: Option<Description>,
    pub(crate) inject: Option<Attribute>,
    pub(crate) arg: Option<Attribute>,
    pub(crate) cfg: Option<Attribute>,
    pub(crate) options: ArgOptions,
    /// The `self` of a method, which is treated as injected.
    pub(crate) receiver: Option<Receiver>,
}

option_table! {
    /// The options of `#[arg(…)]`, as written.
    pub(crate) struct ArgOptions {
        "default" => default: DefaultOption = default, [Tool, Prompt];
        "example" => example: Expr = expression, [Tool, Prompt];
        "rename" => rename: Spanned<String> = text, [Tool, Prompt];
        "range" => range: LimitOption = limits, [Tool, Prompt];
        "length" => length: LimitOption = limits, [Tool, Prompt];
        "pattern" => pattern: Spanned<String> = text, [Tool, Prompt];
        "secret" => secret: Ident = flag, [Tool, Prompt];
        "locator" => locator: Ident = flag, [Tool];
        "complete" => complete: ExprPath = function, [Tool, Prompt];
        "header" => header: Spanned<String> = text, [Tool];
        "flatten" => flatten: Ident = flag, [Tool, Prompt];
    }
    /// The names of the options that were given, with or without a valid value.
    keys: Vec<Ident>,
    /// Whether a part could not be parsed, so that any option may be missing.
    unread: bool,
}

/// `default` alone, or `default = …`.
pub(crate) enum DefaultOption {
    TypeDefault,
    Expr(Box<Expr>),
}

impl Setting {
    /// Reads `default` or `default = …`.
    fn default(self, errors: &mut Errors) -> Option<DefaultOption> {
        let value = self.flag_or_expression(errors)?;
        Some(value.map_or(DefaultOption::TypeDefault, |value| DefaultOption::Expr(Box::new(value))))
    }
}

/// Reads a parameter, and removes the attributes of this crate from it.
pub(crate) fn argument(input: &mut PatType, errors: &mut Errors) -> Argument {
    let mut argument = Argument {
        binding: (*input.pat).clone(),
        kind: (*input.ty).clone(),
        docs: Vec::new(),
        description: docs::description(&input.attrs),
        inject: None,
        arg: None,
        cfg: None,
        options: ArgOptions::default(),
        receiver: None,
    };
    for attribute in std::mem::take(&mut input.attrs) {
        if docs::is_doc(&attribute) {
            argument.docs.push(attribute);
        } else if attribute.path().is_ident("inject") {
            if !matches!(attribute.meta, Meta::Path(_)) {
                errors.push(
                    Section::Parameters,
                    &attribute.meta,
                    "`#[inject]` takes no options",
                    "write `#[inject]`",
                );
            }
            argument.inject = Some(attribute);
        } else if attribute.path().is_ident("arg") {
            if argument.arg.is_some() {
                let help = "combine the options: `#[arg(default, example = …)]`";
                errors.push(
                    Section::Parameters,
                    &attribute.meta,
                    "`#[arg]` appears twice on one parameter",
                    help,
                );
            }
            argument.options.read(&attribute, errors);
            argument.arg = Some(attribute);
        } else {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                argument.cfg = Some(attribute.clone());
            }
            input.attrs.push(attribute);
        }
    }
    // The generated code names a parameter even if its `#[cfg]` removes it, which rustc would report.
    input
        .attrs
        .retain(|attribute| !attribute.path().is_ident("cfg") && !attribute.path().is_ident("cfg_attr"));
    argument
}

/// Reads the `self` of a method.
pub(crate) fn receiver(input: &Receiver) -> Argument {
    let token = input.self_token;
    Argument {
        binding: parse_quote!(#token),
        kind: parse_quote!(Self),
        docs: Vec::new(),
        description: None,
        inject: Some(parse_quote!(#[inject])),
        arg: None,
        cfg: None,
        options: ArgOptions::default(),
        receiver: Some(input.clone()),
    }
}

impl ArgOptions {
    fn read(&mut self, attribute: &Attribute, errors: &mut Errors) {
        let before = errors.count();
        match attribute.meta.require_list() {
            Ok(list) if !list.tokens.is_empty() => self.options(list.tokens.clone(), errors),
            _ => errors.push(
                Section::Parameters,
                &attribute.meta,
                "`#[arg]` has no options",
                "add an option, as in `#[arg(default = …)]`, or remove it",
            ),
        }
        self.unread |= errors.count() > before;
    }

    fn options(&mut self, tokens: TokenStream, errors: &mut Errors) {
        // A check rejects the options that prompts do not support.
        let names = ArgOptions::names(ItemKind::Tool);
        for setting in options(tokens, &names, "#[arg]", Section::Parameters, errors) {
            self.keys.push(setting.key.clone());
            self.set(setting, errors);
        }
    }

    /// Returns the name of an option as written, if it was given.
    pub(crate) fn key(&self, option: &str) -> Option<&Ident> {
        self.keys().find(|key| *key == option)
    }

    /// Returns the names of the options that were given, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Ident> {
        self.keys.iter()
    }
}
