//! The options of `#[tool(…)]` and `#[arg(…)]`: keys with values, each kept with its tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ExprLit, Ident, Lit, Token};

use crate::diagnostics::{Errors, Place, similar};

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
    pub(crate) blocking: Option<Ident>,
    pub(crate) krate: Option<syn::Path>,
}

/// A value with the tokens that it was written with.
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) tokens: TokenStream,
}

/// One option: `key` or `key = value`.
pub(crate) struct Setting {
    pub(crate) key: Ident,
    pub(crate) value: Option<Expr>,
    place: Place,
}

const KNOWN: [&str; 9] = [
    "operation",
    "destructive",
    "idempotent",
    "open_world",
    "name",
    "title",
    "description",
    "blocking",
    "crate",
];

/// Reads the options of `#[tool(…)]`.
pub(crate) fn attribute(tokens: TokenStream, errors: &mut Errors) -> Attribute {
    let mut attribute = Attribute::default();
    for setting in options(tokens, &KNOWN, "#[tool]", Place::Attribute, errors) {
        match setting.key.unraw().to_string().as_str() {
            "operation" => attribute.operation = setting.word(errors),
            "destructive" => attribute.destructive = setting.boolean(errors),
            "idempotent" => attribute.idempotent = setting.boolean(errors),
            "open_world" => attribute.open_world = setting.boolean(errors),
            "name" => attribute.name = setting.text(errors),
            "title" => attribute.title = setting.text(errors),
            "description" => attribute.description = setting.text(errors),
            "blocking" => attribute.blocking = setting.flag(errors),
            _ => attribute.krate = setting.path(errors),
        }
    }
    attribute
}

/// Reads `key, key = value, …`: each key a known one, and none twice. What cannot be read is noted and passed over.
pub(crate) fn options(
    tokens: TokenStream,
    known: &[&str],
    owner: &str,
    place: Place,
    errors: &mut Errors,
) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match setting(input, place, errors) {
                Ok(setting) => {
                    let key = setting.key.unraw().to_string();
                    if !known.contains(&key.as_str()) {
                        unknown(&setting.key, known, owner, place, errors);
                    } else if settings.iter().any(|earlier| earlier.key == setting.key) {
                        let fact = format!("`{key}` is given twice");
                        errors.push(place, &setting.key, fact, format!("keep one `{key}`"));
                    } else {
                        settings.push(setting);
                    }
                }
                Err(error) => {
                    errors.push_syntax(place, &error);
                    skip_to_comma(input)?;
                }
            }
            if input.is_empty() {
                break;
            }
            if let Err(error) = input.parse::<Token![,]>() {
                errors.push_syntax(place, &error);
                skip_to_comma(input)?;
                let _ = input.parse::<Token![,]>();
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        errors.push_syntax(place, &error);
    }
    settings
}

fn setting(input: ParseStream<'_>, place: Place, errors: &mut Errors) -> syn::Result<Setting> {
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            errors.mention(key.to_string());
            return Err(syn::Error::new(
                key.span(),
                format!("`{key}` has no value\nhelp: write `{key} = …`"),
            ));
        }
        Some(input.parse().inspect_err(|_| errors.mention(key.to_string()))?)
    } else {
        None
    };
    Ok(Setting { key, value, place })
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

fn unknown(key: &Ident, known: &[&str], owner: &str, place: Place, errors: &mut Errors) {
    let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let list = format!("the options are {}", list.join(", "));
    let help = match similar(&key.to_string(), known.iter().copied()) {
        Some(name) => {
            errors.mention(name.to_owned());
            format!("there is an option with a similar name: `{name}`\n{list}")
        }
        None => list,
    };
    errors.push(place, key, format!("`{key}` is no option of `{owner}`"), help);
}

impl Setting {
    /// A key that stands alone.
    pub(crate) fn flag(self, errors: &mut Errors) -> Option<Ident> {
        if let Some(value) = &self.value {
            errors.push(
                self.place,
                value,
                format!("`{}` takes no value", self.key),
                format!("write `{}` alone, or leave it out", self.key),
            );
            return None;
        }
        Some(self.key)
    }

    /// The value as it was written: what another macro passes on comes in a group that nobody wrote.
    fn written(&self) -> Option<&Expr> {
        let mut value = self.value.as_ref();
        while let Some(Expr::Group(group)) = value {
            value = Some(&group.expr);
        }
        value
    }

    fn boolean(self, errors: &mut Errors) -> Option<Spanned<bool>> {
        match self.written() {
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => {
                Some(Spanned { value: value.value, tokens: value.to_token_stream() })
            }
            _ => self.mismatch("`true` or `false`", "true", errors),
        }
    }

    /// A literal text.
    pub(crate) fn text(self, errors: &mut Errors) -> Option<Spanned<String>> {
        match self.written() {
            Some(Expr::Lit(ExprLit { lit: Lit::Str(value), .. })) => {
                Some(Spanned { value: value.value(), tokens: value.to_token_stream() })
            }
            _ => self.mismatch("a text in quotes", "\"…\"", errors),
        }
    }

    fn word(self, errors: &mut Errors) -> Option<Spanned<Ident>> {
        match self.written() {
            Some(Expr::Path(path)) if path.path.get_ident().is_some() => {
                let value = path.path.get_ident()?.clone();
                Some(Spanned { tokens: value.to_token_stream(), value })
            }
            _ => self.mismatch("one word", "Read", errors),
        }
    }

    fn path(self, errors: &mut Errors) -> Option<syn::Path> {
        match self.written() {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => self.mismatch("a path", "my_tool_core", errors),
        }
    }

    fn mismatch<T>(&self, expected: &str, example: &str, errors: &mut Errors) -> Option<T> {
        let tokens =
            self.value.as_ref().map_or_else(|| self.key.to_token_stream(), ToTokens::to_token_stream);
        let fact = format!("`{}` takes {expected}", self.key);
        errors.push(self.place, tokens, fact, format!("write `{} = {example}`", self.key));
        errors.mention(self.key.to_string());
        None
    }
}
