//! The function under the attribute: its signature in parts, its body left as tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, FnArg, Meta, Pat, Receiver, ReturnType, Signature, Type, Visibility};

use crate::diagnostics::{Errors, Place};
use crate::docs::{self, Description};
use crate::parse::attribute::{Setting, Spanned, options};

/// A function, with what the macro reads taken out of its signature.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// As it is written out again: without the attributes of the parameters that are ours.
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) arguments: Vec<Argument>,
}

/// One parameter, as written.
pub(crate) struct Argument {
    pub(crate) pattern: Pat,
    pub(crate) kind: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) description: Option<Description>,
    pub(crate) inject: Option<Attribute>,
    pub(crate) arg: Option<Attribute>,
    pub(crate) cfg: Option<Attribute>,
    pub(crate) default: Option<Default>,
    pub(crate) example: Option<Expr>,
    pub(crate) rename: Option<Spanned<String>>,
}

/// `default` alone, or `default = …`.
pub(crate) enum Default {
    OfType,
    Is(Box<Expr>),
}

/// Reads the item. `None`, with or without a mistake, when it is no function that Rust can read.
pub(crate) fn function(item: TokenStream, errors: &mut Errors) -> Option<Function> {
    match syn::parse2::<Head>(item.clone()) {
        Ok(Head { attributes, visibility, mut signature, body }) => {
            let receiver = signature.receiver().cloned();
            let arguments = signature.inputs.iter_mut().filter_map(|input| match input {
                FnArg::Typed(input) => Some(argument(input, errors)),
                FnArg::Receiver(_) => None,
            });
            let arguments = arguments.collect();
            Some(Function { attributes, visibility, signature, body, receiver, arguments })
        }
        Err(_) => {
            // A function that is half typed is for rustc to speak about; another item is for us.
            if let Ok(other) = syn::parse2::<syn::Item>(item)
                && !matches!(other, syn::Item::Fn(_) | syn::Item::Verbatim(_))
            {
                errors.push(
                    Place::Attribute,
                    keyword(&other),
                    "`#[tool]` stands on something that is no function",
                    "put it on a `fn` or an `async fn`",
                );
            }
            None
        }
    }
}

struct Head {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for Head {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        // The body is for rustc alone; a function without one is none.
        if !input.peek(syn::token::Brace) {
            return Err(input.error("expected a body"));
        }
        Ok(Head { attributes, visibility, signature, body: input.parse()? })
    }
}

fn argument(input: &mut syn::PatType, errors: &mut Errors) -> Argument {
    let mut argument = Argument {
        pattern: (*input.pat).clone(),
        kind: (*input.ty).clone(),
        docs: Vec::new(),
        description: docs::description(&input.attrs),
        inject: None,
        arg: None,
        cfg: None,
        default: None,
        example: None,
        rename: None,
    };
    for attribute in std::mem::take(&mut input.attrs) {
        if docs::is_doc(&attribute) {
            argument.docs.push(attribute);
        } else if attribute.path().is_ident("inject") {
            if !matches!(attribute.meta, Meta::Path(_)) {
                errors.push(
                    Place::Parameters,
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
                    Place::Parameters,
                    &attribute.meta,
                    "`#[arg]` stands twice on one parameter",
                    help,
                );
            }
            argument.options(&attribute, errors);
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

impl Argument {
    fn options(&mut self, attribute: &Attribute, errors: &mut Errors) {
        let Ok(list) = attribute.meta.require_list() else {
            errors.push(
                Place::Parameters,
                &attribute.meta,
                "`#[arg]` says nothing about this input",
                "write `#[arg(default = …)]`, `#[arg(example = …)]` or `#[arg(rename = \"…\")]`, or leave it out",
            );
            return;
        };
        let known = ["default", "example", "rename"];
        for setting in options(list.tokens.clone(), &known, "#[arg]", Place::Parameters, errors) {
            match setting.key.to_string().as_str() {
                "default" => {
                    let value = setting.value.map(Box::new);
                    self.default = Some(value.map_or(Default::OfType, Default::Is));
                }
                "example" => self.example(setting, errors),
                _ => self.rename = setting.text(errors),
            }
        }
    }

    fn example(&mut self, setting: Setting, errors: &mut Errors) {
        match setting.value {
            Some(value) => self.example = Some(value),
            None => errors.push(
                Place::Parameters,
                &setting.key,
                "`example` takes a value",
                "write `example = …` with a value that a caller might give",
            ),
        }
    }
}

/// The token that names the kind of an item, as `struct` does.
fn keyword(item: &syn::Item) -> TokenStream {
    let tokens = item.to_token_stream();
    let is_keyword = |token: &proc_macro2::TokenTree| {
        let text = token.to_string();
        ["struct", "enum", "union", "trait", "impl", "mod", "static", "const", "type", "use", "macro_rules"]
            .contains(&text.as_str())
    };
    tokens.clone().into_iter().find(is_keyword).map_or(tokens, ToTokens::into_token_stream)
}

impl Function {
    /// The type that the function returns; nothing stands for `()`.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, kind) => Some(kind),
        }
    }
}
