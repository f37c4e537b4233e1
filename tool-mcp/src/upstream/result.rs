//! Converts the response to a call to its output or failure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::ServerResult;
use serde_json::Value;
use tool_core::failure::Reason;
use tool_core::{Content, Failure, FailureKind, Output, ToolDefinition};

/// The maximum length of a failure message, in characters.
const MAX_FAILURE_CHARS: usize = 20_000;

/// Converts the response to a call, and validates its output.
pub(super) fn call_output(
    server: &str,
    tool: &ToolDefinition,
    response: ServerResult,
) -> Result<Output, Failure> {
    let result = match response {
        // As JSON, because each content block is converted separately.
        ServerResult::CallToolResult(result) => serde_json::to_value(result).unwrap_or_default(),
        // rmcp does not know this type of content, among other reasons.
        ServerResult::CustomResult(result) if result.0["content"].is_array() => result.0,
        ServerResult::InputRequiredResult(_) => {
            return Err(failure(format!(
                "server `{server}` asks for user input during `{}`, which is not supported for tools of other servers",
                tool.name()
            )));
        }
        _ => {
            return Err(failure(format!(
                "server `{server}` answered `{}` with an invalid result",
                tool.name()
            )));
        }
    };
    let content: Vec<Content> =
        result["content"].as_array().into_iter().flatten().map(content_block).collect();
    if result["isError"] == true {
        return Err(failure(failure_message(server, tool, &content, result.get("structuredContent"))));
    }
    let output = match result.get("structuredContent").filter(|value| !value.is_null()) {
        Some(value) => {
            let output = Output::json(value).map_err(|_| Failure::internal())?;
            if content.is_empty() { output } else { output.with_content(content) }
        }
        None => content_output(content),
    };
    let problems = tool.output_problems(&output);
    if problems.is_empty() {
        return Ok(output);
    }
    let positions: Vec<String> =
        problems.iter().map(|problem| format!("{} at {:?}", problem.keyword, problem.path)).collect();
    Err(failure(format!(
        "server `{server}` answered `{}` with output that violates its output schema: {}",
        tool.name(),
        positions.join(", ")
    )))
}

/// Returns the output for content. A single text becomes a text output.
fn content_output(content: Vec<Content>) -> Output {
    match <[Content; 1]>::try_from(content) {
        Ok([Content::Text { text }]) => Output::text(text),
        Ok(other) => Output::from_content(other.into()),
        Err(content) if content.is_empty() => Output::empty(),
        Err(content) => Output::from_content(content),
    }
}

/// Returns the message of a failure. Content other than text is described in brackets.
fn failure_message(
    server: &str,
    tool: &ToolDefinition,
    content: &[Content],
    structured: Option<&Value>,
) -> String {
    let texts: Vec<String> =
        content.iter().map(describe_content).filter(|text| !text.trim().is_empty()).collect();
    if !texts.is_empty() {
        return truncate_failure(texts.join("\n"));
    }
    match structured.filter(|value| !value.is_null()) {
        Some(value) => truncate_failure(value.to_string()),
        None => format!("server `{server}` reported that `{}` failed, without a reason", tool.name()),
    }
}

/// Truncates a failure message, marked with an ellipsis.
fn truncate_failure(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_FAILURE_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn describe_content(content: &Content) -> String {
    match content {
        Content::Text { text } => text.clone(),
        Content::Image { data, mime_type } => format!("[an image of {} bytes, {mime_type}]", data.len()),
        Content::Audio { data, mime_type } => format!("[audio of {} bytes, {mime_type}]", data.len()),
        Content::ResourceLink { uri, name, .. } => format!("[{name}: {uri}]"),
        Content::Resource { uri, .. } => format!("[{uri}]"),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// Converts a content block. A malformed block, or one of an unknown type, becomes its JSON as text.
fn content_block(block: &Value) -> Content {
    parse_block(block).unwrap_or_else(|| Content::text(block.to_string()))
}

fn parse_block(block: &Value) -> Option<Content> {
    let text = |name: &str| block[name].as_str().map(str::to_owned);
    Some(match block["type"].as_str()? {
        "text" => Content::text(text("text")?),
        "image" => Content::image(decode_base64(&block["data"])?, text("mimeType")?),
        "audio" => Content::audio(decode_base64(&block["data"])?, text("mimeType")?),
        "resource_link" => {
            let uri = text("uri")?;
            let name = text("title").or_else(|| text("name")).unwrap_or_else(|| uri.clone());
            Content::ResourceLink { name, uri, mime_type: text("mimeType"), description: text("description") }
        }
        "resource" => {
            let resource = &block["resource"];
            let mime_type = |otherwise: &str| resource["mimeType"].as_str().unwrap_or(otherwise).to_owned();
            let uri = resource["uri"].as_str()?.to_owned();
            match resource["text"].as_str() {
                Some(text) => Content::resource(uri, mime_type("text/plain"), text),
                None => Content::resource(
                    uri,
                    mime_type("application/octet-stream"),
                    decode_base64(&resource["blob"])?,
                ),
            }
        }
        _ => return None,
    })
}

fn decode_base64(data: &Value) -> Option<Vec<u8>> {
    BASE64.decode(data.as_str()?).ok()
}

fn failure(message: String) -> Failure {
    Failure::new(FailureKind::Failed(Reason::Other), message)
}
