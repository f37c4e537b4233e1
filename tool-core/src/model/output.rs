//! The output of a successful call: content for people and models, and a JSON value for programs.

#[cfg(feature = "tasks")]
pub(crate) mod stored;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::model::content::Content;
use crate::model::meta::{self, MetaError};
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
    /// Metadata for clients. Most outputs have none.
    meta: Option<Box<Map<String, Value>>>,
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
        let mut wire = serde_json::to_string(value)?;
        // Only a `RawValue` has line breaks, between tokens. A message of MCP over stdio is one line, as is an event.
        if wire.contains(['\n', '\r']) {
            wire.retain(|c| !matches!(c, '\n' | '\r'));
        }
        Ok(Output::of(Body::Json { wire, wrapped: false }))
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

    /// Adds metadata for clients, which is no part of the value: a member of `_meta` in the result of `tools/call` over MCP, and in that of
    /// `POST …/call` over HTTP. Where a result has no envelope, as for a resource, at an address and on the command line, it is not shown.
    ///
    /// # Errors
    ///
    /// If the key is malformed or reserved.
    ///
    /// ```
    /// use tool_core::Output;
    ///
    /// let output = Output::text("three rows").with_meta("com.example/source", "cache")?;
    /// assert_eq!(output.meta().unwrap()["com.example/source"], "cache");
    /// # Ok::<(), tool_core::MetaError>(())
    /// ```
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Result<Self, MetaError> {
        let key = key.into();
        meta::check_key(&key)?;
        self.meta.get_or_insert_default().insert(key, value.into());
        Ok(self)
    }

    /// Returns the metadata for clients, if there is any.
    ///
    /// ```
    /// assert!(tool_core::Output::empty().meta().is_none());
    /// ```
    pub fn meta(&self) -> Option<&Map<String, Value>> {
        self.meta.as_deref()
    }

    fn of(body: Body) -> Self {
        Output { body, blocks: None, meta: None }
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
        let meta = self.meta.as_ref().map_or(0, |meta| json_size(meta));
        blocks
            + meta
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

/// Returns the size of metadata as JSON.
fn json_size(meta: &Map<String, Value>) -> usize {
    serde_json::to_string(meta).map_or(0, |text| text.len())
}

/// The text before and after a wrapped value.
const FRAME: (&str, &str) = (r#"{"result":"#, "}");

/// Returns the unwrapped value.
fn unframed(wire: &str, wrapped: bool) -> &str {
    if wrapped { &wire[FRAME.0.len()..wire.len() - FRAME.1.len()] } else { wire }
}
