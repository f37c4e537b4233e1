//! From what a server answers to what a call comes to.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CallToolResult, ServerResult};
use serde_json::Value;
use tool_core::failure::Reason;
use tool_core::{Content, Failure, FailureKind, Output, ToolDefinition};

/// Characters of the words of a failure.
const LONGEST_FAILURE: usize = 20_000;

/// What the answer to a call comes to.
pub(super) fn outcome(server: &str, tool: &ToolDefinition, answer: ServerResult) -> Result<Output, Failure> {
    let result = match answer {
        ServerResult::CallToolResult(result) => parts(result),
        // Content of a kind that is not known, among others: each block is looked at by itself.
        ServerResult::CustomResult(result) if result.0["content"].is_array() => result.0,
        ServerResult::InputRequiredResult(_) => {
            return Err(failed(format!(
                "server `{server}` asks for more input in the middle of `{}`, and nobody can be asked from here",
                tool.name()
            )));
        }
        _ => {
            return Err(failed(format!(
                "server `{server}` answered `{}` with something that is no result",
                tool.name()
            )));
        }
    };
    let content: Vec<Content> = result["content"].as_array().into_iter().flatten().map(block).collect();
    if result["isError"] == true {
        return Err(failed(text_of(server, tool, &content, result.get("structuredContent"))));
    }
    let output = match result.get("structuredContent").filter(|value| !value.is_null()) {
        Some(value) => {
            let output = Output::json(value).map_err(|_| Failure::internal())?;
            if content.is_empty() { output } else { output.with_content(content) }
        }
        None => plain(content),
    };
    let problems = tool.output_problems(&output);
    if problems.is_empty() {
        return Ok(output);
    }
    let places: Vec<String> =
        problems.iter().map(|problem| format!("{} at {:?}", problem.keyword, problem.path)).collect();
    Err(failed(format!(
        "server `{server}` answered `{}` with something else than its output schema says: {}",
        tool.name(),
        places.join(", ")
    )))
}

/// The result as JSON, whose content is looked at block by block.
fn parts(result: CallToolResult) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}

/// One text alone is a text; anything else is what it is.
fn plain(content: Vec<Content>) -> Output {
    match <[Content; 1]>::try_from(content) {
        Ok([Content::Text { text }]) => Output::text(text),
        Ok(other) => Output::from_content(other.into()),
        Err(content) if content.is_empty() => Output::empty(),
        Err(content) => Output::from_content(content),
    }
}

/// The words of a failure. What is no text is named, so that nobody takes it for all that there was.
fn text_of(server: &str, tool: &ToolDefinition, content: &[Content], structured: Option<&Value>) -> String {
    let texts: Vec<String> = content.iter().map(in_words).filter(|text| !text.trim().is_empty()).collect();
    if !texts.is_empty() {
        return cut(texts.join("\n"));
    }
    match structured.filter(|value| !value.is_null()) {
        Some(value) => cut(value.to_string()),
        None => format!("server `{server}` says that `{}` failed, and not why", tool.name()),
    }
}

/// A failure is read to its end: it has one.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_FAILURE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn in_words(content: &Content) -> String {
    match content {
        Content::Text { text } => text.clone(),
        Content::Image { data, mime_type } => format!("[an image of {} bytes, {mime_type}]", data.len()),
        Content::Audio { data, mime_type } => format!("[a sound of {} bytes, {mime_type}]", data.len()),
        Content::ResourceLink { uri, name, .. } => format!("[{name}: {uri}]"),
        Content::Resource { uri, .. } => format!("[{uri}]"),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// A block of content. One that is malformed or of a kind that is not known is shown as it came.
fn block(block: &Value) -> Content {
    known(block).unwrap_or_else(|| Content::text(block.to_string()))
}

fn known(block: &Value) -> Option<Content> {
    let text = |name: &str| block[name].as_str().map(str::to_owned);
    Some(match block["type"].as_str()? {
        "text" => Content::text(text("text")?),
        "image" => Content::image(decoded(&block["data"])?, text("mimeType")?),
        "audio" => Content::audio(decoded(&block["data"])?, text("mimeType")?),
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
                None => {
                    Content::resource(uri, mime_type("application/octet-stream"), decoded(&resource["blob"])?)
                }
            }
        }
        _ => return None,
    })
}

fn decoded(data: &Value) -> Option<Vec<u8>> {
    BASE64.decode(data.as_str()?).ok()
}

fn failed(message: String) -> Failure {
    Failure::new(FailureKind::Failed(Reason::Other), message)
}
