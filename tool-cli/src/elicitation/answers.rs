//! Answers on the command line, for scripts.

use serde_json::{Map, Value};
#[cfg(feature = "tasks")]
use tool_core::elicitation::{Ask, Question};

use crate::elicitation::field::Field;

/// The answer that declines a question.
pub(super) const DECLINE: &str = ":no";

/// The answer that confirms that a page was visited.
const CONFIRM: &str = ":yes";

/// What `--answer` gave: `KEY=VALUE` or `KEY:=JSON`, where the key is the name of a field, or the key of a question and the
/// name of a field with a dot between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Vec<Pair>);

#[derive(Clone, Debug)]
struct Pair {
    key: String,
    value: Text,
}

#[derive(Clone, Debug)]
enum Text {
    Plain(String),
    Json(Value),
}

impl Answers {
    /// Parses the values of `--answer`.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with a value.
    pub(crate) fn parse<'t>(texts: impl IntoIterator<Item = &'t String>) -> Result<Self, String> {
        let pairs = texts.into_iter().map(|text| pair(text));
        pairs.collect::<Result<_, _>>().map(Answers)
    }

    /// Returns `true` if some of the answers are for this question.
    #[cfg(feature = "tasks")]
    pub(crate) fn covers(&self, question: &Question) -> bool {
        self.0.iter().any(|pair| is_for(&pair.key, question))
    }

    /// Returns the key of an answer that is for none of these questions.
    #[cfg(feature = "tasks")]
    pub(crate) fn stray(&self, questions: &[Question]) -> Option<&str> {
        let is_stray = |pair: &&Pair| !questions.iter().any(|question| is_for(&pair.key, question));
        self.0.iter().find(is_stray).map(|pair| pair.key.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if this question is declined.
    pub(super) fn declines(&self, question: &str) -> bool {
        matches!(self.get(question), Some(Text::Plain(text)) if text == DECLINE)
    }

    /// Returns `true` if this question, which has no fields, is confirmed.
    pub(super) fn confirms(&self, question: &str) -> bool {
        matches!(self.get(question), Some(Text::Plain(text)) if text == CONFIRM)
    }

    /// Returns the fields of this question to which there is an answer.
    pub(super) fn fields(&self, question: &str, fields: &[Field]) -> Map<String, Value> {
        let answer = |field: &Field| {
            let given = self.get(&format!("{question}.{}", field.name)).or_else(|| self.get(&field.name))?;
            let value = match given {
                Text::Plain(text) => field.read(text),
                Text::Json(value) => value.clone(),
            };
            Some((field.name.clone(), value))
        };
        fields.iter().filter_map(answer).collect()
    }

    /// Returns the last one of this key.
    fn get(&self, key: &str) -> Option<&Text> {
        self.0.iter().rev().find(|pair| pair.key == key).map(|pair| &pair.value)
    }
}

/// Returns the names that answers to this question can have: those of its fields, or its key if it has none.
#[cfg(feature = "tasks")]
pub(crate) fn names_of(question: &Question) -> Vec<&str> {
    match &question.ask {
        Ask::Form { form, .. } => form.schema()["properties"]
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect(),
        _ => vec![&question.key],
    }
}

/// Returns `true` if an answer with this key is for the question.
#[cfg(feature = "tasks")]
fn is_for(key: &str, question: &Question) -> bool {
    let of_question = key.strip_prefix(&question.key).and_then(|rest| rest.strip_prefix('.'));
    names_of(question).iter().any(|name| *name == key || of_question == Some(name)) || key == question.key
}

/// Parses `KEY=VALUE` or `KEY:=JSON`. No error message contains the value, which may be secret.
fn pair(text: &str) -> Result<Pair, String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE or KEY:=JSON")?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => {
            let json = serde_json::from_str(value).map_err(|_| format!("`{key}:=` expects JSON"))?;
            (key, Text::Json(json))
        }
        None => (key, Text::Plain(value.to_owned())),
    };
    if key.is_empty() {
        return Err("expected KEY=VALUE or KEY:=JSON".to_owned());
    }
    Ok(Pair { key: key.to_owned(), value })
}
