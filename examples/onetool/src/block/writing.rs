//! Escaping of untrusted text in code.

use std::fmt::Write as _;

/// Formats a text as a Starlark string literal that nothing in it can end.
///
/// ```
/// assert_eq!(onetool::literal(r#"a "quoted" word"#), r#""a \"quoted\" word""#);
/// assert_eq!(onetool::literal("two\nlines"), r#""two\nlines""#);
/// ```
pub fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            _ if is_plain(c) => literal.push(c),
            // Writing into a string does not fail.
            _ if u32::from(c) < 0x1_0000 => drop(write!(literal, "\\u{:04x}", u32::from(c))),
            _ => drop(write!(literal, "\\U{:08x}", u32::from(c))),
        }
    }
    literal.push('"');
    literal
}

/// Formats texts as a list of literals.
///
/// ```
/// assert_eq!(onetool::list(&["AI".to_owned(), "ML".to_owned()]), r#"["AI", "ML"]"#);
/// ```
pub fn list(texts: &[String]) -> String {
    let literals: Vec<String> = texts.iter().map(|text| literal(text)).collect();
    format!("[{}]", literals.join(", "))
}

/// Formats a text as comment lines, whatever line breaks it has.
///
/// ```
/// assert_eq!(onetool::comment("Extract titles.\u{2028}import os"), "# Extract titles.\n# import os\n");
/// ```
pub fn comment(text: &str) -> String {
    let mut comment = String::new();
    for line in text.replace("\r\n", "\n").split(ends_line) {
        let line: String = line.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        let _ = writeln!(comment, "{}", format!("# {line}").trim_end());
    }
    comment
}

/// Returns `true` for anything that ends a line (Unicode Standard, 5.8 and Python's `splitlines`).
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns `true` for visible characters: no control characters, line breaks, invisible or bidirectional ones.
fn is_plain(c: char) -> bool {
    let hidden = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !ends_line(c) && !hidden
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn renders_any_text_as_a_one_line_literal(text in ".{0,40}|(?s:.{0,40})") {
            let literal = literal(&text);
            prop_assert!(literal.chars().all(is_plain));
            let value = starlark_value(&format!("{literal}\n")).unwrap();
            prop_assert_eq!(value, serde_json::Value::from(text));
        }

        #[test]
        fn renders_any_text_as_comments(text in "(?s:.{0,60})|[\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}a)\"'\\\\]{0,20}") {
            let comment = comment(&text);
            for line in comment.split_terminator('\n') {
                prop_assert!(line.starts_with('#') && line.chars().all(is_plain), "{:?}", line);
            }
            prop_assert_eq!(starlark_value(&format!("{comment}7\n")).unwrap(), 7);
        }
    }

    #[test]
    fn splits_comments_at_every_line_ending() {
        for end in [
            "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{1c}", "\u{1d}", "\u{1e}", "\u{85}", "\u{2028}",
            "\u{2029}",
        ] {
            assert_eq!(comment(&format!("a{end}b")), "# a\n# b\n", "{end:?}");
        }
        assert_eq!(comment(""), "#\n");
    }

    /// Evaluates a literal.
    fn starlark_value(code: &str) -> Result<serde_json::Value, String> {
        use starlark::environment::{Globals, Module};
        use starlark::eval::Evaluator;
        use starlark::syntax::{AstModule, Dialect};

        let ast = AstModule::parse("test", code.to_owned(), &Dialect::Standard)
            .map_err(|error| error.to_string())?;
        let module = Module::new();
        let mut evaluator = Evaluator::new(&module);
        let value = evaluator.eval_module(ast, &Globals::standard()).map_err(|error| error.to_string())?;
        value.to_json_value().map_err(|error| error.to_string())
    }
}
