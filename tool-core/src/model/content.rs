//! Content blocks for people and models, as in MCP.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
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
        #[serde(serialize_with = "base64", deserialize_with = "from_base64")]
        data: Vec<u8>,
        /// The media type, such as `image/png`.
        mime_type: String,
    },
    /// Audio.
    Audio {
        /// The bytes of the audio; sent as Base64.
        #[serde(serialize_with = "base64", deserialize_with = "from_base64")]
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
        /// A description, if the name is not enough.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        description: Option<String>,
        /// The media type, if known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        mime_type: Option<String>,
    },
    /// An embedded resource, which the client need not read.
    #[serde(serialize_with = "resource", deserialize_with = "from_resource")]
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

fn base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64.encode(bytes))
}

fn resource<S: Serializer>(
    uri: &str,
    mime_type: &str,
    body: &ResourceBody,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (key, text) = match body {
        ResourceBody::Text(text) => ("text", Cow::Borrowed(text)),
        ResourceBody::Blob(bytes) => ("blob", Cow::Owned(BASE64.encode(bytes))),
    };
    let resource = serde_json::json!({"uri": uri, "mimeType": mime_type, key: text.as_str()});
    serde_json::json!({ "resource": resource }).serialize(serializer)
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    let wrong = |error| serde::de::Error::custom(format!("`data` is not Base64: {error}"));
    BASE64.decode(text.as_bytes()).map_err(wrong)
}

fn from_resource<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<(String, String, ResourceBody), D::Error> {
    #[derive(Deserialize)]
    struct Embedded {
        resource: Contents,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Contents {
        uri: String,
        mime_type: String,
        text: Option<String>,
        blob: Option<String>,
    }
    let Embedded { resource } = Embedded::deserialize(deserializer)?;
    let body = match (resource.text, resource.blob) {
        (Some(text), None) => ResourceBody::Text(text),
        (None, Some(blob)) => ResourceBody::Blob(BASE64.decode(blob).map_err(serde::de::Error::custom)?),
        _ => return Err(serde::de::Error::custom("a resource has either `text` or `blob`")),
    };
    Ok((resource.uri, resource.mime_type, body))
}
