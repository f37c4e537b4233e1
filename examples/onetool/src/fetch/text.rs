//! Conversion of a page into text.

use encoding_rs::Encoding;
use mime::Mime;

use crate::fetch::FetchError;

/// The width of plain text, in columns.
const WIDTH: usize = 100;

/// The maximum number of tags of a page. The parser looks through the elements that are open for each of them, so that a page of
/// 1 MiB that only opens and closes elements could take many minutes.
const MAX_TAGS: usize = 40_000;

/// The content type of a page.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    mime: Mime,
    encoding: &'static Encoding,
}

impl Kind {
    /// Parses the header `content-type`.
    pub(super) fn of(content_type: &str) -> Result<Self, FetchError> {
        let no_text = || FetchError::NoText(format!("`{content_type}`"));
        let mime: Mime = content_type.parse().map_err(|_| no_text())?;
        let is_text = mime.type_() == mime::TEXT
            || [mime::JSON, mime::XML].contains(&mime.subtype())
            || mime.suffix().is_some_and(|suffix| [mime::JSON, mime::XML].contains(&suffix));
        let label = mime.get_param(mime::CHARSET).map_or("utf-8", |charset| charset.as_str());
        let encoding = Encoding::for_label(label.as_bytes()).filter(|_| is_text).ok_or_else(no_text)?;
        Ok(Kind { encoding, mime })
    }

    /// Returns the media type without parameters.
    pub(super) fn essence(&self) -> &str {
        self.mime.essence_str()
    }

    /// Returns the text; invalid bytes become U+FFFD, as in browsers.
    pub(super) fn text(&self, bytes: &[u8]) -> Result<String, FetchError> {
        let (text, _, _) = self.encoding.decode(bytes);
        if !["text/html", "application/xhtml+xml"].contains(&self.essence()) {
            return Ok(text.into_owned());
        }
        if count_tags(&text) > MAX_TAGS {
            return Err(FetchError::TooManyTags(MAX_TAGS));
        }
        let plain = html2text::config::plain().string_from_read(text.as_bytes(), WIDTH);
        plain.map(|text| text.trim().to_owned()).map_err(|_| FetchError::NoText("HTML".to_owned()))
    }
}

/// Returns the number of tags, counting those in comments and scripts, too.
fn count_tags(html: &str) -> usize {
    let is_tag = |text: &&str| text.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic());
    html.split('<').skip(1).filter(is_tag).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content_type: &str, bytes: &[u8]) -> String {
        Kind::of(content_type).unwrap().text(bytes).unwrap()
    }

    #[test]
    fn converts_html_to_text_with_headings() {
        let html =
            b"<html><head><title>T</title><script>x()</script></head><body><h1>A &amp; B</h1><p>C</p></body>";
        assert_eq!(text("text/html; charset=utf-8", html), "# A & B\n\nC");
    }

    #[test]
    fn keeps_other_text_unchanged() {
        for kind in ["text/plain", "application/json", "application/ld+json", "image/svg+xml", "text/csv"] {
            assert_eq!(text(kind, b"{\"a\": \"<b>\"}"), "{\"a\": \"<b>\"}", "{kind}");
        }
    }

    #[test]
    fn refuses_too_many_tags_before_they_are_parsed() {
        for page in [
            "<div>".repeat(100_000),
            "<b><i><font>".repeat(80_000),
            "<TABLE\n><tr><td>".repeat(60_000),
            "<b><!-- </b> -->".repeat(60_000),
            "<svg/>".repeat(100_000) + &"</p>".repeat(100_000),
        ] {
            let error = Kind::of("text/html").unwrap().text(page.as_bytes()).unwrap_err();
            assert!(matches!(error, FetchError::TooManyTags(MAX_TAGS)), "{page:.20}: {error}");
            assert_eq!(text("text/plain", page.as_bytes()), page, "other text is not parsed");
        }
        // A long page is read.
        assert!(text("text/html", "<p>a <i>b</i> 1 < 2".repeat(2_000).as_bytes()).ends_with("2"));
    }

    #[test]
    fn decodes_text_by_charset() {
        assert_eq!(text("text/plain; charset=iso-8859-1", b"f\xf6hn"), "föhn");
        assert_eq!(text("text/plain", b"f\xff"), "f\u{fffd}");
    }

    #[test]
    fn rejects_content_that_is_not_text() {
        for kind in ["image/png", "application/octet-stream", "text/plain; charset=klingon", "nonsense"] {
            assert!(matches!(Kind::of(kind), Err(FetchError::NoText(_))), "{kind}");
        }
    }
}
