//! Texts with placeholders.

/// A text in which `{name}` is a placeholder. `{{name}}` is the text `{name}`, and every other brace is plain text, so that
/// code and JSON need no escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Variable(String),
}

impl Template {
    pub(crate) fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(name) = placeholder(rest, "{{", "}}") {
                plain.push_str(&format!("{{{name}}}"));
                rest = &rest[name.len() + 4..];
            } else if let Some(name) = placeholder(rest, "{", "}") {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                parts.push(TemplatePart::Variable(name.to_owned()));
                rest = &rest[name.len() + 2..];
            } else {
                plain.push('{');
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        parts.push(TemplatePart::Text(plain));
        parts.retain(|part| *part != TemplatePart::Text(String::new()));
        Template(parts)
    }

    /// Returns the names of the placeholders in order, each once.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let is_new = |position: usize, part: &TemplatePart| !self.0[..position].contains(part);
        self.0.iter().enumerate().filter_map(move |(position, part)| match part {
            TemplatePart::Variable(name) if is_new(position, part) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the text with values, which are not searched for placeholders.
    pub(crate) fn filled<'v>(&self, value: &dyn Fn(&str) -> &'v str) -> String {
        let part = |part: &'_ TemplatePart| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Variable(name) => value(name).to_owned(),
        };
        self.0.iter().map(part).collect()
    }
}

/// Returns the name between these braces at the beginning of a text.
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
