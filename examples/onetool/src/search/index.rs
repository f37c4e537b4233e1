//! A ranked index: BM25 over titles and texts.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::corpus::Document;

/// The saturation of repeated words.
const K1: f64 = 1.2;
/// The strength of length normalization.
const B: f64 = 0.75;
/// The weight of a word in the title, in words of the text.
const TITLE: u32 = 4;
/// The maximum length of an excerpt, in characters.
const EXCERPT: usize = 240;

/// One page that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Title of the page.
    pub title: String,
    /// Address of the page, for `web_fetch`.
    pub url: String,
    /// The paragraph of the page that fits the query best.
    pub description: String,
}

/// An inverted index of pages.
#[derive(Debug)]
pub(crate) struct Index {
    documents: Vec<Document>,
    /// The number of words of each page.
    lengths: Vec<f64>,
    mean_length: f64,
    /// The pages that contain a word, with its frequency.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Index {
    pub(crate) fn of(documents: impl IntoIterator<Item = Document>) -> Self {
        let documents: Vec<Document> = documents.into_iter().collect();
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (position, document) in documents.iter().enumerate() {
            let mut counts: HashMap<String, u32> = HashMap::new();
            words(document.title).for_each(|word| *counts.entry(word).or_default() += TITLE);
            words(document.body).for_each(|word| *counts.entry(word).or_default() += 1);
            lengths.push(f64::from(counts.values().sum::<u32>()));
            for (word, count) in counts {
                postings.entry(word).or_default().push((position, f64::from(count)));
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / documents.len().max(1) as f64;
        Index { documents, lengths, mean_length, postings }
    }

    /// Returns the pages with a word of the query, best first, then by slug.
    pub(crate) fn search(&self, query: &str, count: usize) -> Vec<(&Document, &'static str)> {
        let mut wanted: Vec<String> = words(query).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut scores = vec![0.0; self.documents.len()];
        for postings in wanted.iter().filter_map(|word| self.postings.get(word)) {
            let rarity = self.rarity(postings.len());
            for (position, times) in postings {
                let length = self.lengths[*position] / self.mean_length;
                scores[*position] += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
            }
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|position| scores[*position] > 0.0).collect();
        // A stable sort keeps pages with equal scores ordered by slug.
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        found.truncate(count);
        found
            .into_iter()
            .map(|position| &self.documents[position])
            .map(|page| (page, self.best(page, &wanted)))
            .collect()
    }

    pub(crate) fn document(&self, slug: &str) -> Option<&Document> {
        self.documents
            .binary_search_by(|document| document.slug.cmp(slug))
            .ok()
            .map(|found| &self.documents[found])
    }

    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Returns the inverse document frequency of a word that this many pages contain; never negative.
    fn rarity(&self, pages: usize) -> f64 {
        let (all, with) = (self.documents.len() as f64, pages as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Returns the first paragraph with the highest weight of query words.
    fn best(&self, document: &Document, wanted: &[String]) -> &'static str {
        let worth = |paragraph: &str| -> f64 {
            let present: Vec<String> = words(paragraph).collect();
            let found = wanted.iter().filter(|word| present.contains(word));
            found.map(|word| self.rarity(self.postings.get(word).map_or(0, Vec::len))).sum()
        };
        let mut best = ("", -1.0);
        for paragraph in document.paragraphs() {
            let worth = worth(paragraph);
            if worth > best.1 {
                best = (paragraph, worth);
            }
        }
        shortened(best.0)
    }
}

/// Splits a text into lower-case words without a plural `s`: a query for `macros` finds a page on a macro.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        let word = word.to_lowercase();
        match word.strip_suffix('s') {
            Some(stem) if stem.chars().count() > 2 && !stem.ends_with('s') => stem.to_owned(),
            _ => word,
        }
    })
}

/// Truncates a text at a word boundary.
fn shortened(text: &'static str) -> &'static str {
    let Some((end, _)) = text.char_indices().nth(EXCERPT) else { return text };
    let cut = &text[..end];
    cut.rfind(' ').map_or(cut, |space| &cut[..space])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::corpus::documents;

    fn slugs(query: &str, count: usize) -> Vec<&'static str> {
        let index = Index::of(documents());
        index.search(query, count).into_iter().map(|(document, _)| document.slug).collect()
    }

    #[test]
    fn ranks_the_page_on_the_subject_first() {
        for (query, slug) in [
            ("AI", "artificial-intelligence"),
            ("ML", "machine-learning"),
            ("borrow checker", "ownership"),
            ("how does the handshake of TCP work", "tcp"),
            ("procedural macro", "procedural-macros"),
            ("weather in Seattle", "seattle"),
            ("föhn", "zurich"),
            ("ranking of documents", "bm25"),
        ] {
            assert_eq!(slugs(query, 1), [slug], "{query}");
        }
    }

    #[test]
    fn weights_rare_words_higher() {
        assert_eq!(slugs("the of and is föhn", 1), ["zurich"]);
    }

    #[test]
    fn ignores_case_plurals_and_repetitions() {
        assert_eq!(slugs("TRAIT", 5), slugs("traits trait", 5));
    }

    #[test]
    fn limits_the_number_of_results() {
        assert_eq!(slugs("rust", 3).len(), 3);
        assert!(slugs("rust", 100).len() < 32);
        assert!(slugs("xylophone", 5).is_empty() && slugs("", 5).is_empty() && slugs("?!", 5).is_empty());
    }

    #[test]
    fn excerpts_the_matching_paragraph() {
        let index = Index::of(documents());
        let (_, excerpt) = index.search("dns rebinding", 1)[0];
        assert!(excerpt.starts_with("A name may resolve to any address"), "{excerpt}");
        assert!(excerpt.chars().count() <= EXCERPT);
    }

    #[test]
    fn finds_nothing_in_an_empty_index() {
        assert!(Index::of([]).search("rust", 5).is_empty());
    }
}
