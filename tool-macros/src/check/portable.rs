//! Portable patterns: the common subset of ECMA-262 (with the flag `u`), which clients use, and of the crate `regex`, which
//! checks calls.
//!
//! `tool-core-macros` checks the option `pattern`, and `tool-core` all other patterns of a schema. A macro crate can only export
//! macros, so `tool-core` contains a symbolic link to this file, which `cargo package` replaces by a copy.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassPerlKind, ClassSetBinaryOp, ClassSetItem, ClassUnicode, ClassUnicodeKind,
    ErrorKind, GroupKind, HexLiteralKind, Literal, LiteralKind, Span, SpecialLiteralKind, Visitor,
};

/// An error in a pattern, with a suggestion.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) fact: String,
    pub(super) help: String,
}

/// Checks that a pattern is portable, and returns its first error.
pub(super) fn portable(pattern: &str) -> Result<(), Fault> {
    if pattern.is_empty() {
        return Err(Fault {
            fact: "the pattern is empty".to_owned(),
            help: "write one, as in `pattern = \"^[a-z]+$\"`, or drop `pattern`".to_owned(),
        });
    }
    let ast = Parser::new().parse(pattern).map_err(|error| syntax_fault(pattern, &error))?;
    ast::visit(&ast, Portable(pattern))
}

/// Returns the error that the parser reported.
fn syntax_fault(pattern: &str, error: &ast::Error) -> Fault {
    let piece = piece(pattern, error.span());
    let (fact, help) = match error.kind() {
        ErrorKind::UnsupportedLookAround => (
            format!("`{piece}` in `pattern` looks around, which takes more than linear time"),
            "describe it to the caller, and check it in the function".to_owned(),
        ),
        ErrorKind::UnsupportedBackreference => (
            format!("`{piece}` in `pattern` refers back, which takes more than linear time"),
            "describe it to the caller, and check it in the function".to_owned(),
        ),
        kind => (format!("`pattern` is no regular expression: {kind}"), format!("correct it at `{piece}`")),
    };
    Fault { fact, help }
}

fn piece<'p>(pattern: &'p str, span: &Span) -> &'p str {
    pattern.get(span.start.offset..span.end.offset).filter(|piece| !piece.is_empty()).unwrap_or(pattern)
}

/// A visitor that stops at the first part that is not portable.
struct Portable<'p>(&'p str);

impl Visitor for Portable<'_> {
    type Output = ();
    type Err = Fault;

    fn finish(self) -> Result<(), Fault> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Fault> {
        match ast {
            Ast::Dot(span) => self.reject(span, r"write which characters, as in `[^\n]`"),
            Ast::Flags(flags) => self.reject(&flags.span, "spell both cases, as in `[Aa]`"),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine | AssertionKind::EndLine => Ok(()),
                AssertionKind::StartText => self.reject(&assertion.span, "write `^`"),
                AssertionKind::EndText => self.reject(&assertion.span, "write `$`"),
                _ => self.reject(&assertion.span, "write the characters that may stand beside the word"),
            },
            Ast::Literal(literal) => self.literal(literal, Position::Outside),
            Ast::ClassPerl(class) => {
                self.reject(&class.span, &portable_class(&class.kind, class.negated, false))
            }
            Ast::ClassUnicode(class) => self.property(class),
            Ast::Repetition(repetition) => {
                let count = piece(self.0, &repetition.op.span);
                match &*repetition.ast {
                    Ast::Repetition(_) => self.reject(&repetition.span, "put the inner one into `(?:…)`"),
                    Ast::Assertion(_) => self.reject(&repetition.span, "drop the repetition"),
                    _ if count.contains(char::is_whitespace) => {
                        self.reject(&repetition.op.span, "write it without spaces")
                    }
                    _ => Ok(()),
                }
            }
            Ast::Group(group) => match &group.kind {
                GroupKind::CaptureIndex(_) => Ok(()),
                GroupKind::NonCapturing(flags) if flags.items.is_empty() => Ok(()),
                GroupKind::NonCapturing(flags) => self.reject(&flags.span, "spell both cases, as in `[Aa]`"),
                GroupKind::CaptureName { name, .. } => {
                    self.reject(&group.span.with_end(name.span.end), "write `(…)` without a name")
                }
            },
            Ast::Empty(_) | Ast::ClassBracketed(_) | Ast::Alternation(_) | Ast::Concat(_) => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Fault> {
        match item {
            ClassSetItem::Literal(literal) => self.literal(literal, Position::InClass),
            ClassSetItem::Range(range) => {
                self.literal(&range.start, Position::InClass)?;
                self.literal(&range.end, Position::InClass)
            }
            ClassSetItem::Ascii(class) => {
                self.reject(&class.span, "write which characters, as in `[A-Za-z]`")
            }
            ClassSetItem::Perl(class) => {
                self.reject(&class.span, &portable_class(&class.kind, class.negated, true))
            }
            ClassSetItem::Unicode(class) => self.property(class),
            ClassSetItem::Bracketed(class) => {
                self.reject(&class.span, r"write one class for all, and `\[` for the bracket itself")
            }
            ClassSetItem::Empty(_) | ClassSetItem::Union(_) => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, operation: &ClassSetBinaryOp) -> Result<(), Fault> {
        self.reject(&operation.span, "write which characters, as in `[a-z]`")
    }
}

/// The position of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Outside,
    InClass,
}

impl Portable<'_> {
    fn reject(&self, span: &Span, help: &str) -> Result<(), Fault> {
        Err(Fault {
            fact: format!("`{}` in `pattern` is not the same in ECMA-262 and in Rust", piece(self.0, span)),
            help: help.to_owned(),
        })
    }

    fn literal(&self, literal: &Literal, position: Position) -> Result<(), Fault> {
        let Literal { span, kind, c } = literal;
        match kind {
            LiteralKind::Verbatim if *c == ']' || position == Position::Outside && matches!(c, '{' | '}') => {
                self.reject(span, &format!("write `\\{c}`"))
            }
            // At the start of a class, `regex` treats each `-` as a literal, and ECMA-262 treats a second one as a range.
            LiteralKind::Verbatim
                if *c == '-' && position == Position::InClass && self.follows(span, '-') =>
            {
                self.reject(span, r"write `\-`")
            }
            LiteralKind::Meta | LiteralKind::Superfluous if !is_escaped(*c, position) => {
                self.reject(span, &format!("write `{c}`"))
            }
            LiteralKind::Verbatim | LiteralKind::Meta | LiteralKind::Superfluous => Ok(()),
            LiteralKind::HexFixed(HexLiteralKind::X | HexLiteralKind::UnicodeShort)
            | LiteralKind::HexBrace(HexLiteralKind::UnicodeShort) => Ok(()),
            LiteralKind::Special(
                SpecialLiteralKind::FormFeed
                | SpecialLiteralKind::Tab
                | SpecialLiteralKind::LineFeed
                | SpecialLiteralKind::CarriageReturn
                | SpecialLiteralKind::VerticalTab,
            ) => Ok(()),
            LiteralKind::Octal
            | LiteralKind::HexFixed(_)
            | LiteralKind::HexBrace(_)
            | LiteralKind::Special(_) => self.reject(span, &format!("write `\\u{{{:X}}}`", u32::from(*c))),
        }
    }

    /// Returns `true` if this character follows a part of the pattern.
    fn follows(&self, span: &Span, c: char) -> bool {
        self.0.get(span.end.offset..).is_some_and(|rest| rest.starts_with(c))
    }

    /// Checks a Unicode property: only the short names of general categories are the same in both.
    fn property(&self, class: &ClassUnicode) -> Result<(), Fault> {
        const CATEGORIES: [&str; 35] = [
            "C", "Cc", "Cf", "Co", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl",
            "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl",
            "Zp", "Zs",
        ];
        match &class.kind {
            ClassUnicodeKind::Named(name) if CATEGORIES.contains(&name.as_str()) => Ok(()),
            ClassUnicodeKind::OneLetter(letter) => {
                self.reject(&class.span, &format!(r"write `\p{{{letter}}}`"))
            }
            _ => self.reject(&class.span, r"write the short name of a general category, as in `\p{Lu}`"),
        }
    }
}

/// Returns `true` if ECMA-262 allows this character to be escaped: syntax characters and the slash.
fn is_escaped(c: char, position: Position) -> bool {
    r"^$\.*+?()[]{}|/".contains(c) || c == '-' && position == Position::InClass
}

/// Returns the suggestion for a class that is not portable.
fn portable_class(class: &ClassPerlKind, negated: bool, in_class: bool) -> String {
    let characters = match class {
        ClassPerlKind::Digit => "0-9",
        ClassPerlKind::Word => "A-Za-z0-9_",
        ClassPerlKind::Space => r" \t\r\n",
    };
    match (negated, in_class) {
        (false, true) => format!("write `{characters}`"),
        (true, true) => format!("write a class of its own: `[^{characters}]`"),
        (false, false) => format!("write `[{characters}]`"),
        (true, false) => format!("write `[^{characters}]`"),
    }
}

#[cfg(test)]
mod tests {
    use super::portable;

    // Each pattern was compared with both engines.
    #[test]
    fn accepts_the_common_subset() {
        for pattern in [
            "^[a-z]+$",
            "^(?:[0-9]{4}-[0-9]{2}|today)$",
            "a{2}b{2,}c{2,3}d??e*?f+?",
            "(a|b|)()",
            r"\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/",
            r"[\]\[\-\\^a-z0-9_.-]",
            "[-a]",
            "[a&b~c#d]",
            "[a-z-]",
            r"\n\r\t\f\v\x41\u0041\u{41}\u{1F600}",
            r"[\n\x41-\x5A]",
            r"\p{L}\P{Lu}[\p{Nd}_]",
            "(a+)+$",
            "ä😀",
            "-,:!#%&~=<>'\"@ ",
        ] {
            assert!(portable(pattern).is_ok(), "{pattern}: {}", portable(pattern).unwrap_err().fact);
            regex::Regex::new(pattern).unwrap();
        }
    }

    #[test]
    fn rejects_engine_specific_syntax() {
        for (pattern, piece, write) in [
            (r"\d", r"\d", "[0-9]"),
            (r"\D", r"\D", "[^0-9]"),
            (r"\w", r"\w", "[A-Za-z0-9_]"),
            (r"\W", r"\W", "[^A-Za-z0-9_]"),
            (r"\s", r"\s", r"[ \t\r\n]"),
            (r"\S", r"\S", r"[^ \t\r\n]"),
            (r"[a\d]", r"\d", "0-9"),
            (r"[\W]", r"\W", "[^A-Za-z0-9_]"),
            ("a.b", ".", r"[^\n]"),
            (r"\b", r"\b", "characters"),
            (r"\Ba", r"\B", "characters"),
            (r"\b{start}a", r"\b{start}", "characters"),
            (r"\<a", r"\<", "characters"),
            (r"\Aa", r"\A", "^"),
            (r"a\z", r"\z", "$"),
            ("(?i)a", "(?i)", "[Aa]"),
            ("(?s-i:a)", "s-i", "[Aa]"),
            ("(?P<n>a)", "(?P<n", "(…)"),
            ("(?<n>a)", "(?<n", "(…)"),
            (r"\x{41}", r"\x{41}", r"\u{41}"),
            (r"\U0001F600", r"\U0001F600", r"\u{1F600}"),
            (r"\a", r"\a", r"\u{7}"),
            (r"\#", r"\#", "#"),
            (r"\-", r"\-", "-"),
            (r"\%", r"\%", "%"),
            (r"[\&]", r"\&", "&"),
            ("]", "]", r"\]"),
            ("}", "}", r"\}"),
            ("[]a]", "]", r"\]"),
            ("[--a]", "-", r"\-"),
            ("[a-z&&b]", "a-z&&b", "[a-z]"),
            ("[a-z--b]", "a-z--b", "[a-z]"),
            ("[a~~b]", "a~~b", "[a-z]"),
            ("[a[b]]", "[b]", r"\["),
            ("[[:alpha:]]", "[:alpha:]", "[A-Za-z]"),
            (r"\pL", r"\pL", r"\p{L}"),
            (r"\p{Letter}", r"\p{Letter}", r"\p{Lu}"),
            (r"\p{Script=Greek}", r"\p{Script=Greek}", r"\p{Lu}"),
            ("a**", "a**", "(?:…)"),
            ("a{2}{3}", "a{2}{3}", "(?:…)"),
            ("^*", "^*", "drop"),
            ("a{ 2 }", "{ 2 }", "without spaces"),
            ("(?=a)b", "(?=", "function"),
            ("(?<!a)b", "(?<!", "function"),
            (r"(a)\1", r"\1", "function"),
            (r"\0", r"\0", "function"),
            ("[a", "[", "correct"),
            ("(a", "(", "correct"),
            ("a{2,1}", "{2,1}", "correct"),
            (r"\q", r"\q", "correct"),
            ("(?'n'a)", "'", "correct"),
        ] {
            let fault = portable(pattern).expect_err(pattern);
            let text = format!("{}\n{}", fault.fact, fault.help);
            assert!(text.contains(&format!("`{piece}`")), "{pattern}: {text}");
            assert!(fault.help.contains(write), "{pattern}: {text}");
        }
        assert_eq!(portable("").unwrap_err().fact, "the pattern is empty");
    }
}
