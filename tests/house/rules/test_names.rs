//! Finds the tests of a file by their names.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, LitStr, Macro};

/// Returns the names of the tests of a Rust file: functions with an attribute `test`, also within a macro such as `proptest!`, and
/// the texts in a program of tests that has a `main` of its own. Tests with `#[ignore]` are left out: they do not run.
///
/// # Panics
///
/// Panics if the source is not Rust.
pub(crate) fn test_names(source: &str) -> Vec<String> {
    let mut found = Found::default();
    found.visit_file(&syn::parse_file(source).unwrap());
    if found.has_main {
        found.tests.append(&mut found.texts);
    }
    found.tests
}

#[derive(Default)]
struct Found {
    tests: Vec<String>,
    texts: Vec<String>,
    has_main: bool,
}

impl Visit<'_> for Found {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        if function.attrs.iter().any(is_test) && !function.attrs.iter().any(is_ignore) {
            self.tests.push(function.sig.ident.to_string());
        }
        self.has_main |= function.sig.ident == "main";
        visit::visit_item_fn(self, function);
    }

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.texts.push(text.value());
    }

    fn visit_macro(&mut self, called: &Macro) {
        self.read(called.tokens.clone());
    }
}

impl Found {
    /// Reads the tokens of a macro: a test is `#[test] fn name`, and a text is a literal.
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut is_test, mut is_ignored) = (false, false);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let attribute = group.stream().to_string();
                    is_test |= attribute == "test";
                    is_ignored |= group.delimiter() == Delimiter::Bracket && has_ignore(group.stream());
                    self.read(group.stream());
                }
                TokenTree::Ident(word) if word == "fn" => {
                    let name = tokens.get(at + 1).filter(|_| is_test && !is_ignored);
                    if let Some(TokenTree::Ident(name)) = name {
                        self.tests.push(name.to_string());
                    }
                    (is_test, is_ignored) = (false, false);
                }
                TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<LitStr>(&literal.to_string());
                    self.texts.extend(text.map(|text| text.value()));
                }
                _ => {}
            }
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|name| name.ident == "test")
}

/// Returns `true` for `#[ignore]`, with a reason or under a condition.
fn is_ignore(attribute: &Attribute) -> bool {
    let list = attribute.meta.require_list();
    attribute.path().is_ident("ignore")
        || list.is_ok_and(|list| list.path.is_ident("cfg_attr") && has_ignore(list.tokens.clone()))
}

/// Returns `true` if the tokens of an attribute are `ignore`, or a `cfg_attr` with it.
fn has_ignore(tokens: TokenStream) -> bool {
    tokens.into_iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(word) => word == "ignore",
        TokenTree::Group(group) => at == 1 && has_ignore(group.stream()),
        _ => false,
    })
}

#[test]
fn tests_are_found_in_functions_macros_and_programs() {
    let source = "fn helper() { x(\"a text\") } #[test] fn a() {} mod m { #[tokio::test(start_paused = true)] async fn b() {} }
        proptest! { #![config] #[test] fn c(n in 1..2) { let f = \"d\"; } fn e() {} }";
    assert_eq!(test_names(source), ["a", "b", "c"]);
    assert_eq!(test_names("fn main() { let tests = vec![trial(\"f\", g)]; run(&[(\"h\", i)]) }"), ["f", "h"]);
}

#[test]
fn ignored_tests_are_left_out() {
    let source = "#[test] #[ignore] fn a() {} #[ignore = \"slow\"] #[test] fn b() {} #[test] fn c() {}
        #[test] #[cfg_attr(windows, ignore)] fn d() {} #[test] #[expect(lint, reason = \"ignore\")] fn e() {}
        proptest! { #[test] #[ignore] fn f(n in 1..2) {} #[test] fn g(n in 1..2) { let ignore = [n]; } #[test] fn h() {} }";
    assert_eq!(test_names(source), ["c", "e", "g", "h"]);
}
