//! Rendering of Markdown and components as HTML, and comparison of revisions.

use std::time::Duration;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};
use similar::TextDiff;

use crate::component::{Component, Link};
use crate::model::Content;

/// Renders a page as HTML, without the frame of the site.
///
/// HTML in the text is escaped, and links lead to pages only.
///
/// ```
/// use content::render::page;
///
/// let content = serde_json::from_str(r#"{"title": "Eels", "body": "All of <b>them</b> *swam* on."}"#)?;
/// assert_eq!(page(&content), "<h1>Eels</h1>\n<p>All of &lt;b&gt;them&lt;/b&gt; <em>swam</em> on.</p>\n");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn page(content: &Content) -> String {
    let mut out = Html::default();
    out.element("<h1>", &content.title, "</h1>\n");
    out.markdown(&content.body);
    for component in &content.components {
        out.component(component);
    }
    out.0
}

/// The time for a search of the smallest difference. It can grow with the square of the number of lines.
const COMPARISON: Duration = Duration::from_millis(200);

/// Returns the difference between two revisions in the format of `diff -u`, or an empty string. For long texts that have little in
/// common it may be larger than it has to be.
///
/// ```
/// use content::render::difference;
///
/// assert_eq!(difference(("1", "a\nb\n"), ("2", "a\nc\n")), "--- 1\n+++ 2\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
#[must_use]
pub fn difference(from: (&str, &str), to: (&str, &str)) -> String {
    let difference = TextDiff::configure().timeout(COMPARISON).diff_lines(from.1, to.1);
    difference.unified_diff().header(from.0, to.0).to_string()
}

/// Formats a revision as lines, so that every part of it can be compared.
#[must_use]
pub fn lines(content: &Content) -> String {
    let mut text = format!("# {}\n\n{}", content.title, content.body);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if !content.tags.is_empty() {
        text.push_str(&format!("\ntags: {}\n", content.tags.join(", ")));
    }
    for (name, value) in &content.meta {
        text.push_str(&format!("{name}: {value}\n"));
    }
    for component in &content.components {
        // Parsed from JSON, so that serializing cannot fail.
        text.push_str(&format!("{}\n", serde_json::to_string(component).unwrap_or_default()));
    }
    text
}

#[derive(Default)]
struct Html(String);

impl Html {
    fn markdown(&mut self, text: &str) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let events = Parser::new_ext(text, options).map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Link { link_type, dest_url: harmless(dest_url), title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Image { link_type, dest_url: harmless(dest_url), title, id })
            }
            other => other,
        });
        html::push_html(&mut self.0, events);
    }

    fn component(&mut self, component: &Component) {
        match component {
            Component::Callout { variant, props } => {
                self.open("aside", "callout", &word(variant));
                if let Some(title) = &props.title {
                    self.element("<strong>", title, "</strong>\n");
                }
                self.element("<p>", &props.text, "</p>\n");
                props.link.iter().for_each(|link| self.link("", link));
                self.0.push_str("</aside>\n");
            }
            Component::Quote { variant, props } => {
                self.open("blockquote", "quote", &word(variant));
                self.element("<p>", &props.text, "</p>\n");
                if let Some(source) = &props.source {
                    self.element("<cite>", source, "</cite>\n");
                }
                self.0.push_str("</blockquote>\n");
            }
            Component::Button { variant, props } => {
                self.link(&format!(" class=\"button button-{}\"", word(variant)), props);
            }
        }
    }

    fn open(&mut self, element: &str, class: &str, variant: &str) {
        self.0.push_str(&format!("<{element} class=\"{class} {class}-{variant}\">\n"));
    }

    fn link(&mut self, attributes: &str, link: &Link) {
        self.element(&format!("<a{attributes} href=\""), &harmless(CowStr::from(link.href.as_str())), "\">");
        self.element("", &link.label, "</a>\n");
    }

    /// Writes an element; only `text` is escaped.
    fn element(&mut self, before: &str, text: &str, after: &str) {
        self.0.push_str(before);
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                c => self.0.push(c),
            }
        }
        self.0.push_str(after);
    }
}

/// Returns the destination if it is a page, and not `javascript:` or the like. Browsers read `\` as `/` and drop tabs and line
/// breaks, so that `/\elsewhere` would be `//elsewhere`.
fn harmless(destination: CowStr<'_>) -> CowStr<'_> {
    let is_as_read = !destination.contains(|c: char| c == '\\' || c.is_control());
    let is_page = destination.starts_with("https://")
        || destination.starts_with("http://")
        || destination.starts_with('#')
        || (destination.starts_with('/') && !destination.starts_with("//"));
    if is_as_read && is_page { destination } else { CowStr::from("#") }
}

/// Returns the JSON name of a variant.
fn word(variant: &impl serde::Serialize) -> String {
    serde_json::to_value(variant).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renders_no_scripts() {
        let content: Content = serde_json::from_value(json!({
            "title": "<script>1</script>",
            "body": "<script>2</script>\n\n[a](javascript:alert(3)) ![b](data:text/html,4) [c](//elsewhere) [d](/here) e<script>8</script>",
            "components": [
                {"kind": "callout", "variant": "info", "props": {"text": "<img src=x>", "title": "\"5\""}},
                {"kind": "button", "variant": "primary", "props": {"label": "<6>", "href": "javascript:7"}},
                {"kind": "quote", "variant": "large", "props": {"text": "&", "source": "</cite>"}}
            ]
        }))
        .unwrap();
        let html = page(&content);
        for forbidden in
            ["<script", "javascript:", "data:", "href=\"//", "<img src=x", "<6>", "</cite></cite>"]
        {
            assert!(!html.contains(forbidden), "{forbidden} in {html}");
        }
        assert!(html.contains("<a href=\"/here\">d</a>"), "{html}");
        assert!(html.contains("<aside class=\"callout callout-info\">"), "{html}");
    }

    #[test]
    fn rejects_misleading_links() {
        for (href, expected) in [
            ("/tides", "/tides"),
            ("https://tides.example/a?b=c", "https://tides.example/a?b=c"),
            ("//evil.example", "#"),
            ("/\\evil.example", "#"),
            ("/\t/evil.example", "#"),
            ("/\n/evil.example", "#"),
            ("https://tides.example\\@evil.example", "#"),
        ] {
            let mut html = Html::default();
            html.link("", &Link { label: "a".to_owned(), href: href.to_owned() });
            assert_eq!(html.0, format!("<a href=\"{expected}\">a</a>\n"), "{href:?}");
        }
        let mut html = Html::default();
        html.markdown("[a](</\\\\evil.example>)");
        assert_eq!(html.0, "<p><a href=\"#\">a</a></p>\n");
    }

    #[test]
    fn includes_every_part_in_a_comparison() {
        let content: Content = serde_json::from_value(json!({
            "title": "Eels", "body": "All swam on.", "tags": ["a", "b"], "meta": {"date": "2026-04-18"},
            "components": [{"kind": "quote", "variant": "inline", "props": {"text": "Gone."}}]
        }))
        .unwrap();
        assert_eq!(
            lines(&content),
            "# Eels\n\nAll swam on.\n\ntags: a, b\ndate: 2026-04-18\n\
             {\"kind\":\"quote\",\"variant\":\"inline\",\"props\":{\"text\":\"Gone.\"}}\n"
        );
    }
}
