//! One field of a form, as it is asked for and read on a line.

use serde_json::Value;
use tool_core::elicitation::Form;

/// A field of a form.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) secret: bool,
    pub(super) default: Option<Value>,
    title: Option<String>,
    description: Option<String>,
    kind: Kind,
}

enum Kind {
    Text,
    Number(&'static str, Option<Value>, Option<Value>),
    YesOrNo,
    /// One of several texts, each with a title or without.
    One(Vec<FieldChoice>),
    Several(Vec<FieldChoice>),
}

struct FieldChoice {
    value: String,
    title: Option<String>,
}

impl Field {
    /// Returns the fields of a form, in their order.
    pub(super) fn all(form: &Form) -> Vec<Self> {
        let schema = form.schema();
        let required = schema["required"].as_array();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let field = |(name, schema): (&String, &Value)| Field {
            name: name.clone(),
            required: required.is_some_and(|names| names.iter().any(|other| other == name)),
            secret: form.secrets().contains(name),
            default: schema.get("default").cloned(),
            title: text(schema, "title"),
            description: text(schema, "description"),
            kind: Kind::of(schema),
        };
        properties.map(field).collect()
    }

    /// Returns the lines before the prompt: title, description and choices. They are empty if there is only a name.
    pub(super) fn introduction(&self) -> String {
        let mut lines = String::new();
        let texts = self.title.iter().chain(&self.description);
        let texts: Vec<&str> = texts.map(|text| text.trim()).filter(|text| *text != self.name).collect();
        if !texts.is_empty() {
            lines.push_str(&format!("{}: {}\n", self.name, texts.join(" — ")));
        }
        if let Kind::One(choices) | Kind::Several(choices) = &self.kind {
            for (position, FieldChoice { value, title }) in choices.iter().enumerate() {
                let title = title.as_ref().filter(|title| *title != value);
                let title = title.map(|title| format!("  {title}")).unwrap_or_default();
                lines.push_str(&format!("  {}) {value}{title}\n", position + 1));
            }
        }
        lines
    }

    /// Returns the prompt: the name, hints and the default.
    pub(super) fn prompt(&self) -> String {
        let hint = match &self.kind {
            Kind::Text => None,
            Kind::Number(kind, minimum, maximum) => Some(match (minimum, maximum) {
                (Some(minimum), Some(maximum)) => format!("{kind}, {minimum} to {maximum}"),
                (Some(minimum), None) => format!("{kind}, at least {minimum}"),
                (None, Some(maximum)) => format!("{kind}, at most {maximum}"),
                (None, None) => (*kind).to_owned(),
            }),
            Kind::YesOrNo => Some("y/n".to_owned()),
            Kind::One(choices) => Some(format!("1-{}", choices.len())),
            Kind::Several(choices) => Some(format!("of 1-{}, with commas", choices.len())),
        };
        let optional_hint =
            (!self.required && self.default.is_none()).then(|| "may be left empty".to_owned());
        let hints: Vec<String> = hint.into_iter().chain(optional_hint).collect();
        let hints = if hints.is_empty() { String::new() } else { format!(" ({})", hints.join("; ")) };
        let default =
            self.default.as_ref().map(|default| format!(" [{}]", as_typed(default))).unwrap_or_default();
        format!("{}{hints}{default}: ", self.name)
    }

    /// Converts a text to the type of the field. A text that cannot be converted is returned as it is, and validation reports it.
    pub(super) fn read(&self, text: &str) -> Value {
        let trimmed = text.trim();
        match &self.kind {
            Kind::Text => text.into(),
            Kind::Number(..) => serde_json::from_str::<serde_json::Number>(trimmed)
                .map_or_else(|_| trimmed.into(), Value::Number),
            Kind::YesOrNo => match trimmed.to_lowercase().as_str() {
                "y" | "yes" | "true" => true.into(),
                "n" | "no" | "false" => false.into(),
                _ => trimmed.into(),
            },
            Kind::One(choices) => choice_value(choices, trimmed),
            Kind::Several(choices) => {
                let parts = trimmed.split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(|part| choice_value(choices, part)).collect()
            }
        }
    }
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let choices = FieldChoice::all(schema);
        if !choices.is_empty() {
            return Kind::One(choices);
        }
        let limit = |keyword: &str| schema.get(keyword).cloned();
        match schema["type"].as_str() {
            Some("integer") => Kind::Number("a whole number", limit("minimum"), limit("maximum")),
            Some("number") => Kind::Number("a number", limit("minimum"), limit("maximum")),
            Some("boolean") => Kind::YesOrNo,
            Some("array") => Kind::Several(FieldChoice::all(&schema["items"])),
            _ => Kind::Text,
        }
    }
}

impl FieldChoice {
    fn all(schema: &Value) -> Vec<Self> {
        if let Some(values) = schema["enum"].as_array() {
            let names = schema["enumNames"].as_array();
            let name = |position: usize| names?.get(position)?.as_str().map(str::to_owned);
            let values =
                values.iter().enumerate().filter_map(|(position, value)| Some((position, value.as_str()?)));
            return values
                .map(|(at, value)| FieldChoice { value: value.to_owned(), title: name(at) })
                .collect();
        }
        let titled = ["oneOf", "anyOf"].iter().find_map(|keyword| schema[*keyword].as_array());
        let choice = |branch: &Value| {
            Some(FieldChoice { value: branch["const"].as_str()?.to_owned(), title: text(branch, "title") })
        };
        titled.into_iter().flatten().filter_map(choice).collect()
    }
}

/// Finds a choice by its value, its title or its number, in this order.
fn choice_value(choices: &[FieldChoice], text: &str) -> Value {
    let by_value = choices.iter().find(|choice| choice.value == text);
    let by_title = || choices.iter().find(|choice| choice.title.as_deref() == Some(text));
    let by_number = || text.parse::<usize>().ok()?.checked_sub(1).and_then(|position| choices.get(position));
    by_value.or_else(by_title).or_else(by_number).map_or(text, |choice| &choice.value).into()
}

/// Returns a default as one would type it.
fn as_typed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "y" } else { "n" }.to_owned(),
        Value::Array(values) => values.iter().map(as_typed).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

fn text(schema: &Value, keyword: &str) -> Option<String> {
    schema[keyword].as_str().map(str::to_owned)
}
