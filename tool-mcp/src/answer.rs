//! What a call came to, in the shape of the result of `tools/call`.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject, MetaObject};
use serde_json::Value;
use tool_core::{CallId, Content, Failure, FailureKind, Output, Reply};

use crate::era::Era;

/// A result for whatever happened in the tool, a protocol error for a tool that is not there.
pub(crate) fn answer(reply: Reply, era: &Era) -> Result<CallToolResult, ErrorData> {
    let call_id = reply.call_id;
    let result = match reply.result {
        Ok(output) => succeeded(&output, era),
        Err(failure) => match failure.kind().codes().mcp_call.code(true) {
            // Where the client lacks a capability, that was told before: it has nobody to ask, as a tool called by a tool.
            Some(_) if failure.kind() == FailureKind::CannotAsk => failed(&failure, call_id),
            Some(code) => return Err(ErrorData::new(ErrorCode(code), failure.message().to_owned(), None)),
            None => failed(&failure, call_id),
        },
    };
    let mut meta = JsonObject::new();
    meta.insert("tool-core/callId".to_owned(), call_id.to_string().into());
    Ok(result.with_meta(Some(MetaObject(meta))))
}

fn succeeded(output: &Output, era: &Era) -> CallToolResult {
    let content = output.content().iter().map(|content| block(content, era)).collect();
    let mut result = CallToolResult::success(content);
    let structured = output.structured_text().filter(|_| era.knows_structure());
    result.structured_content = structured.and_then(|json| serde_json::from_str(json).ok());
    result
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
    fn every_kind_of_content_keeps_its_shape() {
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
            assert_eq!(serde_json::to_value(block(&content, &Era::unknown())).unwrap(), expected);
        }
    }
}
