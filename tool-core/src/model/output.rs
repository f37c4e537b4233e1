//! The output of a successful call: content for people and models, and a JSON value for programs.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::prompt::Prompt;

/// The output of a successful call.
///
/// Its form follows from the return type of the function: nothing, a text, content, or any other value as JSON.
///
/// ```
/// use tool_core::Output;
///
/// let output = Output::text("hello");
/// assert_eq!(serde_json::to_string(&output.content()).unwrap(), r#"[{"type":"text","text":"hello"}]"#);
/// assert!(output.structured().is_none());
/// assert_eq!(output.value(), "hello");
/// ```
#[derive(Clone, Debug)]
pub struct Output {
    body: Body,
    /// Content that replaces the text form of the value.
    blocks: Option<Vec<Content>>,
}

#[derive(Clone, Debug)]
enum Body {
    Empty,
    Text(String),
    /// JSON as sent; if `wrapped`, the value is the member `result`.
    Json {
        wire: String,
        wrapped: bool,
    },
    Content(Vec<Content>),
    /// The messages of a prompt; never the output of a tool.
    Prompt(Prompt),
}

impl Output {
    /// Creates an empty output, for functions without a return value.
    ///
    /// ```
    /// assert!(tool_core::Output::empty().content().is_empty());
    /// ```
    pub fn empty() -> Self {
        Output::of(Body::Empty)
    }

    /// Creates an output of one text.
    ///
    /// ```
    /// assert_eq!(tool_core::Output::text("hi").value(), "hi");
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Output::of(Body::Text(text.into()))
    }

    /// Creates an output of content: texts, images, audio, links.
    ///
    /// ```
    /// use tool_core::{Content, Output};
    ///
    /// let output = Output::from_content(vec![Content::image(vec![1, 2, 3], "image/png")]);
    /// assert_eq!(output.value()[0]["data"], "AQID");
    /// ```
    pub fn from_content(content: Vec<Content>) -> Self {
        Output::of(Body::Content(content))
    }

    /// Creates the output of a prompt.
    pub(crate) fn prompt(prompt: Prompt) -> Self {
        Output::of(Body::Prompt(prompt))
    }

    /// Returns the output of a prompt.
    pub(crate) fn into_prompt(self) -> Option<Prompt> {
        match self.body {
            Body::Prompt(prompt) => Some(prompt),
            Body::Empty | Body::Text(_) | Body::Json { .. } | Body::Content(_) => None,
        }
    }

    /// Creates an output from a value as JSON. Structured content is an object, so any other value is wrapped as
    /// `{"result": …}`.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialized as JSON, such as a map whose keys are not strings.
    ///
    /// ```
    /// use tool_core::Output;
    ///
    /// let output = Output::json(&[1, 2]).unwrap();
    /// assert_eq!(output.structured().unwrap().get(), r#"{"result":[1,2]}"#);
    /// assert_eq!(output.value(), serde_json::json!([1, 2]));
    /// ```
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        let mut output = Output::bare(value)?;
        output.frame(None);
        Ok(output)
    }

    /// Creates an output from a value as JSON, not yet wrapped.
    pub(crate) fn bare<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(|wire| Output::of(Body::Json { wire, wrapped: false }))
    }

    /// Wraps the value if the output schema of the tool requires it, or without a schema, if the value is not an
    /// object. So an untagged enum is wrapped in all of its variants or in none.
    pub(crate) fn frame(&mut self, wrapped_by_schema: Option<bool>) {
        if let Body::Json { wire, wrapped } = &mut self.body
            && !*wrapped
            && wrapped_by_schema.unwrap_or_else(|| !wire.starts_with('{'))
        {
            wire.insert_str(0, FRAME.0);
            wire.push_str(FRAME.1);
            *wrapped = true;
        }
    }

    /// Replaces the text form of the value for models and people.
    ///
    /// ```
    /// use tool_core::{Content, Output};
    ///
    /// let output = Output::json(&serde_json::json!({"rows": 3}))?.with_content(vec![Content::text("three rows")]);
    /// assert_eq!(*output.content(), [Content::text("three rows")]);
    /// assert_eq!(output.value()["rows"], 3);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn with_content(mut self, content: Vec<Content>) -> Self {
        self.blocks = Some(content);
        self
    }

    fn of(body: Body) -> Self {
        Output { body, blocks: None }
    }

    /// Returns the content for models and people. A JSON value becomes one text.
    ///
    /// ```
    /// use tool_core::Output;
    ///
    /// let content = Output::json(&serde_json::json!({"a": 1})).unwrap().content().into_owned();
    /// assert_eq!(serde_json::to_value(content).unwrap()[0]["text"], r#"{"a":1}"#);
    /// ```
    pub fn content(&self) -> Cow<'_, [Content]> {
        if let Some(blocks) = &self.blocks {
            return Cow::Borrowed(blocks);
        }
        match &self.body {
            Body::Empty => Cow::Borrowed(&[]),
            Body::Text(text) => Cow::Owned(vec![Content::text(text)]),
            Body::Json { wire, .. } => Cow::Owned(vec![Content::text(wire)]),
            Body::Content(content) => Cow::Borrowed(content),
            Body::Prompt(prompt) => prompt.messages.iter().map(|message| message.content.clone()).collect(),
        }
    }

    /// Returns the structured value for programs, always a JSON object; `None` for texts, content and empty outputs.
    ///
    /// ```
    /// assert_eq!(tool_core::Output::json(&5).unwrap().structured().unwrap().get(), r#"{"result":5}"#);
    /// ```
    pub fn structured(&self) -> Option<&RawValue> {
        // Never fails: the text was written by serde.
        self.structured_text().and_then(|text| serde_json::from_str(text).ok())
    }

    /// Returns the structured value as text.
    ///
    /// ```
    /// assert_eq!(tool_core::Output::json(&5).unwrap().structured_text(), Some(r#"{"result":5}"#));
    /// ```
    pub fn structured_text(&self) -> Option<&str> {
        match &self.body {
            Body::Json { wire, .. } => Some(wire),
            Body::Empty | Body::Text(_) | Body::Content(_) | Body::Prompt(_) => None,
        }
    }

    /// Returns the size in bytes, before encoding.
    pub(crate) fn size(&self) -> usize {
        let blocks: usize = self.blocks.iter().flatten().map(Content::size).sum();
        blocks
            + match &self.body {
                Body::Empty => 0,
                Body::Text(text) | Body::Json { wire: text, .. } => text.len(),
                Body::Content(content) => content.iter().map(Content::size).sum(),
                Body::Prompt(prompt) => prompt.messages.iter().map(|message| message.content.size()).sum(),
            }
    }

    /// Returns the unwrapped value, as printed by the command line: a text as a string, content as an array, nothing as
    /// `null`.
    ///
    /// ```
    /// assert_eq!(tool_core::Output::empty().value(), serde_json::Value::Null);
    /// ```
    pub fn value(&self) -> serde_json::Value {
        match &self.body {
            Body::Empty => serde_json::Value::Null,
            Body::Text(text) => serde_json::Value::String(text.clone()),
            Body::Json { wire, wrapped } => {
                serde_json::from_str(unframed(wire, *wrapped)).unwrap_or_default()
            }
            Body::Content(content) => serde_json::to_value(content).unwrap_or_default(),
            Body::Prompt(prompt) => serde_json::to_value(prompt).unwrap_or_default(),
        }
    }

    /// Decodes the unwrapped value, for tests.
    ///
    /// # Errors
    ///
    /// If the value does not decode to `T`.
    ///
    /// ```
    /// let sum: i64 = tool_core::Output::json(&5).unwrap().decode().unwrap();
    /// assert_eq!(sum, 5);
    /// ```
    pub fn decode<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match &self.body {
            // From bytes: see `DynamicTool::new`.
            Body::Json { wire, wrapped } => serde_json::from_slice(unframed(wire, *wrapped).as_bytes()),
            _ => serde_json::from_value(self.value()),
        }
    }
}

/// The text before and after a wrapped value.
const FRAME: (&str, &str) = (r#"{"result":"#, "}");

/// Returns the unwrapped value.
fn unframed(wire: &str, wrapped: bool) -> &str {
    if wrapped { &wire[FRAME.0.len()..wire.len() - FRAME.1.len()] } else { wire }
}

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

    fn size(&self) -> usize {
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
