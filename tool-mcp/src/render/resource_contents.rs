//! Tools as resources: arguments from the variables of a URI, and outputs and failures as `resources/read` has them.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonObject, ResourceContents};
use serde_json::value::RawValue;
use serde_json::{Number, json};
use tool_core::{CallId, Content, Failure, FailureKind, Output, ToolDefinition, adapter};

use crate::catalog::uri::Pattern;
use crate::catalog::view::CatalogView;
use crate::protocol::resource_not_found;
use crate::render::read_error::{problem_lines, read_error};
use crate::render::stored_result::{MOST_READ, size_as_json};

/// Returns the values of the variables of a URI as the arguments of a call, in JSON.
pub(crate) fn arguments(tool: &ToolDefinition, values: &[(String, String)]) -> String {
    let is_integer = |name: &str| {
        tool.inputs().iter().any(|input| input.name.as_deref() == Some(name) && input.kind == "integer")
    };
    let member = |(name, value): &(String, String)| {
        // What is not a number becomes a string, which the validation of the arguments rejects.
        let value =
            if is_integer(name) && is_number(value) { value.clone() } else { json!(value).to_string() };
        format!("{}:{value}", json!(name))
    };
    format!("{{{}}}", values.iter().map(member).collect::<Vec<_>>().join(","))
}

fn is_number(text: &str) -> bool {
    !text.contains(char::is_whitespace) && serde_json::from_str::<Number>(text).is_ok()
}

/// Returns an output as contents of its URI: JSON, text, or bytes.
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
    // Content serializes as MCP's blocks do, with bytes in Base64.
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

/// Returns the number of bytes of contents as JSON.
fn size(contents: &[ResourceContents]) -> usize {
    let size = |contents: &ResourceContents| match contents {
        ResourceContents::TextResourceContents { text, .. } => size_as_json(text),
        ResourceContents::BlobResourceContents { blob, .. } => blob.len() + 2,
        _ => 0,
    };
    contents.iter().map(size).sum()
}

/// Returns the error of contents that are too large for one response, if they are.
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

/// Returns the error of a variable with an invalid value.
pub(crate) fn bad_variable(uri: &str, variable: &str, message: String) -> ErrorData {
    ErrorData::invalid_params(message, Some(json!({"uri": uri, "variable": variable})))
}

/// Returns the error of a tool that failed as a resource.
pub(crate) fn failed(
    failure: &Failure,
    call_id: CallId,
    uri: &str,
    tool: &ToolDefinition,
    pattern: Option<&Pattern>,
) -> ErrorData {
    let mut message = failure.message().to_owned();
    let mut data = uri_data(uri);
    match failure.kind() {
        // A caller that may not see the tool gets the same error as for an unknown URI.
        FailureKind::NotFound => return resource_not_found(uri),
        FailureKind::Input | FailureKind::NotJson if !failure.problems().is_empty() => {
            message = problems_with_example(failure, tool, pattern);
            data.insert("problems".to_owned(), json!(failure.problems()));
        }
        FailureKind::Internal => message = format!("{message} (call {call_id})"),
        _ => {}
    }
    read_error(failure, message, data, ErrorCode::RESOURCE_NOT_FOUND)
}

/// Returns the data of an error about a URI.
pub(crate) fn uri_data(uri: &str) -> JsonObject {
    JsonObject::from_iter([("uri".to_owned(), uri.into())])
}

/// Returns the problem with each variable, and a valid URI.
fn problems_with_example(failure: &Failure, tool: &ToolDefinition, pattern: Option<&Pattern>) -> String {
    let mut lines = problem_lines(failure);
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
