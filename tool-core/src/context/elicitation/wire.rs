//! Questions and answers as JSON, in the form of MCP.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::context::elicitation::answer::{Answer, Elicited, Root, Sampled};
use crate::context::elicitation::question::{Ask, AskKind, Question};
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
}

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
    /// let answer = Answer::read(AskKind::Url, &json!({"action": "decline"}));
    /// assert_eq!(answer, Ok(Answer::Elicited(Elicited::Declined)));
    /// assert!(Answer::read(AskKind::Roots, &json!({})).is_err());
    /// ```
    pub fn read(kind: AskKind, answer: &Value) -> Result<Self, String> {
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
