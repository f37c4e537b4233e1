//! Rendering of pages as HTML.

use std::fmt::Write as _;

use crate::search::corpus::Document;

/// Renders a page with its title and paragraphs.
pub(crate) fn page(document: &Document) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(document.title));
    for paragraph in document.paragraphs() {
        // Writing to a string cannot fail.
        let _ = writeln!(body, "<p>{}</p>", escaped(paragraph));
    }
    framed(document.title, &body)
}

/// Renders the list of all pages.
pub(crate) fn contents(documents: &[Document]) -> String {
    let mut body = "<h1>Pages</h1>\n<ul>\n".to_owned();
    for Document { slug, title, .. } in documents {
        let _ = writeln!(body, r#"<li><a href="/pages/{slug}">{}</a></li>"#, escaped(title));
    }
    body.push_str("</ul>\n");
    framed("Pages", &body)
}

/// Renders the page of a 404 answer.
pub(crate) fn missing() -> String {
    framed("Not found", "<h1>Not found</h1>\n<p>There is no page at this address.</p>\n")
}

fn framed(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_titles_and_text() {
        let document =
            Document { slug: "a", title: "Vec<T> & \"more\"", body: "<script>alert(1)</script>\n\nEnd." };
        let html = page(&document);
        assert!(html.contains("<title>Vec&lt;T&gt; &amp; &quot;more&quot;</title>"), "{html}");
        assert!(html.contains("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>End.</p>"), "{html}");
    }
}
