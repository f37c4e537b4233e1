//! Stored results and their excerpts.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize, Serializer};

use crate::model::digest::Digest;

/// A result that was read from a [`ResultStore`](crate::results::ResultStore).
///
/// ```
/// # #[cfg(feature = "results")]
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use tool_core::Principal;
/// use tool_core::results::ResultStore;
///
/// let store = ResultStore::memory();
/// let ada = Principal::new("ada");
/// let digest = store.keep(&ada, "text/plain", "first\nsecond\n").await.unwrap();
/// let kept = store.read(&ada, digest).await.unwrap().unwrap();
/// assert_eq!((kept.media_type(), kept.text()), ("text/plain", Some("first\nsecond\n")));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct StoredResult {
    pub(super) digest: Digest,
    pub(super) media_type: String,
    pub(super) content: Bytes,
    pub(super) left: Duration,
}

impl StoredResult {
    /// Returns the digest of the bytes.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) {
    /// assert_eq!(kept.digest(), tool_core::Digest::of_bytes(kept.content()));
    /// # }
    /// ```
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the media type, such as `application/json`.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) {
    /// println!("Content-Type: {}", kept.media_type());
    /// # }
    /// ```
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the bytes.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) {
    /// println!("{} bytes", kept.content().len());
    /// # }
    /// ```
    pub fn content(&self) -> &Bytes {
        &self.content
    }

    /// Returns the bytes as text; `None` if they are binary, as for an image or audio.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) {
    /// println!("{}", kept.text().unwrap_or("no text"));
    /// # }
    /// ```
    pub fn text(&self) -> Option<&str> {
        if is_media(&self.media_type) { None } else { std::str::from_utf8(&self.content).ok() }
    }

    /// Returns how long the result stays stored, unless newer results need its space.
    ///
    /// ```
    /// # fn of(kept: &tool_core::results::StoredResult) {
    /// println!("Cache-Control: max-age={}", kept.left().as_secs());
    /// # }
    /// ```
    pub fn left(&self) -> Duration {
        self.left
    }

    /// Returns the stored form: a line of metadata, and the bytes.
    pub(super) fn framed(media_type: &str, content: &[u8]) -> Bytes {
        let head = Head { media_type: media_type.into() };
        // Serializing a string cannot fail.
        let mut framed = serde_json::to_vec(&head).unwrap_or_default();
        framed.reserve(content.len() + 1);
        framed.push(b'\n');
        framed.extend_from_slice(content);
        framed.into()
    }

    /// Parses the stored form. Returns `None` if the bytes do not match the digest.
    pub(super) fn parse(digest: Digest, mut framed: Bytes, left: Duration) -> Option<Self> {
        let end = memchr::memchr(b'\n', &framed)?;
        let head = framed.split_to(end + 1);
        let Head { media_type } = serde_json::from_slice(&head).ok()?;
        (Digest::of_bytes(&framed) == digest).then(|| StoredResult {
            digest,
            media_type: media_type.into_owned(),
            content: framed,
            left,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'h> {
    media_type: std::borrow::Cow<'h, str>,
}

/// Returns `true` for the media type of images, audio and other binary content.
fn is_media(media_type: &str) -> bool {
    ["image/", "audio/", "video/", "application/octet-stream"].iter().any(|kind| media_type.starts_with(kind))
}

/// An excerpt of a result that is too large to be shown: its beginning, its size, and the digest for reading the rest.
///
/// ```
/// # fn of(excerpt: &tool_core::results::Excerpt) {
/// println!("{}\n{}", excerpt.preview(), excerpt.note());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    preview: String,
    media_type: String,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_hex")]
    digest: Option<Digest>,
}

fn as_hex<S: Serializer>(digest: &Option<Digest>, serializer: S) -> Result<S::Ok, S::Error> {
    digest.map(|digest| digest.hex()).serialize(serializer)
}

impl Excerpt {
    pub(super) fn new(
        media_type: &str,
        bytes: usize,
        preview: &str,
        lines: Option<usize>,
        digest: Option<Digest>,
    ) -> Self {
        Excerpt { preview: preview.to_owned(), media_type: media_type.to_owned(), bytes, lines, digest }
    }

    /// Returns the beginning of a text: whole characters, and whole lines if possible. Empty if the result is binary.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// assert!(excerpt.preview().len() < excerpt.bytes());
    /// # }
    /// ```
    pub fn preview(&self) -> &str {
        &self.preview
    }

    /// Returns the media type of the whole, such as `application/json`.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// println!("{}", excerpt.media_type());
    /// # }
    /// ```
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the size of the whole in bytes.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// println!("{} bytes", excerpt.bytes());
    /// # }
    /// ```
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of lines of the whole; `None` if it is binary.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// println!("{:?} lines", excerpt.lines());
    /// # }
    /// ```
    pub fn lines(&self) -> Option<usize> {
        self.lines
    }

    /// Returns the digest for reading the whole; `None` if it could not be stored.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// if let Some(digest) = excerpt.digest() {
    ///     println!("/results/{}", digest.hex());
    /// }
    /// # }
    /// ```
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Returns the excerpt as text for a model: the size, and how to read the rest.
    ///
    /// ```
    /// # fn of(excerpt: &tool_core::results::Excerpt) {
    /// println!("{}", excerpt.note());
    /// # }
    /// ```
    pub fn note(&self) -> String {
        let Excerpt { preview, media_type, bytes, lines, digest } = self;
        let size = match lines {
            Some(lines) => format!("{bytes} bytes in {lines} lines ({media_type})"),
            None => format!("{bytes} bytes ({media_type})"),
        };
        let what = match (preview.is_empty(), lines) {
            (false, _) => format!("These are the first {} bytes of {size}.", preview.len()),
            (true, _) => format!("There are {size}, too much to be shown."),
        };
        match (digest, lines) {
            (Some(digest), Some(_)) => format!(
                "[{what} The rest is kept: read it with the tool `read_result`, by lines or with a search. digest: {}]",
                digest.hex()
            ),
            (Some(digest), None) => format!("[{what} It is kept. digest: {}]", digest.hex()),
            (None, _) => format!("[{what} The rest could not be kept: ask for less.]"),
        }
    }
}
