//! Similar descriptions.

use std::collections::{BTreeSet, HashMap};

use crate::definition::ToolDefinition;
use crate::lint::finding::{Finding, LintRule};
use crate::registry::search::words;

/// Two texts are similar from this Jaccard similarity on: shared words divided by all words.
const ALIKE: f64 = 0.8;

/// A word is ignored once so many texts have it among their rarest.
const MOST_SHARING: usize = 64;

pub(super) fn check(tools: &[&ToolDefinition], findings: &mut Vec<Finding>) {
    let texts: Vec<&str> = tools.iter().map(|tool| tool.description()).collect();
    for (tool, other) in Alike::find(&texts).pairs {
        let message = format!("the description hardly differs from that of `{}`", tools[other].name());
        findings.push(Finding::of(LintRule::DescriptionsAlike, tools[tool], message));
    }
}

/// The texts that are similar to an earlier text.
///
/// Not all pairs are compared. If two sets share four fifths of their words, then in any common order of words, one of the
/// first few words of each is in both (the prefix filter of Chaudhuri, Ganti, Kaushik: "A Primitive Operator for Similarity
/// Joins", 2006). Rare words come first, so that few texts share one. A text that is similar to an earlier one is skipped.
#[derive(Debug, Default)]
struct Alike {
    /// The position of each similar text, and that of the earlier text.
    pairs: Vec<(usize, usize)>,
    comparisons: usize,
}

impl Alike {
    fn find(texts: &[&str]) -> Self {
        let sets = sets(texts);
        let mut found = Alike::default();
        // The texts that have a word among their first words.
        let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, set) in sets.iter().enumerate() {
            let shared = (set.len() as f64 * ALIKE).ceil() as usize;
            let first = &set[..(set.len() + 1 - shared).min(set.len())];
            let near: BTreeSet<usize> =
                first.iter().filter_map(|word| having.get(word.as_str())).flatten().copied().collect();
            found.comparisons += near.len();
            if let Some(other) = near.into_iter().find(|&other| similarity(set, &sets[other]) >= ALIKE) {
                found.pairs.push((position, other));
                continue;
            }
            for word in first {
                let having = having.entry(word).or_default();
                if having.len() < MOST_SHARING {
                    having.push(position);
                }
            }
        }
        found
    }
}

/// Returns the distinct words of each text, the rarest first.
fn sets(texts: &[&str]) -> Vec<Vec<String>> {
    let sets: Vec<BTreeSet<String>> = texts.iter().map(|text| words(text).into_iter().collect()).collect();
    let mut texts_with: HashMap<&String, usize> = HashMap::new();
    for word in sets.iter().flatten() {
        *texts_with.entry(word).or_default() += 1;
    }
    let sorted = |set: &BTreeSet<String>| {
        let mut set: Vec<String> = set.iter().cloned().collect();
        // A stable sort keeps equally rare words in alphabetical order.
        set.sort_by_key(|word| texts_with[word]);
        set
    };
    sets.iter().map(sorted).collect()
}

/// Returns the number of shared words divided by the number of all words.
fn similarity(a: &[String], b: &[String]) -> f64 {
    let shared = a.iter().filter(|word| b.contains(word)).count();
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::Alike;

    #[test]
    fn finds_texts_that_share_most_words() {
        type Row = (&'static [&'static str], &'static [(usize, usize)]);
        let table: [Row; 8] = [
            (&["Deletes the stored report.", "Deletes the stored report."], &[(1, 0)]),
            (&["Deletes the stored report.", "the stored REPORT deletes"], &[(1, 0)]),
            // Eight of ten words are shared, then eight of eleven.
            (&["a b c d e f g h i", "a b c d e f g h j"], &[(1, 0)]),
            (&["a b c d e f g h i k", "a b c d e f g h j"], &[]),
            (&["Deletes a report.", "Deletes a user."], &[]),
            (&["", ""], &[]),
            (&["", "a b c"], &[]),
            // Each is reported once, with the first similar text.
            (&["x y z", "a b c d e", "x y z w v", "e d c b a", "a b c d e"], &[(3, 1), (4, 1)]),
        ];
        for (texts, expected) in table {
            assert_eq!(Alike::find(texts).pairs, expected, "{texts:?}");
        }
    }

    #[test]
    fn limits_comparisons() {
        // Each pair shares seven of nine words, which is not similar.
        let texts: Vec<String> =
            (0..10_000).map(|number| format!("sends a short letter to customer {number} today")).collect();
        let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        texts.push("today, sends a short letter to customer 5000");
        let found = Alike::find(&texts);
        assert_eq!(found.pairs, [(10_000, 5_000)], "the one that is alike is found among them");
        assert!(found.comparisons <= 10_001 * 64, "{}", found.comparisons);
        // The rare words come first here, although the shared words come first in the alphabet.
        let texts: Vec<String> = (0..1_000).map(|number| format!("a and z{number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(Alike::find(&texts).comparisons, 0);
        // All of these are equal.
        let found = Alike::find(&["one and the same text"; 10_000]);
        assert_eq!((found.pairs.len(), found.comparisons), (9_999, 9_999));
    }
}
