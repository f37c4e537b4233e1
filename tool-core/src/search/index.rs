//! The index of a search: which tool has which word, and how much that tells.
//!
//! BM25 with fields (Robertson, Zaragoza: "The Probabilistic Relevance Framework", 2009, section 3.6). Not the crate
//! `bm25`: it has no fields and no access to its vocabulary, which prefixes and typing errors need, and it depends on
//! `fxhash`, which nobody maintains (RUSTSEC-2025-0057).

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use crate::search::Match;
use crate::search::words::words;

/// Where a word stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Name,
    Title,
    Tags,
    InputNames,
    Description,
    InputDescriptions,
}

/// How much a word tells, by the field that it stands in.
const WEIGHTS: [f64; FIELDS] = [4.0, 2.5, 2.5, 1.5, 1.0, 0.5];
const FIELDS: usize = 6;

/// How soon more of one word tells no more; the usual value.
const K1: f64 = 1.2;
/// How much a word in a long field tells less; the usual value.
const B: f64 = 0.75;

/// What a match is worth that is not the word itself.
const PREFIX: f64 = 0.7;
const INFLECTED: f64 = 0.6;
const MISSPELT: [f64; 3] = [1.0, 0.5, 0.3];

/// A word longer than this is no misspelt one, and comparing costs the product of the lengths.
const LONGEST_MISSPELT: usize = 64;

/// More words than this narrow no search.
const MOST_WANTED: usize = 64;

/// For so many words that nothing has, what was meant is looked for among all words; the others are taken as they are.
const MOST_MISSPELT: usize = 8;

/// The words of one tool, by field.
#[derive(Debug, Default)]
pub(super) struct Document([Vec<String>; FIELDS]);

impl Document {
    pub(super) fn add(&mut self, field: Field, text: &str) {
        self.0[field as usize].extend(words(text));
    }
}

/// Which documents have a word, and how often in which field.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// How many words each document has, by field.
    lengths: Vec<[u32; FIELDS]>,
    words: BTreeMap<String, Vec<Posting>>,
}

#[derive(Debug)]
struct Posting {
    document: usize,
    counts: [u32; FIELDS],
}

impl Index {
    pub(super) fn new(documents: impl Iterator<Item = Document>) -> Self {
        let mut lengths = Vec::new();
        let mut words: HashMap<String, Vec<Posting>> = HashMap::new();
        for (document, Document(fields)) in documents.enumerate() {
            lengths.push(std::array::from_fn(|field| u32::try_from(fields[field].len()).unwrap_or(u32::MAX)));
            for (field, word) in fields
                .into_iter()
                .enumerate()
                .flat_map(|(field, words)| words.into_iter().map(move |word| (field, word)))
            {
                let postings = words.entry(word).or_default();
                if postings.last().is_none_or(|last| last.document != document) {
                    postings.push(Posting { document, counts: [0; FIELDS] });
                }
                if let Some(posting) = postings.last_mut() {
                    posting.counts[field] += 1;
                }
            }
        }
        Index { lengths, words: words.into_iter().collect() }
    }

    /// The score of every document, in their order; 0 for one that does not match. What is not visible is as if it were
    /// not there: it has no score, and neither its words nor their number tell anything.
    pub(super) fn scores(&self, wanted: &[String], matching: Match, visible: &[bool]) -> Vec<f64> {
        let view = View::new(self, visible);
        let mut scores = vec![0.0; self.lengths.len()];
        let mut missed = vec![false; self.lengths.len()];
        let mut guesses = MOST_MISSPELT;
        for (position, word) in wanted.iter().take(MOST_WANTED).enumerate() {
            if wanted[..position].contains(word) {
                continue;
            }
            // The best match counts: a word and its plural are no two.
            let mut best = vec![0.0_f64; self.lengths.len()];
            for (postings, worth) in view.matches(word, &mut guesses) {
                let rarity = view.rarity(postings);
                for posting in view.seen(postings) {
                    let best = &mut best[posting.document];
                    *best = best.max(view.score(posting) * rarity * worth);
                }
            }
            for (document, best) in best.into_iter().enumerate() {
                scores[document] += best;
                missed[document] |= best == 0.0;
            }
        }
        if matching == Match::All {
            scores.iter_mut().zip(missed).filter(|(_, missed)| *missed).for_each(|(score, _)| *score = 0.0);
        }
        // The last bit of a logarithm differs between platforms: it must not decide between equals.
        scores.iter_mut().for_each(|score| *score = (*score * 1e6).round() / 1e6);
        scores
    }
}

/// As much of an index as one caller may see.
struct View<'i> {
    index: &'i Index,
    visible: &'i [bool],
    documents: f64,
    /// How many words a visible document has, by field.
    average: [f64; FIELDS],
}

impl<'i> View<'i> {
    fn new(index: &'i Index, visible: &'i [bool]) -> Self {
        let seen = index.lengths.iter().zip(visible).filter(|(_, visible)| **visible);
        let mut documents = 0.0;
        let mut average = [0.0; FIELDS];
        for (lengths, _) in seen {
            documents += 1.0;
            average.iter_mut().zip(lengths).for_each(|(sum, length)| *sum += f64::from(*length));
        }
        average.iter_mut().for_each(|sum| *sum /= f64::max(documents, 1.0));
        View { index, visible, documents, average }
    }

    /// Those of the visible documents.
    fn seen(&self, postings: &'i [Posting]) -> impl Iterator<Item = &'i Posting> {
        postings.iter().filter(|posting| self.visible[posting.document])
    }

    /// How much a word tells that these documents have.
    fn rarity(&self, postings: &'i [Posting]) -> f64 {
        let having = self.seen(postings).count() as f64;
        (1.0 + (self.documents - having + 0.5) / (having + 0.5)).ln()
    }

    /// How much one document is about a word.
    fn score(&self, Posting { document, counts }: &Posting) -> f64 {
        let mut frequency = 0.0;
        for (field, count) in counts.iter().enumerate() {
            let length = f64::from(self.index.lengths[*document][field]) / self.average[field].max(1.0);
            frequency += f64::from(*count) * WEIGHTS[field] / (1.0 - B + B * length);
        }
        frequency * (K1 + 1.0) / (frequency + K1)
    }

    /// The words of the index that a wanted one stands for, and what each match is worth.
    fn matches(&self, wanted: &str, guesses: &mut usize) -> Vec<(&'i [Posting], f64)> {
        let mut matches = Vec::new();
        let mut add = |postings: &'i [Posting], worth| {
            if self.seen(postings).next().is_some() {
                matches.push((postings, worth));
            }
        };
        let longer = self.index.words.range::<str, _>((Bound::Included(wanted), Bound::Unbounded));
        for (word, postings) in longer.take_while(|(word, _)| word.starts_with(wanted)) {
            add(postings, if word == wanted { 1.0 } else { PREFIX });
        }
        for (end, _) in wanted.char_indices().rev().take(3) {
            let stem = &wanted[..end];
            if stem.chars().count() >= 4
                && let Some(postings) = self.index.words.get(stem)
            {
                add(postings, INFLECTED);
            }
        }
        if matches.is_empty() && *guesses > 0 {
            *guesses -= 1;
            self.misspelt(wanted)
        } else {
            matches
        }
    }

    fn misspelt(&self, wanted: &str) -> Vec<(&'i [Posting], f64)> {
        let length = wanted.chars().count();
        let edits = match length {
            0..=3 => return Vec::new(),
            4..=7 => 1,
            8..=LONGEST_MISSPELT => 2,
            _ => return Vec::new(),
        };
        let distance = |word: &String| {
            let close = word.chars().count().abs_diff(length) <= edits;
            close.then(|| strsim::osa_distance(wanted, word)).filter(|distance| *distance <= edits)
        };
        let seen = self.index.words.iter().filter(|(_, postings)| self.seen(postings).next().is_some());
        let matches = seen.filter_map(|(word, postings)| Some((postings.as_slice(), distance(word)?)));
        matches.map(|(postings, distance)| (postings, MISSPELT[distance])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Field, Index};
    use crate::search::Match;

    fn index(texts: &[&str]) -> Index {
        Index::new(texts.iter().map(|text| {
            let mut document = Document::default();
            document.add(Field::Description, text);
            document
        }))
    }

    fn scores(index: &Index, wanted: &str) -> Vec<f64> {
        index.scores(&super::words(wanted), Match::Any, &vec![true; index.lengths.len()])
    }

    #[test]
    fn what_is_not_visible_is_as_if_it_were_not_there() {
        let texts = ["blue car", "secret plan", "blue house with secrets and many other words"];
        let (all, few) = (index(&texts), index(&texts[..1]));
        for wanted in ["blue", "car", "secret", "secert", "plan", "blue car", "pla"] {
            let found = all.scores(&super::words(wanted), Match::Any, &[true, false, false]);
            assert_eq!(found[0].to_bits(), scores(&few, wanted)[0].to_bits(), "{wanted}");
            assert_eq!(found[1..], [0.0, 0.0], "{wanted}");
        }
        // `plane` is taken for a slip of `plans` where nobody sees the `plan` that it inflects.
        let all = index(&["plans", "plan"]);
        let found = |visible: [bool; 2]| all.scores(&super::words("plane"), Match::Any, &visible)[0] > 0.0;
        assert_eq!((found([true, false]), found([true, true])), (true, false));
    }

    #[test]
    fn a_search_guesses_at_a_few_words() {
        let index = index(&["weather"]);
        let wrong: String = (0..super::MOST_MISSPELT).map(|n| format!("nothing{n} ")).collect();
        assert!(scores(&index, "nothing wether")[0] > 0.0);
        assert_eq!(scores(&index, &format!("{wrong} wether")), [0.0]);
        assert!(scores(&index, &format!("{wrong} weather"))[0] > 0.0);
    }

    #[test]
    fn a_rare_word_tells_more_than_a_common_one() {
        let index = index(&["blue car", "blue house", "blue tree"]);
        let found = scores(&index, "blue tree");
        assert!(found[2] > found[0] && found[0] > 0.0, "{found:?}");
        assert_eq!(found[0].to_bits(), found[1].to_bits());
        assert_eq!(scores(&index, "tree blue tree"), scores(&index, "tree blue"));
    }

    #[test]
    fn a_word_in_a_short_text_tells_more_than_in_a_long_one() {
        let found = scores(&index(&["one apple", "one apple among very many other things"]), "apple");
        assert!(found[0] > found[1] && found[1] > 0.0, "{found:?}");
    }

    #[test]
    fn the_word_itself_is_worth_more_than_a_longer_one() {
        let found = scores(&index(&["weatherproof", "weather", "weathering"]), "weather");
        assert!(found[1] > found[0] && found[0] == found[2] && found[0] > 0.0, "{found:?}");
    }

    #[test]
    fn a_field_counts_by_its_weight() {
        let fields = [
            Field::Name,
            Field::Title,
            Field::Tags,
            Field::InputNames,
            Field::Description,
            Field::InputDescriptions,
        ];
        let index = Index::new(fields.into_iter().map(|field| {
            let mut document = Document::default();
            document.add(field, "word");
            document
        }));
        let found = scores(&index, "word");
        assert!(found.is_sorted_by(|a, b| a >= b) && found[0] > found[1] && found[4] > found[5], "{found:?}");
    }

    /// (wanted, there, whether it matches)
    #[test]
    fn what_matches_what() {
        let table = [
            ("weather", "weather", true),
            ("wea", "weather", true),
            ("w", "weather", true),
            ("weathers", "weather", true),
            ("reporting", "report", true),
            ("reportings", "report", false),
            // Shorter than four letters: no stem.
            ("dayish", "day", false),
            // One letter wrong, from four letters on.
            ("wether", "weather", true),
            ("waether", "weather", true),
            ("weeather", "weather", true),
            ("wezther", "weather", true),
            ("wezthr", "weather", false),
            ("dzy", "day", false),
            ("dzys", "days", true),
            // Two, from eight letters on.
            ("temprture", "temperature", true),
            ("tmprture", "temperature", false),
            // What matches as it is is not taken for a slip of another.
            ("form", "from", true),
            ("straße", "strasse", false),
        ];
        for (wanted, there, matches) in table {
            assert_eq!(scores(&index(&[there, "else"]), wanted)[0] > 0.0, matches, "{wanted} {there}");
        }
        assert_eq!(scores(&index(&["form", "from"]), "form")[1], 0.0);
        let long = "a".repeat(100);
        assert_eq!(scores(&index(&[&format!("b{long}")]), &long), [0.0]);
    }

    #[test]
    fn all_words_or_any() {
        let index = index(&["daily weather", "daily news", "weather station"]);
        let wanted = super::words("daily weather daily");
        let matching = |matching| -> Vec<bool> {
            index
                .scores(&wanted, matching, &vec![true; index.lengths.len()])
                .into_iter()
                .map(|score| score > 0.0)
                .collect()
        };
        assert_eq!(matching(Match::Any), [true, true, true]);
        assert_eq!(matching(Match::All), [true, false, false]);
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert!(scores(&index(&[]), "weather").is_empty());
        assert_eq!(scores(&index(&["", "a b"]), "weather"), [0.0, 0.0]);
    }
}
