//! A tool that is read by its URI: its arguments out of the variables, and its output or failure as `resources/read`
//! has them.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ResourceContents};
use serde_json::value::RawValue;
use serde_json::{Number, Value, json};
use tool_core::failure::McpAnswer;
use tool_core::{CallId, Content, Failure, FailureKind, Output, ToolDefinition, adapter};

use crate::catalog::uri::Pattern;
use crate::catalog::view::CatalogView;
use crate::protocol::resource_not_found;
use crate::render::call_result::retry_as_is;
use crate::render::stored_result::{MOST_READ, size_as_json};

/// The arguments that the variables of a URI stand for: spelled as they are in a call.
pub(crate) fn arguments(tool: &ToolDefinition, values: &[(String, String)]) -> String {
    let is_integer = |name: &str| {
        tool.inputs().iter().any(|input| input.name.as_deref() == Some(name) && input.kind == "integer")
    };
    let member = |(name, value): &(String, String)| {
        // What is no number is told so by the pipeline, in the words that every face uses.
        let value =
            if is_integer(name) && is_number(value) { value.clone() } else { json!(value).to_string() };
        format!("{}:{value}", json!(name))
    };
    format!("{{{}}}", values.iter().map(member).collect::<Vec<_>>().join(","))
}

fn is_number(text: &str) -> bool {
    !text.contains(char::is_whitespace) && serde_json::from_str::<Number>(text).is_ok()
}

/// An output at its URI: JSON, text, or bytes.
pub(crate) fn contents(uri: &str, output: &Output) -> Vec<ResourceContents> {
    if output.structured_text().is_some()
        && let Ok(json) = output.decode::<Box<RawValue>>()
    {
        return vec![ResourceContents::text(json.get(), uri).with_mime_type("application/json")];
    }
    output.content().iter().map(|content| piece(uri, content)).collect()
}

fn piece(uri: &str, content: &Content) -> ResourceContents {
    if let Content::Text { text } = content {
        return ResourceContents::text(text, uri);
    }
    // Content has the shape of MCP's blocks: bytes are in base 64 there already.
    let mut json = serde_json::to_value(content).unwrap_or_default();
    match content {
        Content::Image { mime_type, .. } | Content::Audio { mime_type, .. } => {
            ResourceContents::blob(json["data"].as_str().unwrap_or_default(), uri).with_mime_type(mime_type)
        }
        Content::ResourceLink { uri: link, .. } => {
            ResourceContents::text(link, uri).with_mime_type("text/uri-list")
        }
        _ => serde_json::from_value(json["resource"].take())
            .unwrap_or_else(|_| ResourceContents::text(json.to_string(), uri)),
    }
}

/// How many bytes contents have in an answer, as JSON.
fn size(contents: &[ResourceContents]) -> usize {
    let size = |contents: &ResourceContents| match contents {
        ResourceContents::TextResourceContents { text, .. } => size_as_json(text),
        ResourceContents::BlobResourceContents { blob, .. } => blob.len() + 2,
        _ => 0,
    };
    contents.iter().map(size).sum()
}

/// What is said of an output that is more than one read gives; `None` where it is not.
pub(crate) fn too_large(
    contents: &[ResourceContents],
    uri: &str,
    tool: &ToolDefinition,
    view: &CatalogView,
) -> Option<ErrorData> {
    let bytes = size(contents);
    if bytes <= MOST_READ {
        return None;
    }
    let name = tool.name();
    let remedy = if !view.is_tool(tool) {
        "it cannot be read in parts".to_owned()
    } else if adapter::may_shorten(&view.registry, tool) {
        format!("call the tool `{name}` instead, whose result is kept and can be read in parts")
    } else {
        format!("call the tool `{name}` instead, which is answered in full")
    };
    let message =
        format!("the resource has {bytes} bytes as JSON, and one read gives at most {MOST_READ}: {remedy}");
    Some(ErrorData::invalid_params(message, Some(json!({"uri": uri, "bytes": bytes, "tool": name}))))
}

/// A variable of a URI stands for nothing.
pub(crate) fn bad_variable(uri: &str, variable: &str, message: String) -> ErrorData {
    ErrorData::invalid_params(message, Some(json!({"uri": uri, "variable": variable})))
}

/// The failure of a tool that was read.
pub(crate) fn failed(
    failure: &Failure,
    call_id: CallId,
    uri: &str,
    tool: &ToolDefinition,
    pattern: Option<&Pattern>,
) -> ErrorData {
    let mut message = failure.message().to_owned();
    let mut data = json!({"uri": uri});
    match failure.kind() {
        // Whoever may not know of it is told what one is told of nothing.
        FailureKind::NotFound => return resource_not_found(uri),
        FailureKind::Input | FailureKind::NotJson if !failure.problems().is_empty() => {
            message = wrong(failure, tool, pattern);
            data["problems"] = json!(failure.problems());
        }
        FailureKind::Internal => message = format!("{message} (call {call_id})"),
        _ => {}
    }
    refused(failure, message, data)
}

/// A failure by the table of what `resources/read` is answered with.
pub(crate) fn refused(failure: &Failure, message: String, mut data: Value) -> ErrorData {
    for (key, value) in retry_as_is(failure) {
        data[key] = value;
    }
    match failure.kind().codes().mcp_read {
        McpAnswer::NotFound => ErrorData::resource_not_found(message, Some(data)),
        // Where the client lacks a capability and knows that there are some, it was told before.
        McpAnswer::Capability => ErrorData::internal_error(message, Some(data)),
        answer => {
            let code = answer.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
            ErrorData::new(code, message, Some(data))
        }
    }
}

/// What is wrong with each variable, and a URI that would have been right.
fn wrong(failure: &Failure, tool: &ToolDefinition, pattern: Option<&Pattern>) -> String {
    let mut lines: Vec<String> = failure
        .problems()
        .iter()
        .map(|problem| format!("`{}`: {}", problem.path.trim_start_matches('/'), problem.message))
        .collect();
    let example = failure.example().unwrap_or_else(|| tool.example());
    let value = |name: &str| {
        example.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    if let Some(uri) = pattern.and_then(|pattern| pattern.expand(&value)) {
        lines.push(format!("example of a valid URI: {uri}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_every_kind_of_content() {
        let link = Content::link("docs://other", "other");
        let parts = vec![
            Content::text("words"),
            Content::image([1], "image/png"),
            Content::audio([2], "audio/wav"),
            link,
            Content::resource("docs://a", "text/markdown", "# A"),
            Content::resource("docs://b", "image/gif", vec![3]),
        ];
        let read = contents("x://y", &Output::from_content(parts));
        assert_eq!(
            serde_json::to_value(read).unwrap(),
            json!([
                {"uri": "x://y", "mimeType": "text/plain", "text": "words"},
                {"uri": "x://y", "mimeType": "image/png", "blob": "AQ=="},
                {"uri": "x://y", "mimeType": "audio/wav", "blob": "Ag=="},
                {"uri": "x://y", "mimeType": "text/uri-list", "text": "docs://other"},
                {"uri": "docs://a", "mimeType": "text/markdown", "text": "# A"},
                {"uri": "docs://b", "mimeType": "image/gif", "blob": "Aw=="},
            ])
        );
        assert_eq!(contents("x://y", &Output::empty()), []);
        let value = contents("x://y", &Output::json(&[1, 2]).unwrap());
        assert_eq!(
            serde_json::to_value(value).unwrap(),
            json!([{"uri": "x://y", "mimeType": "application/json", "text": "[1,2]"}])
        );
    }

    #[test]
    fn accepts_only_json_numbers() {
        for (text, number) in
            [("5", true), ("-0", true), ("1e3", true), ("05", false), (" 5", false), ("+5", false)]
        {
            assert_eq!(is_number(text), number, "{text}");
        }
    }
}
