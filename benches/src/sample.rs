//! The tools that every flavor declares: the same names, texts, inputs and bodies.

const VERBS: [&str; 5] = ["forecast", "compare", "report", "average", "explain"];
const NOUNS: [&str; 7] = ["rain", "wind", "frost", "snow", "heat", "fog", "hail"];

/// The inputs of every tool: name, type and description.
pub(crate) const INPUTS: [(&str, &str, &str); 3] = [
    ("city", "String", "City, as the atlas spells it."),
    ("days", "u32", "How many days ahead."),
    ("metric", "bool", "Metric units instead of imperial ones."),
];

/// What every leaf crate calls one of its tools with.
pub(crate) const ARGUMENTS: &str = r#"{"city":"Oslo","days":3,"metric":true}"#;

/// The same as Rust expressions.
pub(crate) const VALUES: &str = r#""Oslo".to_owned(), 3, true"#;

/// One tool: half of them are `async fn`s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    number: usize,
    edits: usize,
}

impl Sample {
    /// The tool of this number, its body edited so many times.
    pub(crate) fn new(number: usize, edits: usize) -> Self {
        Sample { number, edits }
    }

    /// The name of the function and of the tool.
    pub(crate) fn name(self) -> String {
        format!("{}_{}_{}", self.verb(), self.noun(), self.number)
    }

    /// The name of the arguments' struct, for flavors that need one.
    pub(crate) fn arguments(self) -> String {
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        format!("{}{}{}", capital(self.verb()), capital(self.noun()), self.number)
    }

    pub(crate) fn description(self) -> String {
        format!("Can {} the {} of a city, by method {}.", self.verb(), self.noun(), self.number)
    }

    /// `async fn` or `fn`.
    pub(crate) fn keyword(self) -> &'static str {
        if self.is_async() { "async fn" } else { "fn" }
    }

    pub(crate) fn is_async(self) -> bool {
        self.number % 2 == 1
    }

    /// The lines between the braces; an edit adds one of them.
    pub(crate) fn body(self, indent: &str) -> String {
        let Sample { number, .. } = self;
        let (noun, factor) = (self.noun(), number + 2);
        let mut lines = vec!["let days = days.wrapping_add(1);"; self.edits].join("\n");
        lines.push('\n');
        lines += &match number % 3 {
            0 => format!(
                "let unit = if metric {{ \"mm\" }} else {{ \"in\" }};\n\
                 format!(\"{noun} in {{city}}: {{}} {{unit}}\", days.wrapping_mul({factor}))"
            ),
            1 => format!(
                "let letters = city.chars().filter(|letter| letter.is_alphabetic()).count();\n\
                 format!(\"{noun}: {{letters}} of {factor} after {{days}} days, metric: {{metric}}\")"
            ),
            _ => format!(
                "let mut text = city.to_uppercase();\n\
                 if metric && days > {factor} {{\n    text.push_str(\" ({noun})\");\n}}\ntext"
            ),
        };
        let lines = lines.lines().filter(|line| !line.is_empty());
        lines.map(|line| format!("{indent}{line}\n")).collect()
    }

    fn verb(self) -> &'static str {
        VERBS[self.number % VERBS.len()]
    }

    fn noun(self) -> &'static str {
        NOUNS[self.number % NOUNS.len()]
    }
}

/// The parameters as Rust writes them, each under its description.
pub(crate) fn described(indent: &str) -> String {
    let line = |(name, kind, text)| format!("{indent}/// {text}\n{indent}{name}: {kind},\n");
    INPUTS.map(line).concat()
}

/// The parameters on one line.
pub(crate) fn plain() -> String {
    INPUTS.map(|(name, kind, _)| format!("{name}: {kind}")).join(", ")
}

/// The names of the inputs on one line.
pub(crate) fn names() -> String {
    INPUTS.map(|(name, _, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn generates_unique_names() {
        let names: HashSet<_> = (0..300).map(|number| Sample::new(number, 0).name()).collect();
        assert_eq!(names.len(), 300);
    }

    #[test]
    fn adds_one_line_per_edit() {
        for number in 0..3 {
            let lines = |edits| Sample::new(number, edits).body("    ").lines().count();
            assert_eq!(lines(2), lines(0) + 2);
        }
    }
}
