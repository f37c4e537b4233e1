//! Calls as results of `tools/call`.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject, MetaObject, Resource};
use serde_json::Value;
use tool_core::results::{Excerpt, Preview, PreviewPart};
use tool_core::{CallId, Content, Failure, FailureKind, Output, Reply};

use crate::catalog::uri::Scheme;
use crate::protocol::{Era, RpcResult};
use crate::render::read_error::retry_after;
use crate::render::stored_result::ResultUri;

/// Returns the result of a call, or the protocol error of an unknown tool.
pub(crate) fn call_result(reply: &Reply, era: &Era, scheme: &Scheme) -> RpcResult<CallToolResult> {
    let call_id = reply.call_id;
    let result = match (&reply.result, &reply.preview) {
        (result, Some(preview)) => excerpts(preview, result, era, scheme),
        (Ok(output), None) => succeeded(output, era),
        (Err(failure), None) => match failure.kind().codes().mcp_call.code(true) {
            // The error of a missing capability is a separate one, sent before. Here the caller is another tool.
            Some(_) if failure.kind() == FailureKind::Unsupported => failed(failure, call_id),
            Some(code) => return Err(ErrorData::new(ErrorCode(code), failure.message().to_owned(), None)),
            None => failed(failure, call_id),
        },
    };
    let mut meta = JsonObject::new();
    meta.insert("tool-core/callId".to_owned(), call_id.to_string().into());
    if let Err(failure) = &reply.result {
        meta.insert("tool-core/kind".to_owned(), failure.kind().codes().error_type.into());
        meta.insert("tool-core/retryable".to_owned(), failure.retryable().into());
        meta.extend(retry_after(failure).map(|(key, value)| (format!("tool-core/{key}"), value)));
    }
    Ok(result.with_meta(Some(MetaObject(meta))))
}

fn succeeded(output: &Output, era: &Era) -> CallToolResult {
    let content = output.content().iter().map(|content| block(content, era)).collect();
    let mut result = CallToolResult::success(content);
    let structured = output.structured_text().filter(|_| era.has_structured_output());
    result.structured_content = structured.and_then(|json| serde_json::from_str(json).ok());
    result
}

/// Returns the preview of a large result. If the call failed, the result is an error.
fn excerpts(
    preview: &Preview,
    result: &Result<Output, Failure>,
    era: &Era,
    scheme: &Scheme,
) -> CallToolResult {
    let mut content = Vec::new();
    for part in preview.parts() {
        match part {
            PreviewPart::Content(part) => content.push(block(part, era)),
            PreviewPart::Excerpt(excerpt) => content.extend(excerpt_blocks(excerpt, era, scheme)),
            _ => {}
        }
    }
    let Ok(output) = result else { return CallToolResult::error(content) };
    let mut result = CallToolResult::success(content);
    let excerpt = preview.excerpts().next().filter(|_| output.structured_text().is_some());
    result.structured_content = excerpt.filter(|_| era.has_structured_output()).map(|it| linked(it, scheme));
    result
}

/// Returns an excerpt as a text, and a link to the whole.
pub(crate) fn excerpt_blocks(excerpt: &Excerpt, era: &Era, scheme: &Scheme) -> Vec<ContentBlock> {
    let line_break =
        if excerpt.preview().is_empty() || excerpt.preview().ends_with('\n') { "" } else { "\n" };
    let text = ContentBlock::text(format!("{}{line_break}{}", excerpt.preview(), excerpt.note()));
    let link = excerpt.digest().map(|digest| {
        let uri = ResultUri::of(scheme, digest);
        if !era.has_structured_output() {
            return block(&Content::link(uri, "the whole result"), era);
        }
        let link =
            Resource::new(uri, "result").with_title("The whole result").with_size(excerpt.bytes() as u64);
        ContentBlock::resource_link(link.with_mime_type(excerpt.media_type()))
    });
    [text].into_iter().chain(link).collect()
}

/// Returns an excerpt as JSON, with the URI of the whole.
pub(crate) fn linked(excerpt: &Excerpt, scheme: &Scheme) -> Value {
    let mut value = serde_json::to_value(excerpt).unwrap_or_default();
    if let Some(digest) = excerpt.digest() {
        value["uri"] = ResultUri::of(scheme, digest).into();
    }
    value
}

/// Returns a result with a value, and the value as text.
pub(crate) fn succeeded_with(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

/// Returns an error result with a text.
pub(crate) fn failed_text(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn failed(failure: &Failure, call_id: CallId) -> CallToolResult {
    let mut text = failure.text();
    if failure.kind() == FailureKind::Internal {
        // The cause is only in the log, under this identifier.
        text.push_str(&format!(" (call {call_id})"));
    }
    failed_text(text)
}

/// Returns content as MCP has it, adapted to the version of the client.
pub(crate) fn block(content: &Content, era: &Era) -> ContentBlock {
    let adapted = era.adapted(content);
    let content = adapted.as_ref().unwrap_or(content);
    if let Content::Text { text } = content {
        return ContentBlock::text(text);
    }
    // Content serializes as MCP's blocks do.
    let json = serde_json::to_value(content).unwrap_or(Value::Null);
    serde_json::from_value(json.clone()).unwrap_or_else(|_| ContentBlock::text(json.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_shape_of_content() {
        let link = Content::ResourceLink {
            uri: "file:///a".to_owned(),
            name: "a".to_owned(),
            mime_type: Some("text/plain".to_owned()),
            description: Some("the first".to_owned()),
        };
        let text = Content::resource("file:///a", "text/plain", "a");
        let blob = Content::resource("file:///b", "image/png", vec![0]);
        let (image, audio) = (Content::image([0], "image/png"), Content::audio([1], "audio/wav"));
        for content in [Content::text("a"), image, audio, link, text, blob] {
            let expected = serde_json::to_value(&content).unwrap();
            assert_eq!(serde_json::to_value(block(&content, &Era::default())).unwrap(), expected);
        }
    }
}
