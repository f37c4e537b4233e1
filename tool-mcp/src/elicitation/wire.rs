//! Questions and answers as JSON of MCP.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_core::elicitation::{Answer, Ask, AskKind, Elicited, Question, Root, Sampled};
use tool_core::{CallId, Content, Role};

/// Returns a question as a request to the client.
pub(super) fn request(question: &Question) -> Value {
    match &question.ask {
        Ask::Form { form, .. } => json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": question.message(), "requestedSchema": form.schema(),
        }}),
        // 2026-07-28 has no identifier; rmcp would send an empty one.
        Ask::Url { url, .. } => json!({"method": "elicitation/create", "params": {
            "mode": "url", "message": question.message(), "url": url, "elicitationId": CallId::new().to_string(),
        }}),
        Ask::Sample(sample) => json!({"method": "sampling/createMessage", "params": sample}),
        _ => json!({"method": "roots/list", "params": {}}),
    }
}

/// Reads the answer to a question of this kind.
///
/// # Errors
///
/// When the answer is invalid: what is wrong, for the client that answers again.
pub(super) fn answer(kind: AskKind, answer: &Value) -> Result<Answer, String> {
    let wrong = |error: serde_json::Error| error.to_string();
    match kind {
        AskKind::Form | AskKind::Url => {
            let ElicitResult { action, content } = ElicitResult::deserialize(answer).map_err(wrong)?;
            Ok(Answer::Elicited(match action {
                Action::Accept => Elicited::Accepted(content.unwrap_or_default()),
                Action::Decline => Elicited::Declined,
                Action::Cancel => Elicited::Cancelled,
            }))
        }
        AskKind::Sample => {
            let SampleResult { role, content, model, stop_reason } =
                SampleResult::deserialize(answer).map_err(wrong)?;
            let blocks = match content {
                Blocks::One(block) => vec![block],
                Blocks::Several(blocks) => blocks,
            };
            let content = blocks.into_iter().map(content_of).collect::<Result<Vec<_>, _>>()?;
            let mut sampled = Sampled::new(content, model);
            sampled.role = match role {
                Speaker::User => Role::User,
                Speaker::Assistant => Role::Assistant,
            };
            sampled.stop_reason = stop_reason;
            Ok(Answer::Sampled(sampled))
        }
        AskKind::Roots => {
            let RootsResult { roots } = RootsResult::deserialize(answer).map_err(wrong)?;
            Ok(Answer::Roots(roots))
        }
        _ => Err("this kind of question is not supported".to_owned()),
    }
}

#[derive(Deserialize)]
struct ElicitResult {
    action: Action,
    content: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Accept,
    Decline,
    Cancel,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SampleResult {
    role: Speaker,
    content: Blocks,
    model: String,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Speaker {
    User,
    Assistant,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Blocks {
    One(Block),
    Several(Vec<Block>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Block {
    Text { text: String },
    Image { data: String, mime_type: String },
    Audio { data: String, mime_type: String },
}

fn content_of(block: Block) -> Result<Content, String> {
    let bytes = |data: String| BASE64.decode(data).map_err(|error| format!("`data` is not Base64: {error}"));
    Ok(match block {
        Block::Text { text } => Content::text(text),
        Block::Image { data, mime_type } => Content::image(bytes(data)?, mime_type),
        Block::Audio { data, mime_type } => Content::audio(bytes(data)?, mime_type),
    })
}

#[derive(Deserialize)]
struct RootsResult {
    roots: Vec<Root>,
}
