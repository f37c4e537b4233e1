//! One parameter of the function, and what `#[arg(…)]` says about it.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, ExprPath, Ident, Meta, Pat, PatType, Receiver, Type, parse_quote};

use crate::diagnostics::{Errors, Section};
use crate::docs::{self, Description};
use crate::parse::options::{Limits, Spanned, options};

/// One parameter, as written.
pub(crate) struct Argument {
    /// What the function binds it to, mostly a name.
    pub(crate) binding: Pat,
    pub(crate) kind: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) description: Option<Description>,
    pub(crate) inject: Option<Attribute>,
    pub(crate) arg: Option<Attribute>,
    pub(crate) cfg: Option<Attribute>,
    pub(crate) options: ArgOptions,
    /// It is the `self` of a method, and as good as injected.
    pub(crate) receiver: Option<Receiver>,
}

/// The options of `#[arg(…)]`, as written.
#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) default: Option<Default>,
    pub(crate) example: Option<Expr>,
    pub(crate) rename: Option<Spanned<String>>,
    pub(crate) range: Option<Limits>,
    pub(crate) length: Option<Limits>,
    pub(crate) pattern: Option<Spanned<String>>,
    pub(crate) secret: Option<Ident>,
    pub(crate) locator: Option<Ident>,
    pub(crate) complete: Option<ExprPath>,
    pub(crate) header: Option<Spanned<String>>,
    pub(crate) flatten: Option<Ident>,
    /// The name of every option that was given, whatever its value.
    keys: Vec<Ident>,
    /// Whether something was given that could not be read, and so may be any option.
    pub(crate) unread: bool,
}

/// `default` alone, or `default = …`.
pub(crate) enum Default {
    TypeDefault,
    Expr(Box<Expr>),
}

const KNOWN: [&str; 11] = [
    "default", "example", "rename", "range", "length", "pattern", "secret", "locator", "complete", "header",
    "flatten",
];

/// Reads a parameter, and takes the attributes that are ours away from it.
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
                let help = "put its options into one: `#[arg(default, example = …)]`";
                errors.push(
                    Section::Parameters,
                    &attribute.meta,
                    "`#[arg]` stands twice on one parameter",
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
    // rustc would speak of a `#[cfg]` on a parameter that the generated code still names.
    input
        .attrs
        .retain(|attribute| !attribute.path().is_ident("cfg") && !attribute.path().is_ident("cfg_attr"));
    argument
}

/// The `self` of a method.
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
                "`#[arg]` says nothing about this input",
                "write what there is to say, as in `#[arg(default = …)]`, or leave it out",
            ),
        }
        self.unread |= errors.count() > before;
    }

    fn options(&mut self, tokens: TokenStream, errors: &mut Errors) {
        for setting in options(tokens, &KNOWN, "#[arg]", Section::Parameters, errors) {
            self.keys.push(setting.key.clone());
            match setting.name().as_str() {
                "default" => {
                    let value = setting.flag_or_expression(errors);
                    self.default = value.map(|value| {
                        value.map_or(Default::TypeDefault, |value| Default::Expr(Box::new(value)))
                    });
                }
                "example" => self.example = setting.expression(errors),
                "rename" => self.rename = setting.text(errors),
                "range" => self.range = setting.limits(errors),
                "length" => self.length = setting.limits(errors),
                "pattern" => self.pattern = setting.text(errors),
                "secret" => self.secret = setting.flag(errors),
                "locator" => self.locator = setting.flag(errors),
                "complete" => self.complete = setting.function(errors),
                "header" => self.header = setting.text(errors),
                _ => self.flatten = setting.flag(errors),
            }
        }
    }

    /// The name of an option as it was written, when it was given.
    pub(crate) fn key(&self, option: &str) -> Option<&Ident> {
        self.keys().find(|key| *key == option)
    }

    /// The names of the options that were given, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Ident> {
        self.keys.iter()
    }
}
