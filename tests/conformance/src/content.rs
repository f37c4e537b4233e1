//! Tools that return every kind of content, and one that fails.

use tool_core::{Content, ToolError, tool};

/// A picture of one red dot.
pub(crate) const RED_DOT: &[u8] = include_bytes!("../media/red.png");

/// A millisecond of silence.
const SILENCE: &[u8] = include_bytes!("../media/silence.wav");

/// Returns a text.
#[tool(operation = Explain, open_world = false)]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Returns a picture.
#[tool(operation = Explain, open_world = false)]
fn test_image_content() -> Content {
    Content::image(RED_DOT, "image/png")
}

/// Returns a sound.
#[tool(operation = Explain, open_world = false)]
fn test_audio_content() -> Content {
    Content::audio(SILENCE, "audio/wav")
}

/// Returns a resource.
#[tool(operation = Explain, open_world = false)]
fn test_embedded_resource() -> Content {
    Content::resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

/// Returns a text, a picture and a resource.
#[tool(operation = Explain, open_world = false)]
fn test_multiple_content_types() -> Vec<Content> {
    let json = r#"{"test":"data","value":123}"#;
    vec![
        Content::text("Multiple content types test:"),
        Content::image(RED_DOT, "image/png"),
        Content::resource("test://mixed-content-resource", "application/json", json),
    ]
}

/// Fails.
#[tool(operation = Explain, open_world = false)]
fn test_error_handling() -> Result<(), ToolError> {
    Err(ToolError::failed("This tool intentionally returns an error for testing"))
}
