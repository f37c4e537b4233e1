//! Content blocks for people and models, as in MCP.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// A content block, as in MCP.
///
/// ```
/// use tool_core::Content;
///
/// let link = Content::link("file:///report.pdf", "report");
/// assert_eq!(
///     serde_json::to_string(&link).unwrap(),
///     r#"{"type":"resource_link","uri":"file:///report.pdf","name":"report"}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The bytes of the image; sent as Base64.
        data: Vec<u8>,
        /// The media type, such as `image/png`.
        mime_type: String,
    },
    /// Audio.
    Audio {
        /// The bytes of the audio; sent as Base64.
        data: Vec<u8>,
        /// The media type, such as `audio/wav`.
        mime_type: String,
    },
    /// A link to a resource that the client can read.
    ResourceLink {
        /// The URI of the resource (RFC 3986).
        uri: String,
        /// The short name.
        name: String,
        /// The media type, if known.
        mime_type: Option<String>,
        /// A description, if the name is not enough.
        description: Option<String>,
    },
    /// An embedded resource, which the client need not read.
    Resource {
        /// The URI of the resource (RFC 3986).
        uri: String,
        /// The media type.
        mime_type: String,
        /// The contents.
        body: ResourceBody,
    },
}

/// The contents of an embedded resource.
///
/// ```
/// use tool_core::ResourceBody;
///
/// assert_eq!(ResourceBody::from("Hello"), ResourceBody::Text("Hello".to_owned()));
/// assert_eq!(ResourceBody::from(vec![0u8]), ResourceBody::Blob(vec![0]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    /// A text.
    Text(String),
    /// Bytes; sent as Base64.
    Blob(Vec<u8>),
}

impl From<String> for ResourceBody {
    fn from(text: String) -> Self {
        ResourceBody::Text(text)
    }
}

impl From<&str> for ResourceBody {
    fn from(text: &str) -> Self {
        ResourceBody::Text(text.to_owned())
    }
}

impl From<Vec<u8>> for ResourceBody {
    fn from(bytes: Vec<u8>) -> Self {
        ResourceBody::Blob(bytes)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::text(text)
    }
}

impl Content {
    /// Creates a text block.
    ///
    /// ```
    /// assert_eq!(tool_core::Content::text("a"), tool_core::Content::Text { text: "a".into() });
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text { text: text.into() }
    }

    /// Creates an image from its bytes.
    ///
    /// ```
    /// let image = tool_core::Content::image([0u8], "image/png");
    /// assert_eq!(serde_json::to_value(image).unwrap()["data"], "AA==");
    /// ```
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Content::Image { data: data.into(), mime_type: mime_type.into() }
    }

    /// Creates audio from its bytes.
    ///
    /// ```
    /// let audio = tool_core::Content::audio([0u8], "audio/wav");
    /// assert_eq!(serde_json::to_value(audio).unwrap()["mimeType"], "audio/wav");
    /// ```
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Content::Audio { data: data.into(), mime_type: mime_type.into() }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Content::Text { text } => text.len(),
            Content::Image { data, .. } | Content::Audio { data, .. } => data.len(),
            Content::ResourceLink { uri, name, description, .. } => {
                uri.len() + name.len() + description.as_ref().map_or(0, String::len)
            }
            Content::Resource { uri, body: ResourceBody::Text(text), .. } => uri.len() + text.len(),
            Content::Resource { uri, body: ResourceBody::Blob(bytes), .. } => uri.len() + bytes.len(),
        }
    }

    /// Creates a link to a resource.
    ///
    /// ```
    /// let link = tool_core::Content::link("weather://columns", "columns");
    /// assert_eq!(serde_json::to_value(link).unwrap()["uri"], "weather://columns");
    /// ```
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Content::ResourceLink { uri: uri.into(), name: name.into(), mime_type: None, description: None }
    }

    /// Creates an embedded resource: a text, or bytes.
    ///
    /// ```
    /// use tool_core::Content;
    ///
    /// let columns = Content::resource("weather://columns", "text/csv", "date,temp_max");
    /// assert_eq!(
    ///     serde_json::to_string(&columns).unwrap(),
    ///     r#"{"type":"resource","resource":{"uri":"weather://columns","mimeType":"text/csv","text":"date,temp_max"}}"#,
    /// );
    /// let icon = Content::resource("weather://icon", "image/png", vec![0]);
    /// assert_eq!(serde_json::to_value(icon).unwrap()["resource"]["blob"], "AA==");
    /// ```
    pub fn resource(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        body: impl Into<ResourceBody>,
    ) -> Self {
        Content::Resource { uri: uri.into(), mime_type: mime_type.into(), body: body.into() }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Content::Text { text } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
                let kind = if matches!(self, Content::Image { .. }) { "image" } else { "audio" };
                map.serialize_entry("type", kind)?;
                map.serialize_entry("data", &BASE64.encode(data))?;
                map.serialize_entry("mimeType", mime_type)?;
            }
            Content::ResourceLink { uri, name, mime_type, description } => {
                map.serialize_entry("type", "resource_link")?;
                map.serialize_entry("uri", uri)?;
                map.serialize_entry("name", name)?;
                if let Some(description) = description {
                    map.serialize_entry("description", description)?;
                }
                if let Some(mime_type) = mime_type {
                    map.serialize_entry("mimeType", mime_type)?;
                }
            }
            Content::Resource { uri, mime_type, body } => {
                map.serialize_entry("type", "resource")?;
                let (key, text) = match body {
                    ResourceBody::Text(text) => ("text", Cow::Borrowed(text)),
                    ResourceBody::Blob(bytes) => ("blob", Cow::Owned(BASE64.encode(bytes))),
                };
                let resource = serde_json::json!({"uri": uri, "mimeType": mime_type, key: text.as_str()});
                map.serialize_entry("resource", &resource)?;
            }
        }
        map.end()
    }
}
