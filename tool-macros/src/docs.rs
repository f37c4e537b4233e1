//! Attributes other than ours: doc comments and `#[deprecated]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue, Token};

use crate::parse::peel_groups;

/// A description: a text, or an expression that the compiler evaluates, as in `#[doc = include_str!("…")]`.
#[derive(Clone)]
pub(crate) enum Description {
    Text(String),
    Expression(TokenStream),
}

impl ToTokens for Description {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Description::Text(text) => text.to_tokens(tokens),
            Description::Expression(expression) => expression.to_tokens(tokens),
        }
    }
}

/// Returns `true` for a line of documentation.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && matches!(attribute.meta, Meta::NameValue(_))
}

/// Returns the text of all doc comments among the attributes; `None` if it is empty.
pub(crate) fn description(attributes: &[Attribute]) -> Option<Description> {
    let lines: Vec<&Expr> = attributes
        .iter()
        .filter(|attribute| is_doc(attribute))
        .filter_map(|attribute| attribute.meta.require_name_value().ok().map(|pair| &pair.value))
        .collect();
    if lines.iter().all(|line| literal(line).is_some()) {
        let text: Vec<String> = lines.iter().filter_map(|line| literal(line)).map(strip_stars).collect();
        let text = unindent(&text.join("\n"));
        return (!text.is_empty()).then_some(Description::Text(text));
    }
    let parts = lines.iter().enumerate().map(|(position, line)| {
        let end = if position + 1 == lines.len() { "" } else { "\n" };
        match literal(line) {
            Some(text) => {
                let text = format!("{}{end}", unindent(&strip_stars(text)));
                quote!(#text)
            }
            None => quote!(#line, #end),
        }
    });
    Some(Description::Expression(quote!(::core::concat!(#(#parts),*))))
}

/// The contents of `#[deprecated]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Deprecated {
    pub(crate) since: Option<String>,
    pub(crate) note: Option<String>,
}

/// Returns the contents of `#[deprecated]`, `#[deprecated = "…"]` or `#[deprecated(since = "…", note = "…")]`. rustc reports
/// what is invalid in it.
pub(crate) fn deprecated(attributes: &[Attribute]) -> Option<Deprecated> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("deprecated"))?;
    let mut deprecated = Deprecated::default();
    match &attribute.meta {
        Meta::Path(_) => {}
        Meta::NameValue(pair) => deprecated.note = literal(&pair.value),
        Meta::List(list) => {
            let pairs = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(list.tokens.clone());
            for pair in pairs.unwrap_or_default() {
                if pair.path.is_ident("since") {
                    deprecated.since = literal(&pair.value);
                } else if pair.path.is_ident("note") {
                    deprecated.note = literal(&pair.value);
                }
            }
        }
    }
    Some(deprecated)
}

fn literal(expression: &Expr) -> Option<String> {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Without the space that follows `///`, and without the empty lines around it.
fn unindent(text: &str) -> String {
    let line = |line: &str| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Without the stars at the beginning of the lines of a block comment, if all but its first have one.
fn strip_stars(text: String) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let starred = |line: &&str| line.trim_start().starts_with('*') || line.trim().is_empty();
    if lines.len() < 2 || !lines[1..].iter().all(starred) {
        return text;
    }
    let line = |line: &&str| line.trim_start().trim_start_matches('*').to_owned();
    let rest: Vec<String> = lines[1..].iter().map(line).collect();
    [lines[0].to_owned(), rest.join("\n")].join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Description, description};
    use syn::{ItemStruct, parse_str};

    fn text(docs: &str) -> Option<String> {
        let item: ItemStruct = parse_str(&format!("{docs} struct S;")).unwrap();
        description(&item.attrs).map(|description| match description {
            Description::Text(text) => text,
            Description::Expression(expression) => expression.to_string(),
        })
    }

    #[test]
    fn joins_and_unindents_lines() {
        assert_eq!(text("/// One\n///\n///   two\n").as_deref(), Some("One\n\n  two"));
        assert_eq!(text("/** One\n * two\n */").as_deref(), Some("One\ntwo"));
        assert_eq!(
            text("/// Kinds:\n/// * rain\n/// * **sun**\n").as_deref(),
            Some("Kinds:\n* rain\n* **sun**")
        );
        assert_eq!(text("///\n///  \n"), None);
        assert_eq!(text(""), None);
    }

    #[test]
    fn concatenates_included_text() {
        let text = text("/// One\n#[doc = include_str!(\"x.md\")]\n").unwrap();
        assert_eq!(text, r#":: core :: concat ! ("One\n" , include_str ! ("x.md") , "")"#);
    }
}
