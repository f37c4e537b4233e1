//! Texts with placeholders.

/// A text in which `{name}` stands for a value. `{{name}}` is the text `{name}`, and every other brace is a brace: code
/// and JSON can stand in a template as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<PreviewPart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum PreviewPart {
    Text(String),
    Variable(String),
}

impl Template {
    pub(crate) fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(name) = placeholder(rest, "{{", "}}") {
                plain.push_str(&format!("{{{name}}}"));
                rest = &rest[name.len() + 4..];
            } else if let Some(name) = placeholder(rest, "{", "}") {
                pieces.push(PreviewPart::Text(std::mem::take(&mut plain)));
                pieces.push(PreviewPart::Variable(name.to_owned()));
                rest = &rest[name.len() + 2..];
            } else {
                plain.push('{');
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        pieces.push(PreviewPart::Text(plain));
        pieces.retain(|piece| *piece != PreviewPart::Text(String::new()));
        Template(pieces)
    }

    /// The names of the placeholders in the order in which they come, each once.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let is_new = |position: usize, piece: &PreviewPart| !self.0[..position].contains(piece);
        self.0.iter().enumerate().filter_map(move |(position, piece)| match piece {
            PreviewPart::Variable(name) if is_new(position, piece) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The text with values in it. What stands in a value is no placeholder.
    pub(crate) fn filled<'v>(&self, value: &dyn Fn(&str) -> &'v str) -> String {
        let piece = |piece: &'_ PreviewPart| match piece {
            PreviewPart::Text(text) => text.clone(),
            PreviewPart::Variable(name) => value(name).to_owned(),
        };
        self.0.iter().map(piece).collect()
    }
}

/// The name between these braces at the beginning of a text.
fn placeholder<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (name, _) = text.strip_prefix(open)?.split_once(close)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_name))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_placeholders_but_not_other_braces() {
        for (text, variables, filled) in [
            ("plain", vec![], "plain"),
            ("{a} and {b_2}, {a}", vec!["a", "b_2"], "<a> and <b_2>, <a>"),
            (r#"{"x": {"y": {n}}}"#, vec!["n"], r#"{"x": {"y": <n>}}"#),
            ("{{a}} {a}", vec!["a"], "{a} <a>"),
            ("{} {1} {a-b} { a } {a", vec![], "{} {1} {a-b} { a } {a"),
            ("{{{a}}}", vec![], "{{a}}"),
            ("{é} {日}", vec![], "{é} {日}"),
            ("", vec![], ""),
        ] {
            let template = Template::parse(text);
            assert_eq!(template.variables().collect::<Vec<_>>(), variables, "{text}");
            let value =
                |name: &str| ["<a>", "<b_2>", "<n>"].into_iter().find(|it| it[1..it.len() - 1] == *name);
            assert_eq!(template.filled(&|name| value(name).unwrap()), filled, "{text}");
        }
    }

    #[test]
    fn does_not_expand_values() {
        let template = Template::parse("{a}{b}");
        assert_eq!(template.filled(&|name| if name == "a" { "{b}" } else { "{a}" }), "{b}{a}");
    }
}
