//! The embedded pages.

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) slug: &'static str,
    pub(crate) title: &'static str,
    /// Paragraphs, separated by empty lines.
    pub(crate) body: &'static str,
}

macro_rules! pages {
    ($($slug:literal)*) => {
        [$(Document::parse($slug, include_str!(concat!("../../pages/", $slug, ".md")))),*]
    };
}

/// Returns every page, ordered by slug.
pub(crate) fn documents() -> impl Iterator<Item = Document> {
    let pages = pages![
        "artificial-intelligence" "async-rust" "bm25" "cargo" "dns" "error-handling" "fog" "http" "json" "json-rpc"
        "language-models" "machine-learning" "model-context-protocol" "nairobi" "new-york" "ownership"
        "procedural-macros" "rain" "rust-language" "seattle" "serde" "server-sent-events" "singapore" "snow" "tcp"
        "thunderstorms" "tls" "traits" "uri" "weather-forecasts" "wind" "zurich"
    ];
    pages.into_iter()
}

impl Document {
    /// Parses a page. The first line is the title, marked by `# `.
    fn parse(slug: &'static str, text: &'static str) -> Self {
        let (title, body) = text.split_once('\n').unwrap_or((text, ""));
        Document { slug, title: title.trim_start_matches("# ").trim(), body: body.trim() }
    }

    pub(crate) fn paragraphs(&self) -> impl Iterator<Item = &'static str> {
        self.body.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn contains_every_page_with_title_and_text() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        let slugs: Vec<&str> = documents().map(|document| document.slug).collect();
        assert_eq!(slugs, files);
        for document in documents() {
            assert!(!document.title.is_empty() && !document.title.starts_with('#'), "{}", document.slug);
            assert!(document.paragraphs().count() >= 3, "{}", document.slug);
        }
    }
}
