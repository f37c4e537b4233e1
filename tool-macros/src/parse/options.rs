//! Options as written: `key`, `key = value` and `key(…)`, each with its tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, Token};

use crate::diagnostics::{Errors, Section, ends, similar};

/// A value with its tokens.
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) tokens: TokenStream,
}

/// One option.
pub(crate) struct Setting {
    pub(crate) key: Ident,
    value: Meta,
    pub(super) section: Section,
}

/// The tokens after a key.
enum Meta {
    Path,
    NameValue(Box<Expr>),
    /// The content of the parentheses, and all tokens.
    List(TokenStream, TokenStream),
}

/// Reads `key, key = value, key(…), …`. Unknown keys, duplicates and invalid options are reported and skipped.
pub(crate) fn options(
    tokens: TokenStream,
    names: &[&str],
    owner: &str,
    section: Section,
    errors: &mut Errors,
) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    // Grouped, so that an unexpected end is reported at the last token.
    let (_, end) = ends(&tokens);
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(end);
    let parser = |group: ParseStream<'_>| {
        let input;
        syn::parenthesized!(input in group);
        let mut reported = false;
        while !input.is_empty() {
            if !input.peek(Ident::peek_any) {
                let given = skip_to_comma(&input)?;
                // Reports only the first part without a name.
                if !std::mem::replace(&mut reported, true) {
                    let fact = format!("`{owner}` expects named options");
                    errors.push(section, given, fact, listed(names));
                }
            } else {
                match setting(&input, section, errors) {
                    Ok(setting) if !names.contains(&setting.name().as_str()) => {
                        unknown(&setting.key, names, owner, section, errors);
                    }
                    Ok(setting) if settings.iter().any(|earlier| earlier.key == setting.key) => {
                        let key = setting.name();
                        errors.push(
                            section,
                            &setting.key,
                            format!("`{key}` is given twice"),
                            format!("keep one `{key}`"),
                        );
                    }
                    Ok(setting) => settings.push(setting),
                    Err(error) => {
                        errors.push_syntax(section, &error);
                        skip_to_comma(&input)?;
                    }
                }
            }
            if input.is_empty() {
                break;
            }
            if let Err(error) = input.parse::<Token![,]>() {
                errors.push_syntax(section, &error);
                skip_to_comma(&input)?;
                let _ = input.parse::<Token![,]>();
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(group.into_token_stream()) {
        errors.push_syntax(section, &error);
    }
    settings
}

fn setting(input: ParseStream<'_>, section: Section, errors: &mut Errors) -> syn::Result<Setting> {
    let key = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            errors.mark_unreadable(key.to_string());
            return Err(syn::Error::new(
                key.span(),
                format!("`{key}` has no value\nhelp: write `{key} = …`"),
            ));
        }
        Meta::NameValue(Box::new(input.parse().inspect_err(|_| errors.mark_unreadable(key.to_string()))?))
    } else if input.peek(syn::token::Paren) {
        let group = input.parse::<Group>()?;
        Meta::List(group.stream(), group.into_token_stream())
    } else {
        Meta::Path
    };
    Ok(Setting { key, value, section })
}

/// Skips to the next comma, and returns the skipped tokens.
fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut skipped = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        skipped.extend([input.parse::<TokenTree>()?]);
    }
    Ok(skipped)
}

fn unknown(key: &Ident, names: &[&str], owner: &str, section: Section, errors: &mut Errors) {
    let list = listed(names);
    let help = match similar(&key.to_string(), names.iter().copied()) {
        Some(name) => {
            errors.mark_unreadable(name.to_owned());
            format!("did you mean `{name}`?\n{list}")
        }
        None => list,
    };
    errors.push(section, key, format!("unknown option `{key}` of `{owner}`"), help);
}

fn listed(names: &[&str]) -> String {
    format!("the options are `{}`", names.join("`, `"))
}

impl Setting {
    /// Returns the key for messages.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// Reads a key without a value.
    pub(crate) fn flag(self, errors: &mut Errors) -> Option<Ident> {
        let fact = format!("`{}` takes no value", self.key);
        let help = format!("write `{}` without a value, or remove it", self.key);
        match self.value {
            Meta::Path => return Some(self.key),
            Meta::NameValue(value) => errors.push(self.section, value, fact, help),
            Meta::List(_, group) => errors.push(self.section, group, fact, help),
        }
        None
    }

    /// Reads `true` or `false`.
    pub(crate) fn boolean(self, errors: &mut Errors) -> Option<Spanned<bool>> {
        match self.as_expression() {
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => {
                Some(Spanned { value: value.value, tokens: value.to_token_stream() })
            }
            _ => self.mismatch("`true` or `false`", "= true", errors),
        }
    }

    /// Reads a string literal.
    pub(crate) fn text(self, errors: &mut Errors) -> Option<Spanned<String>> {
        match self.as_expression().and_then(text) {
            Some(text) => Some(text),
            None => self.mismatch("a string in quotes", "= \"…\"", errors),
        }
    }

    /// Reads a list of string literals.
    pub(crate) fn texts(self, errors: &mut Errors) -> Option<Spanned<Vec<Spanned<String>>>> {
        let texts = self.list(text);
        texts.or_else(|| self.mismatch("a list of strings in quotes", "= [\"…\"]", errors))
    }

    /// Reads one identifier.
    pub(crate) fn word(self, errors: &mut Errors) -> Option<Spanned<Ident>> {
        match self.as_expression() {
            Some(Expr::Path(path)) if path.path.get_ident().is_some() => {
                let value = path.path.get_ident()?.clone();
                Some(Spanned { tokens: value.to_token_stream(), value })
            }
            _ => self.mismatch("one name", "= Read", errors),
        }
    }

    /// Reads the path of a crate.
    pub(crate) fn krate(self, errors: &mut Errors) -> Option<syn::Path> {
        match self.as_expression() {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            _ => self.mismatch("a path", "= my_tool_core", errors),
        }
    }

    /// Reads the path of a function.
    pub(crate) fn function(self, errors: &mut Errors) -> Option<ExprPath> {
        match self.as_expression().and_then(path) {
            Some(path) => Some(path),
            None => self.mismatch("the path of a function", "= my_function", errors),
        }
    }

    /// Reads a list of paths of functions.
    pub(crate) fn functions(self, errors: &mut Errors) -> Option<Spanned<Vec<ExprPath>>> {
        let functions = self.list(path);
        functions.or_else(|| self.mismatch("a list of functions", "= [my_function]", errors))
    }

    /// Reads the path of a function, optionally with the parameters that it takes.
    pub(crate) fn call(self, errors: &mut Errors) -> Option<Call> {
        let call = match self.as_expression() {
            Some(Expr::Call(call)) => path(&call.func)
                .zip(call.args.iter().map(parameter).collect())
                .map(|(path, parameters)| Call { path, parameters, parentheses: Some(call.paren_token) }),
            Some(value) => path(value).map(|path| Call { path, parameters: Vec::new(), parentheses: None }),
            None => None,
        };
        call.or_else(|| self.mismatch("a function, with or without parameters", "= may_edit(id)", errors))
    }

    /// Reads any expression.
    pub(crate) fn expression(self, errors: &mut Errors) -> Option<Expr> {
        match self.value {
            Meta::NameValue(value) => Some(*value),
            Meta::Path | Meta::List(..) => self.mismatch("a value", "= …", errors),
        }
    }

    /// Reads an optional expression.
    pub(crate) fn flag_or_expression(self, errors: &mut Errors) -> Option<Option<Expr>> {
        match self.value {
            Meta::Path => Some(None),
            Meta::NameValue(value) => Some(Some(*value)),
            Meta::List(..) => self.mismatch("a value", "= …", errors),
        }
    }

    /// Reads `(min = …, max = …)`.
    pub(crate) fn limits(self, errors: &mut Errors) -> Option<LimitOption> {
        let owner = self.key.to_string();
        let section = self.section;
        let (inside, tokens) = match self.parentheses() {
            Ok(list) => list,
            Err(setting) => return setting.mismatch("limits in parentheses", "(min = …, max = …)", errors),
        };
        let mut limits = LimitOption { min: None, max: None, tokens };
        let before = errors.count();
        for setting in options(inside, &["min", "max"], &owner, section, errors) {
            let limit = if setting.key == "min" { &mut limits.min } else { &mut limits.max };
            *limit = setting.expression(errors);
        }
        (errors.count() == before).then_some(limits)
    }

    /// Returns the content of the parentheses, and all tokens of them.
    pub(super) fn parentheses(self) -> Result<(TokenStream, TokenStream), Self> {
        match self.value {
            Meta::List(inside, tokens) => Ok((inside, tokens)),
            Meta::Path | Meta::NameValue(_) => Err(self),
        }
    }

    /// Returns the value if it is one expression. Values from other macros are wrapped in invisible groups.
    pub(super) fn as_expression(&self) -> Option<&Expr> {
        match &self.value {
            Meta::NameValue(value) => Some(peel_groups(value)),
            Meta::Path | Meta::List(..) => None,
        }
    }

    /// Reads the items of `[…]`, if all of them have the expected kind.
    fn list<T>(&self, item: fn(&Expr) -> Option<T>) -> Option<Spanned<Vec<T>>> {
        let Some(Expr::Array(list)) = self.as_expression() else { return None };
        let value = list.elems.iter().map(item).collect::<Option<_>>()?;
        Some(Spanned { value, tokens: list.to_token_stream() })
    }

    pub(super) fn mismatch<T>(&self, expected: &str, example: &str, errors: &mut Errors) -> Option<T> {
        let tokens = match &self.value {
            Meta::Path => self.key.to_token_stream(),
            Meta::NameValue(value) => value.to_token_stream(),
            Meta::List(_, group) => group.clone(),
        };
        let space = if example.starts_with('=') { " " } else { "" };
        let fact = format!("`{}` expects {expected}", self.key);
        errors.push(self.section, tokens, fact, format!("write `{}{space}{example}`", self.key));
        errors.mark_unreadable(self.key.to_string());
        None
    }
}

/// A function as written in `access`: `may_edit`, or `may_edit(id)`.
pub(crate) struct Call {
    pub(crate) path: ExprPath,
    pub(crate) parameters: Vec<Ident>,
    pub(crate) parentheses: Option<syn::token::Paren>,
}

/// The limits in `range(…)` and `length(…)`.
pub(crate) struct LimitOption {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    /// The parentheses and their content.
    pub(crate) tokens: TokenStream,
}

/// Removes the invisible groups around an expression.
pub(crate) fn peel_groups(mut expression: &Expr) -> &Expr {
    while let Expr::Group(group) = expression {
        expression = &group.expr;
    }
    expression
}

pub(super) fn text(expression: &Expr) -> Option<Spanned<String>> {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            Some(Spanned { value: text.value(), tokens: text.to_token_stream() })
        }
        _ => None,
    }
}

fn path(expression: &Expr) -> Option<ExprPath> {
    match peel_groups(expression) {
        Expr::Path(path) => Some(path.clone()),
        _ => None,
    }
}

fn parameter(expression: &Expr) -> Option<Ident> {
    path(expression)?.path.get_ident().cloned()
}
