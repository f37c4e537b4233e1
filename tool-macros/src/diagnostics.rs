//! Errors of a declaration: collected, sorted by position, and reported together.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// The section of a declaration that an error is in. Errors are reported in this order, and within a section by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Attribute,
    Name,
    Signature,
    Parameters,
    Output,
}

/// The errors of one declaration. Dropping it without reporting them is a bug in the macro.
pub(crate) struct Errors {
    found: Vec<Diagnostic>,
    /// Options that were given but could not be read, so that each is reported only once.
    unread: Vec<String>,
    handled: bool,
}

struct Diagnostic {
    section: Section,
    /// Line and column.
    position: (usize, usize),
    error: TokenStream,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors { found: Vec::new(), unread: Vec::new(), handled: false }
    }

    /// Adds an error: what is wrong, and what to type instead.
    pub(crate) fn push(
        &mut self,
        section: Section,
        tokens: impl ToTokens,
        fact: impl AsRef<str>,
        help: impl AsRef<str>,
    ) {
        let message = format!("{}\nhelp: {}", fact.as_ref(), help.as_ref());
        let tokens = tokens.into_token_stream();
        let position = position(ends(&tokens).0);
        self.found.push(Diagnostic { section, position, error: compile_error(&tokens, &message) });
    }

    /// Adds an error of the Rust parser.
    pub(crate) fn push_syntax(&mut self, section: Section, error: &syn::Error) {
        let position = position(error.span());
        self.found.push(Diagnostic { section, position, error: error.to_compile_error() });
    }

    /// Records that an option was given but could not be read, so that it is not reported as missing.
    pub(crate) fn mark_unreadable(&mut self, option: String) {
        self.unread.push(option);
    }

    /// Returns `true` if an option was given but could not be read.
    pub(crate) fn is_unreadable(&self, option: &str) -> bool {
        self.unread.iter().any(|name| name == option)
    }

    pub(crate) fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// Returns the number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns the item, followed by all errors.
    pub(crate) fn emit_after(mut self, item: TokenStream) -> TokenStream {
        self.handled = true;
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|mistake| (mistake.section, mistake.position));
        item.into_iter().chain(found.into_iter().flat_map(|mistake| mistake.error)).collect()
    }

    /// Asserts that there are no errors.
    pub(crate) fn assert_none(mut self) {
        self.handled = true;
        assert!(self.found.is_empty(), "a declaration with mistakes must not be expanded");
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if !self.handled && !std::thread::panicking() {
            panic!("mistakes of a declaration were dropped");
        }
    }
}

/// Returns the position of a span in the source; always the same outside of the compiler.
fn position(span: Span) -> (usize, usize) {
    if !proc_macro::is_available() {
        return (0, 0);
    }
    let span = span.unwrap();
    (span.line(), span.column())
}

/// Builds a `compile_error!` that underlines all tokens.
fn compile_error(tokens: &TokenStream, message: &str) -> TokenStream {
    let (start, end) = ends(tokens);
    let mut path = quote_spanned!(start=> ::core::compile_error!);
    path.extend(quote_spanned!(end=> { #message }));
    path
}

/// Returns the spans of the first and the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut tokens = tokens.clone().into_iter();
    let Some(first) = tokens.next() else { return (Span::call_site(), Span::call_site()) };
    let start = first.span();
    (start, tokens.last().map_or(start, |last| last.span()))
}

/// Sets the spans of generated tokens to those of the user's code, so that rustc underlines that code in its messages. Tokens
/// inside of brackets keep their spans.
pub(crate) fn respan(tokens: TokenStream, (start, end): (Span, Span)) -> TokenStream {
    let tokens = tokens.into_iter().enumerate().map(|(position, mut token)| {
        token.set_span(if position == 0 { start } else { end });
        token
    });
    tokens.collect()
}

/// Returns the first part of a type that borrows for less than `'static`.
pub(crate) fn find_borrow(kind: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = kind.into_iter().collect();
    let is = |token: Option<&TokenTree>, sign| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    for (position, token) in tokens.iter().enumerate() {
        let (part, next) = (&tokens[position..], tokens.get(position + 1));
        let found = match token {
            TokenTree::Group(group) => find_borrow(group.stream()),
            _ if is(Some(token), '&') && !is(next, '\'') => Some(part.iter().take(2).cloned().collect()),
            _ if is(Some(token), '\'') => next
                .is_some_and(|name| name.to_string() != "static")
                .then(|| part.iter().take(2).cloned().collect()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns the name that was probably meant: the only one with this prefix, or one with a small edit distance.
pub(crate) fn similar<'a>(
    given: &str,
    names: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
) -> Option<&'a str> {
    let given = given.to_lowercase();
    let names = names.into_iter();
    let mut longer = names.clone().filter(|name| name.to_lowercase().starts_with(&given));
    if let (Some(only), None) = (longer.next(), longer.next()) {
        return Some(only);
    }
    let (distance, best) =
        names.map(|name| (distance(&given, &name.to_lowercase()), name)).min_by_key(|(d, _)| *d)?;
    (distance <= given.chars().count().max(3) / 3).then_some(best)
}

/// Computes the edit distance of two words; swapped neighbors count once. A dependency for this would be built before every
/// crate that declares a tool.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i.max(j)
            } else {
                let changed = usize::from(a[i - 1] != b[j - 1]);
                let mut least =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + changed);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}
