//! Calls as results of `tools/call`.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::model::{ContentBlock, ErrorCode, Resource};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tool_core::results::{Excerpt, Preview, PreviewPart};
use tool_core::{CallId, Content, Failure, FailureKind, Output, Reply};

use crate::catalog::uri::Scheme;
use crate::protocol::{Era, ResultMeta, RpcResult};
use crate::render::stored_result::ResultUri;

/// The result of a call, as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallResult<'r> {
    /// `complete` in the modern era.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_type: Option<&'static str>,
    content: CallContent<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Cow<'r, RawValue>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "ResultMeta::is_empty")]
    pub(crate) meta: ResultMeta<'r>,
}

/// The content of a result. [`Content`] serializes as MCP's blocks do.
#[derive(Serialize)]
#[serde(untagged)]
enum CallContent<'r> {
    Content(Cow<'r, [Content]>),
    WithExcerpts(Vec<ContentBlock>),
}

impl<'r> CallResult<'r> {
    fn new(content: CallContent<'r>, is_error: bool) -> Self {
        let meta = ResultMeta::default();
        CallResult { result_type: None, content, structured_content: None, is_error, meta }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.is_error
    }

    /// Returns the result of a call, or the protocol error of an unknown tool.
    pub(crate) fn of(reply: &'r Reply, era: &Era, scheme: &Scheme) -> RpcResult<Self> {
        let mut result = match (&reply.result, &reply.preview) {
            (result, Some(preview)) => CallResult::excerpts(preview, result, era, scheme),
            (Ok(output), None) => CallResult::succeeded(output, era),
            (Err(failure), None) => CallResult::of_failure(failure, Some(reply.call_id))?,
        };
        result.meta.call_id = Some(reply.call_id);
        match &reply.result {
            Ok(output) => result.meta.of_tool = output.meta(),
            Err(failure) => result.describe(failure),
        }
        Ok(result)
    }

    /// Returns the result of a call that failed, or the protocol error of an unknown tool.
    pub(crate) fn of_failure(failure: &Failure, call_id: Option<CallId>) -> RpcResult<Self> {
        let kind = failure.kind();
        // The error of a missing capability is a separate one, sent before. Here the caller is another tool.
        let code = kind.codes().mcp_call.code(true).filter(|_| kind != FailureKind::Unsupported);
        if let Some(code) = code {
            return Err(ErrorData::new(ErrorCode(code), failure.message().to_owned(), None));
        }
        let mut text = failure.text();
        if let Some(call_id) = call_id.filter(|_| kind == FailureKind::Internal) {
            // The cause is only in the log, under this identifier.
            text.push_str(&format!(" (call {call_id})"));
        }
        let mut result = CallResult::failed(text);
        result.describe(failure);
        Ok(result)
    }

    fn describe(&mut self, failure: &Failure) {
        self.meta.kind = Some(failure.kind().codes().error_type);
        self.meta.reason = match failure.kind() {
            FailureKind::Failed(reason) => reason.name(),
            _ => None,
        };
        self.meta.retryable = Some(failure.retryable());
        self.meta.retry_after = failure.retry_after().map(|wait| wait.as_secs());
    }

    fn succeeded(output: &'r Output, era: &Era) -> Self {
        let mut content = output.content();
        for position in 0..content.len() {
            if let Some(adapted) = era.adapted(&content[position]) {
                content.to_mut()[position] = adapted;
            }
        }
        let structured = output.structured().filter(|_| era.has_structured_output());
        let structured = structured.filter(|json| era.is_modern() || json.get().starts_with('{'));
        let structured_content = structured.map(Cow::Borrowed);
        CallResult { structured_content, ..CallResult::new(CallContent::Content(content), false) }
    }

    /// Returns the preview of a large result. If the call failed, the result is an error.
    fn excerpts(preview: &Preview, result: &Result<Output, Failure>, era: &Era, scheme: &Scheme) -> Self {
        let mut content = Vec::new();
        for part in preview.parts() {
            match part {
                PreviewPart::Content(part) => content.push(block(part, era)),
                PreviewPart::Excerpt(excerpt) => content.extend(excerpt_blocks(excerpt, era, scheme)),
                _ => {}
            }
        }
        let mut shown = CallResult::new(CallContent::WithExcerpts(content), result.is_err());
        if era.has_structured_output() && result.as_ref().is_ok_and(|it| it.structured_text().is_some()) {
            shown.structured_content = preview.excerpts().next().and_then(|it| raw(&linked(it, scheme)));
        }
        shown
    }

    /// Returns a result with a value, and the value as text before other content.
    pub(crate) fn with_value(value: &Value, more: impl IntoIterator<Item = ContentBlock>) -> Self {
        let text = ContentBlock::text(value.to_string());
        CallResult::with_blocks([text].into_iter().chain(more).collect(), value)
    }

    pub(crate) fn with_blocks(content: Vec<ContentBlock>, value: &Value) -> Self {
        let mut result = CallResult::new(CallContent::WithExcerpts(content), false);
        result.structured_content = raw(value);
        result
    }

    /// Returns an error result with a text.
    pub(crate) fn failed(text: String) -> Self {
        CallResult::new(CallContent::Content(vec![Content::Text { text }].into()), true)
    }
}

fn raw<'r>(value: &Value) -> Option<Cow<'r, RawValue>> {
    to_raw_value(value).ok().map(Cow::Owned)
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
    use rmcp::model::ProtocolVersion;

    use super::*;

    #[test]
    fn sends_a_value_as_it_is_but_in_one_line() {
        let modern = Era::of(ProtocolVersion::V_2026_07_28);
        for (json, sent) in [(r#"{"a": 1e2}"#, r#"{"a": 1e2}"#), ("{\n\"a\":\r1}", r#"{"a":1}"#)] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            let output = Output::json(raw).unwrap().with_content(Vec::new());
            let text = serde_json::to_string(&CallResult::succeeded(&output, &modern)).unwrap();
            assert_eq!(text, format!(r#"{{"content":[],"structuredContent":{sent},"isError":false}}"#));
        }
    }

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
