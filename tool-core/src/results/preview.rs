//! Previews of results that are too large: some parts stay, others are stored.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::model::content::{Content, ResourceBody};
use crate::model::digest::Digest;
use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::results::limits::ResultLimits;
use crate::results::stored::Excerpt;
use crate::results::truncate::{beginning, count_lines, in_lines};

/// The preview of a result that is too large: its parts in order, with an excerpt of each part that is stored.
///
/// A value is one part. Content of several blocks keeps the blocks that fit; each of the others is stored on its own, or all of
/// them as one list if there are very many.
///
/// ```
/// # fn of(reply: &tool_core::Reply) {
/// use tool_core::results::PreviewPart;
///
/// if let Some(preview) = &reply.preview {
///     for part in preview.parts() {
///         match part {
///             PreviewPart::Content(content) => println!("{content:?}"),
///             PreviewPart::Excerpt(excerpt) => println!("{}\n{}", excerpt.preview(), excerpt.note()),
///             _ => println!("something newer"),
///         }
///     }
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Preview {
    parts: Vec<PreviewPart>,
}

/// A part of a result that is too large.
///
/// ```
/// use tool_core::Content;
/// use tool_core::results::PreviewPart;
///
/// let part = PreviewPart::Content(Content::text("see below"));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PreviewPart {
    /// Small enough to be shown.
    Content(Content),
    /// Stored, with an excerpt.
    Excerpt(Excerpt),
}

impl Preview {
    pub(super) fn new(parts: Vec<PreviewPart>) -> Self {
        Preview { parts }
    }

    /// Returns the parts in their order.
    ///
    /// ```
    /// # fn of(preview: &tool_core::results::Preview) {
    /// println!("{} parts", preview.parts().len());
    /// # }
    /// ```
    pub fn parts(&self) -> &[PreviewPart] {
        &self.parts
    }

    /// Returns the excerpts of the parts that are stored.
    ///
    /// ```
    /// # fn of(preview: &tool_core::results::Preview) {
    /// println!("{} parts are kept", preview.excerpts().count());
    /// # }
    /// ```
    pub fn excerpts(&self) -> impl Iterator<Item = &Excerpt> {
        self.parts.iter().filter_map(|part| match part {
            PreviewPart::Excerpt(excerpt) => Some(excerpt),
            PreviewPart::Content(_) => None,
        })
    }
}

/// A part of a result before it is stored.
pub(super) enum ResultContent<'r> {
    Stays(&'r Content),
    Goes(WholeResult<'r>),
}

/// Content to be stored, with its media type.
pub(super) struct WholeResult<'r> {
    pub(super) media_type: &'r str,
    pub(super) bytes: Cow<'r, [u8]>,
    is_text: bool,
}

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
/// The most blocks of one result that are stored separately.
const MAX_PARTS: usize = 8;

impl<'r> WholeResult<'r> {
    pub(super) fn text(media_type: &'r str, text: impl Into<Cow<'r, str>>) -> Self {
        let bytes = match text.into() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        WholeResult { media_type, bytes, is_text: true }
    }

    fn media(media_type: &'r str, bytes: &'r [u8]) -> Self {
        WholeResult { media_type, bytes: Cow::Borrowed(bytes), is_text: false }
    }

    /// Returns the excerpt.
    pub(super) fn excerpt(&self, limits: &ResultLimits, digest: Option<Digest>) -> Excerpt {
        let (preview, lines) = match std::str::from_utf8(&self.bytes) {
            Ok(text) if self.is_text => (beginning(text, limits.shown()), Some(count_lines(text))),
            _ => ("", None),
        };
        Excerpt::new(self.media_type, self.bytes.len(), preview, lines, digest)
    }
}

/// Returns the parts of a result that is too large; empty if it is small enough.
pub(super) fn parts<'r>(
    result: &'r Result<Output, Failure>,
    limits: &ResultLimits,
) -> Vec<ResultContent<'r>> {
    match result {
        Ok(output) => of_output(output, limits),
        Err(failure) if failure.message().len() > limits.above / 2 => if_large(failure.text(), limits),
        // The rest of a failure has a limited size.
        Err(_) => Vec::new(),
    }
}

fn of_output<'r>(output: &'r Output, limits: &ResultLimits) -> Vec<ResultContent<'r>> {
    // The common case.
    if output.size() <= limits.above.min(limits.media_above) {
        return Vec::new();
    }
    if output.structured_text().is_some() {
        let bare = output.decode::<Box<RawValue>>().map(|json| in_lines(json.get())).unwrap_or_default();
        let is_large = output.size() > limits.above;
        return is_large.then(|| ResultContent::Goes(WholeResult::text(JSON, bare))).into_iter().collect();
    }
    match output.content() {
        Cow::Borrowed(blocks) => of_blocks(blocks, limits),
        // A single text.
        Cow::Owned(_) => match output.value() {
            serde_json::Value::String(text) => if_large(text, limits),
            _ => Vec::new(),
        },
    }
}

/// Returns a text as the only part if it is too large.
fn if_large<'r>(text: String, limits: &ResultLimits) -> Vec<ResultContent<'r>> {
    let is_large = text.len() > limits.above;
    is_large.then(|| ResultContent::Goes(WholeResult::text(TEXT, text))).into_iter().collect()
}

/// Keeps the blocks that fit.
fn of_blocks<'r>(blocks: &'r [Content], limits: &ResultLimits) -> Vec<ResultContent<'r>> {
    let (mut texts, mut media) = (0, 0);
    let mut omitted = 0;
    let part = |block: &'r Content| {
        let whole = whole(block);
        let (sum, most) =
            if whole.is_text { (&mut texts, limits.above) } else { (&mut media, limits.media_above) };
        if *sum + whole.bytes.len() <= most {
            *sum += whole.bytes.len();
            return ResultContent::Stays(block);
        }
        omitted += 1;
        ResultContent::Goes(whole)
    };
    let parts: Vec<ResultContent<'r>> = blocks.iter().map(part).collect();
    match omitted {
        0 => Vec::new(),
        1..=MAX_PARTS => parts,
        _ => {
            let list = serde_json::to_string(blocks).unwrap_or_default();
            vec![ResultContent::Goes(WholeResult::text(JSON, in_lines(&list)))]
        }
    }
}

/// Returns a block as text, or as the bytes of its media.
fn whole(block: &Content) -> WholeResult<'_> {
    match block {
        Content::Text { text } => WholeResult::text(TEXT, text.as_str()),
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => {
            WholeResult::media(mime_type, data)
        }
        Content::Resource { mime_type, body: ResourceBody::Text(text), .. } => {
            WholeResult::text(mime_type, text.as_str())
        }
        Content::Resource { mime_type, body: ResourceBody::Blob(bytes), .. } => {
            WholeResult::media(mime_type, bytes)
        }
        Content::ResourceLink { .. } => {
            WholeResult::text(JSON, serde_json::to_string(block).unwrap_or_default())
        }
    }
}
