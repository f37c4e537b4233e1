//! The questions of a task.

use serde_json::{Value, json};
use tool_core::elicitation::{Answer, Ask, Elicited, Form, Question};
use tool_core::tasks::TaskQuestion;
use tool_core::{Failure, FailureKind};

/// Returns the question that a task asks under this key.
///
/// # Errors
///
/// If it is not one for a person.
pub(super) fn read(key: &str, question: &TaskQuestion) -> Result<Question, Failure> {
    let params = &question.request["params"];
    let message = params["message"].as_str().unwrap_or_default().to_owned();
    let ask = match params["url"].as_str() {
        Some(url) => Ask::Url { message, url: url.to_owned() },
        None => match Form::new(&params["requestedSchema"]) {
            Ok(form) => Ask::Form { message, form },
            Err(error) => {
                let message = format!("the question `{key}` cannot be answered here: {error}");
                return Err(Failure::new(FailureKind::Unsupported, message));
            }
        },
    };
    Ok(Question::new(key, ask))
}

/// Returns an answer as that of an MCP client.
pub(super) fn answer_json(answer: Answer) -> Value {
    match answer {
        Answer::Elicited(Elicited::Accepted(content)) => json!({"action": "accept", "content": content}),
        Answer::Elicited(Elicited::Declined) => json!({"action": "decline"}),
        _ => json!({"action": "cancel"}),
    }
}
