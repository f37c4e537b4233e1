//! Questions and answers as JSON, in the form of MCP.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::context::elicitation::answer::{Answer, Elicited, Root, Sampled};
use crate::context::elicitation::form::Form;
use crate::context::elicitation::question::{Ask, AskKind, Question};
use crate::context::elicitation::sample::Sample;
use crate::model::call_id::CallId;
use crate::model::content::Content;
use crate::model::prompt::Role;

impl Question {
    /// Returns the question as a request of MCP: `{"method", "params"}`.
    ///
    /// ```
    /// use tool_core::elicitation::{Ask, Question};
    ///
    /// let request = Question::new("roots", Ask::Roots).to_request();
    /// assert_eq!(request["method"], "roots/list");
    /// ```
    pub fn to_request(&self) -> Value {
        match &self.ask {
            Ask::Form { form, .. } => json!({"method": "elicitation/create", "params": {
                "mode": "form", "message": self.message(), "requestedSchema": form.schema(),
            }}),
            // Before 2026-07-28, the identifier is required.
            Ask::Url { url, .. } => json!({"method": "elicitation/create", "params": {
                "mode": "url", "message": self.message(), "url": url, "elicitationId": CallId::new().to_string(),
            }}),
            Ask::Sample(sample) => json!({"method": "sampling/createMessage", "params": sample}),
            Ask::Roots => json!({"method": "roots/list", "params": {}}),
        }
    }

    /// Reads a request of MCP, `{"method", "params"}`, as its client receives it: the inverse of
    /// [`to_request`](Self::to_request). The problems of the last answer stay in the message.
    ///
    /// # Errors
    ///
    /// If the request is not a question, or if it is malformed. The error says why.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::elicitation::{AskKind, Question};
    ///
    /// let params = json!({"mode": "url", "message": "Please sign in", "url": "https://example.com"});
    /// let request = json!({"method": "elicitation/create", "params": params});
    /// let question = Question::from_request("sign_in", &request).unwrap();
    /// assert_eq!((question.ask.kind(), question.message().as_str()), (AskKind::Url, "Please sign in"));
    /// assert!(Question::from_request("list", &json!({"method": "tools/list"})).is_err());
    /// ```
    pub fn from_request(key: impl Into<String>, request: &Value) -> Result<Self, QuestionError> {
        let params = &request["params"];
        let text = |name: &'static str| {
            let text = params[name].as_str().map(str::to_owned);
            text.ok_or_else(|| QuestionError(format!("`params` have no text `{name}`")))
        };
        let ask = match request["method"].as_str().unwrap_or_default() {
            "elicitation/create" if params["mode"] == "url" => {
                Ask::Url { message: text("message")?, url: text("url")? }
            }
            "elicitation/create" => {
                let form = Form::new(&params["requestedSchema"])
                    .map_err(|error| QuestionError(error.to_string()))?;
                Ask::Form { message: text("message")?, form }
            }
            "sampling/createMessage" => {
                Ask::Sample(Sample::deserialize(params).map_err(|error| QuestionError(error.to_string()))?)
            }
            "roots/list" => Ask::Roots,
            method => return Err(QuestionError(format!("`{method}` is not a question of a tool"))),
        };
        Ok(Question::new(key, ask))
    }
}

/// A request that is not a question of a tool, or is malformed. Displays why.
///
/// ```
/// use tool_core::elicitation::Question;
///
/// let error = Question::from_request("a", &serde_json::json!({"method": "tools/list"})).unwrap_err();
/// assert_eq!(error.to_string(), "`tools/list` is not a question of a tool");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct QuestionError(String);

impl Answer {
    /// Reads the answer of an MCP client to a question of this kind: `{"action": "accept", "content": {…}}` for a form.
    ///
    /// # Errors
    ///
    /// What is wrong with the answer, for the client that answers again.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::elicitation::{Answer, AskKind, Elicited};
    ///
    /// let answer = Answer::from_result(AskKind::Url, &json!({"action": "decline"}));
    /// assert_eq!(answer, Ok(Answer::Elicited(Elicited::Declined)));
    /// assert!(Answer::from_result(AskKind::Roots, &json!({})).is_err());
    /// ```
    pub fn from_result(kind: AskKind, answer: &Value) -> Result<Self, String> {
        let wrong = |error: serde_json::Error| error.to_string();
        match kind {
            AskKind::Form | AskKind::Url => {
                let ElicitResult { action, content } = ElicitResult::deserialize(answer).map_err(wrong)?;
                Ok(Answer::Elicited(match action {
                    ElicitAction::Accept => Elicited::Accepted(content.unwrap_or_default()),
                    ElicitAction::Decline => Elicited::Declined,
                    ElicitAction::Cancel => Elicited::Cancelled,
                }))
            }
            AskKind::Sample => {
                let SampleResult { role, content, model, stop_reason } =
                    SampleResult::deserialize(answer).map_err(wrong)?;
                let content = match content {
                    Blocks::One(block) => vec![block],
                    Blocks::Several(blocks) => blocks,
                };
                Ok(Answer::Sampled(Sampled { role, content, model, stop_reason }))
            }
            AskKind::Roots => {
                let RootsResult { roots } = RootsResult::deserialize(answer).map_err(wrong)?;
                Ok(Answer::Roots(roots))
            }
        }
    }
}

impl Answer {
    /// Returns the answer as the result that an MCP client sends: the inverse of [`from_result`](Self::from_result).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::elicitation::{Answer, Elicited};
    ///
    /// assert_eq!(Answer::Elicited(Elicited::Declined).to_result(), json!({"action": "decline"}));
    /// ```
    pub fn to_result(&self) -> Value {
        match self {
            Answer::Elicited(Elicited::Accepted(fields)) => json!({"action": "accept", "content": fields}),
            Answer::Elicited(Elicited::Declined) => json!({"action": "decline"}),
            Answer::Elicited(Elicited::Cancelled) => json!({"action": "cancel"}),
            Answer::Sampled(Sampled { role, content, model, stop_reason }) => {
                let content = match &content[..] {
                    [block] => json!(block),
                    blocks => json!(blocks),
                };
                let mut result = json!({"role": role, "content": content, "model": model});
                if let Some(reason) = stop_reason {
                    result["stopReason"] = json!(reason);
                }
                result
            }
            Answer::Roots(roots) => json!({"roots": roots}),
        }
    }
}

#[derive(Deserialize)]
struct ElicitResult {
    action: ElicitAction,
    content: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ElicitAction {
    Accept,
    Decline,
    Cancel,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SampleResult {
    role: Role,
    content: Blocks,
    model: String,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Blocks {
    One(Content),
    Several(Vec<Content>),
}

#[derive(Deserialize)]
struct RootsResult {
    roots: Vec<Root>,
}

#[cfg(test)]
mod tests {
    use crate::context::elicitation::sample::ModelPreferences;

    use super::*;

    #[test]
    fn reads_the_questions_that_it_writes() {
        let schema =
            json!({"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]});
        let sample =
            Sample::new(9).system("Be brief.").user("Hello").assistant("Yes?").temperature(0.5).stop(".");
        for ask in [
            Ask::Form { message: "Sure?".to_owned(), form: Form::new(&schema).unwrap() },
            Ask::Url { message: "Sign in".to_owned(), url: "https://example.com".to_owned() },
            Ask::Sample(sample.prefer(ModelPreferences::new().model("sonnet").speed(1.0))),
            Ask::Roots,
        ] {
            let question = Question::new("key", ask);
            let read = Question::from_request("key", &question.to_request()).unwrap();
            assert_eq!(read.digest(), question.digest(), "{question:?}");
        }
    }

    #[test]
    fn a_question_has_a_message_and_an_address() {
        let url = json!({"mode": "url", "message": "Sign in", "url": "https://example.com"});
        for missing in ["message", "url"] {
            let mut params = url.clone();
            params[missing].take();
            let request = json!({"method": "elicitation/create", "params": params});
            let error = Question::from_request("key", &request).unwrap_err();
            assert_eq!(error.to_string(), format!("`params` have no text `{missing}`"));
        }
    }

    #[test]
    fn reads_the_answers_that_it_writes() {
        let fields = Map::from_iter([("sure".to_owned(), json!(true))]);
        let sampled =
            Sampled { stop_reason: Some("endTurn".to_owned()), ..Sampled::text("Paris", "a model") };
        let two = Sampled::new([Content::text("a"), Content::text("b")], "a model");
        for (kind, answer) in [
            (AskKind::Form, Answer::Elicited(Elicited::Accepted(fields))),
            (AskKind::Url, Answer::Elicited(Elicited::Declined)),
            (AskKind::Form, Answer::Elicited(Elicited::Cancelled)),
            (AskKind::Sample, Answer::Sampled(sampled)),
            (AskKind::Sample, Answer::Sampled(two)),
            (AskKind::Roots, Answer::Roots(vec![Root::new("file:///srv").name("Server")])),
        ] {
            assert_eq!(Answer::from_result(kind, &answer.to_result()), Ok(answer));
        }
    }
}
