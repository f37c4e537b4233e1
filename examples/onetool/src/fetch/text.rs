//! Conversion of a page into text.

use encoding_rs::Encoding;
use mime::Mime;

use crate::fetch::FetchError;

/// The width of plain text, in columns.
const WIDTH: usize = 100;

/// The maximum number of tags of a page. The parser looks through the elements that are open for each of them, so that a page of
/// 1 MiB that only opens and closes elements could take many minutes.
const MAX_TAGS: usize = 40_000;

/// The maximum number of attributes of a tag. The parser compares each one with all before it.
const MAX_ATTRIBUTES: usize = 10_000;

/// Attributes that are left out: a cell that spans a thousand columns and rows would take the memory of a million cells.
const SPANS: [&str; 2] = ["colspan", "rowspan"];

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
        let html = simplified(&text)?;
        let plain = html2text::config::plain().string_from_read(html.as_bytes(), WIDTH);
        plain.map(|text| text.trim().to_owned()).map_err(|_| FetchError::NoText("HTML".to_owned()))
    }
}

/// Returns the page without [`SPANS`].
///
/// # Errors
///
/// When it has too many tags or attributes, counting those in comments and scripts, too.
fn simplified(html: &str) -> Result<String, FetchError> {
    let mut simple = String::with_capacity(html.len());
    let (mut rest, mut tags) = (html, 0);
    while let Some((before, after)) = rest.split_once('<') {
        simple.push_str(before);
        simple.push('<');
        rest = after;
        if !rest.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) {
            continue;
        }
        tags += 1;
        if tags > MAX_TAGS {
            return Err(FetchError::TooManyTags(MAX_TAGS));
        }
        let name;
        (name, rest) = split(rest, |c| is_space(c) || c == '>');
        simple.push_str(name);
        let mut attributes = 0;
        while !rest.is_empty() && !rest.starts_with('>') {
            let (space, attribute);
            (space, rest) = split(rest, |c| !is_space(c));
            (attribute, rest) = split_attribute(rest);
            attributes += 1;
            if attributes > MAX_ATTRIBUTES {
                return Err(FetchError::TooManyAttributes(MAX_ATTRIBUTES));
            }
            simple.push_str(space);
            let name = attribute.split('=').next().unwrap_or_default().trim_end();
            if !SPANS.iter().any(|span| name.eq_ignore_ascii_case(span)) {
                simple.push_str(attribute);
            }
        }
    }
    simple.push_str(rest);
    Ok(simple)
}

/// Splits before the first character of a kind.
fn split(text: &str, kind: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(kind).unwrap_or(text.len()))
}

/// Returns `true` for what separates attributes.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '/'
}

/// Splits a text after the attribute with which it begins.
fn split_attribute(text: &str) -> (&str, &str) {
    let name = text.find(|c: char| is_space(c) || matches!(c, '=' | '>')).unwrap_or(text.len());
    let Some(value) = text[name..].trim_start().strip_prefix('=').map(str::trim_start) else {
        return text.split_at(name);
    };
    let end = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].find(quote).map(|end| end + 2),
        _ => value.find(|c: char| c.is_ascii_whitespace() || c == '>'),
    };
    text.split_at(text.len() - value.len() + end.unwrap_or(value.len()))
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
    fn refuses_too_many_attributes_before_they_are_parsed() {
        let names: String = (0..100_000).map(|number| format!(" a{number}")).collect();
        let quoted: String = (0..100_000).map(|number| format!("a{number}=''")).collect();
        for page in [format!("<p{names}>"), format!("<p {quoted}>"), format!("<p{}", names.replace(' ', "/"))]
        {
            let error = Kind::of("text/html").unwrap().text(page.as_bytes()).unwrap_err();
            assert!(matches!(error, FetchError::TooManyAttributes(MAX_ATTRIBUTES)), "{page:.20}: {error}");
        }
        let long = format!("<svg><path d=\"{}\"/></svg><p title='a > b'>text", "M 1 2 ".repeat(50_000));
        assert_eq!(text("text/html", long.as_bytes()), "text");
    }

    #[test]
    fn leaves_out_cells_that_span_others() {
        let html = r#"<td class=a ROWSPAN = "65534" colspan=1000>x<td colspan>y<p title="rowspan=2">rowspan=2 < 3 <br/>"#;
        let expected = r#"<td class=a  >x<td >y<p title="rowspan=2">rowspan=2 < 3 <br/>"#;
        assert_eq!(simplified(html).unwrap(), expected);
        let cells = "<tr><td colspan=1000 rowspan=65534>x".repeat(4_000);
        let plain = text("text/html", format!("<table>{cells}").as_bytes());
        assert!(plain.matches('x').count() == 4_000 && plain.len() < 1_000_000, "{} bytes", plain.len());
    }

    #[test]
    fn keeps_everything_else_of_a_page() {
        for html in [
            "",
            "<",
            "a<b",
            "<a",
            "<a ",
            "<a b",
            "<a b=",
            "<a b='",
            "<a b='c",
            "</a\n>",
            "<é>",
            "<a é='ü>'/ >",
        ] {
            assert_eq!(simplified(html).unwrap(), html);
        }
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
