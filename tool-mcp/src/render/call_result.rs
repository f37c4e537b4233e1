//! What a call came to, in the shape of the result of `tools/call`.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject, MetaObject, Resource};
use serde_json::Value;
use tool_core::results::{Excerpt, Preview, PreviewPart};
use tool_core::{CallId, Content, Failure, FailureKind, Output, Reply};

use crate::catalog::uri::Scheme;
use crate::protocol::Era;
use crate::render::stored_result::ResultUri;

/// A result for whatever happened in the tool, a protocol error for a tool that is not there.
pub(crate) fn answer(reply: &Reply, era: &Era, scheme: &Scheme) -> Result<CallToolResult, ErrorData> {
    let call_id = reply.call_id;
    let result = match (&reply.result, &reply.preview) {
        (result, Some(preview)) => excerpts(preview, result, era, scheme),
        (Ok(output), None) => succeeded(output, era),
        (Err(failure), None) => match failure.kind().codes().mcp_call.code(true) {
            // Where the client lacks a capability, that was told before: it has nobody to ask, as a tool called by a tool.
            Some(_) if failure.kind() == FailureKind::Unsupported => failed(failure, call_id),
            Some(code) => return Err(ErrorData::new(ErrorCode(code), failure.message().to_owned(), None)),
            None => failed(failure, call_id),
        },
    };
    let mut meta = JsonObject::new();
    meta.insert("tool-core/callId".to_owned(), call_id.to_string().into());
    if let Err(failure) = &reply.result {
        meta.extend(retry(failure).map(|(key, value)| (format!("tool-core/{key}"), value)));
    }
    Ok(result.with_meta(Some(MetaObject(meta))))
}

/// What a program must know of a failure to decide whether it tries again, and when.
fn retry(failure: &Failure) -> impl Iterator<Item = (&'static str, Value)> {
    let kind = ("kind", failure.kind().codes().error_type.into());
    [kind, ("retryable", failure.retryable().into())].into_iter().chain(wait(failure))
}

fn wait(failure: &Failure) -> Option<(&'static str, Value)> {
    failure.retry_after().map(|wait| ("retryAfterSeconds", wait.as_secs().into()))
}

/// What the data of a protocol error say about trying again: only where the same request can succeed.
pub(crate) fn retry_as_is(failure: &Failure) -> impl Iterator<Item = (&'static str, Value)> {
    let needs_change = matches!(failure.kind(), FailureKind::Input | FailureKind::NotJson);
    let helps = failure.retryable() && !needs_change;
    helps.then_some(("retryable", true.into())).into_iter().chain(wait(failure).filter(|_| helps))
}

fn succeeded(output: &Output, era: &Era) -> CallToolResult {
    let content = output.content().iter().map(|content| block(content, era)).collect();
    let mut result = CallToolResult::success(content);
    let structured = output.structured_text().filter(|_| era.has_structured_output());
    result.structured_content = structured.and_then(|json| serde_json::from_str(json).ok());
    result
}

/// What is shown of a result that is too large, and where the rest is. What failed has failed all the same.
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

/// An excerpt as a text, and a link to the whole.
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

/// An excerpt as a value, with where the whole is.
pub(crate) fn linked(excerpt: &Excerpt, scheme: &Scheme) -> Value {
    let mut value = serde_json::to_value(excerpt).unwrap_or_default();
    if let Some(digest) = excerpt.digest() {
        value["uri"] = ResultUri::of(scheme, digest).into();
    }
    value
}

/// A value of ours, mirrored as text.
pub(crate) fn succeeded_with(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

/// A failure that is not the tool's, with all that a model must know to try again.
pub(crate) fn failed_text(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn failed(failure: &Failure, call_id: CallId) -> CallToolResult {
    let mut text = failure.text();
    if failure.kind() == FailureKind::Internal {
        // The cause is in the log alone; this is what finds it there.
        text.push_str(&format!(" (call {call_id})"));
    }
    failed_text(text)
}

/// Content in the shape of MCP, as far as the client knows it.
pub(crate) fn block(content: &Content, era: &Era) -> ContentBlock {
    let adapted = era.adapted(content);
    let content = adapted.as_ref().unwrap_or(content);
    if let Content::Text { text } = content {
        return ContentBlock::text(text);
    }
    // Content has the shape of MCP's blocks, so that a kind of it that is added later needs no line here.
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
