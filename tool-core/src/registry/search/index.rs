//! The search index: which tool has which word, ranked by BM25 with fields (Robertson, Zaragoza: "The Probabilistic
//! Relevance Framework", 2009, section 3.6).
//!
//! The crate `bm25` is not used: it has no fields, no access to its vocabulary, which prefixes and typing errors need, and
//! depends on the unmaintained `fxhash` (RUSTSEC-2025-0057).

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use crate::registry::search::english::{common_actions, stem, synonyms, telling};
use crate::registry::search::words::each_word;

/// How many words of a search a tool must match.
///
/// ```
/// assert_eq!(tool_core::search::Match::default(), tool_core::search::Match::Any);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Match {
    /// At least one; a tool that matches more ranks higher.
    #[default]
    Any,
    /// All.
    All,
}

/// A field of a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum IndexField {
    Name,
    Title,
    Tags,
    InputNames,
    Description,
    InputDescriptions,
}

/// The weight of a word in each field.
const WEIGHTS: [f64; FIELDS] = [2.5, 2.0, 1.0, 0.7, 1.5, 0.3];
const FIELDS: usize = 6;

/// The number of words that a person writes in each field. Words in a longer field count less, so that a tool with very long
/// texts does not match every search.
const TYPICAL_LENGTHS: [f64; FIELDS] = [16.0, 32.0, 16.0, 128.0, 128.0, 256.0];

/// The saturation of repeated words (BM25 `k1`), with its usual value.
const K1: f64 = 1.2;
/// The normalization by length (BM25 `b`): low, since a longer text is usually more informative in these short fields.
const B: f64 = 0.5;

/// The scores of inexact matches.
const PREFIX: f64 = 0.4;
const INFLECTED: f64 = 0.6;
const SYNONYM: f64 = 0.6;
const MISSPELT: [f64; 3] = [1.0, 0.5, 0.3];

/// The score of an action that occurs in many questions. It decides among tools that match the other words.
const COMMON_ACTION: f64 = 0.5;

/// The fewest letters of a word that matches longer words.
const SHORTEST_PREFIX: usize = 3;

/// The most letters of a word whose spelling is corrected, since a comparison costs the product of the lengths.
const LONGEST_MISSPELT: usize = 64;

/// The most words of a search.
const MOST_WANTED: usize = 64;

/// The most words of a search whose spelling is corrected.
const MOST_MISSPELT: usize = 8;

/// The texts of one tool, by field.
#[derive(Debug, Default)]
pub(super) struct Document {
    texts: [Vec<String>; FIELDS],
    /// The number of bytes of its name.
    name: usize,
}

impl Document {
    pub(super) fn add(&mut self, field: IndexField, text: &str) {
        self.texts[field as usize].push(text.to_owned());
        if matches!(field, IndexField::Name) {
            self.name = text.len();
        }
    }

    #[cfg(test)]
    pub(super) fn texts(&self, field: IndexField) -> &[String] {
        &self.texts[field as usize]
    }
}

/// The index of all documents: the count of each word by document and field.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The number of words of each document, by field.
    lengths: Vec<[u32; FIELDS]>,
    /// The number of bytes of each document's name.
    names: Vec<u32>,
    words: BTreeMap<Box<str>, Box<[Posting]>>,
}

/// The count of a word in one field of a document. The postings of a document are adjacent, in the order of the fields. There
/// are many of them, so a posting has only eight bytes.
#[derive(Clone, Copy, Debug)]
struct Posting {
    document: u32,
    /// The field in the low bits, and the count above it.
    packed: u32,
}

/// The number of bits for the field.
const FIELD_BITS: u32 = 3;

impl Posting {
    fn document(self) -> usize {
        self.document as usize
    }

    fn field(self) -> usize {
        (self.packed & ((1 << FIELD_BITS) - 1)) as usize
    }

    fn count(self) -> u32 {
        self.packed >> FIELD_BITS
    }

    fn is_in(self, document: u32, field: usize) -> bool {
        self.document == document && self.field() == field
    }
}

impl Index {
    pub(super) fn new(documents: impl Iterator<Item = Document>) -> Self {
        let (mut lengths, mut names) = (Vec::new(), Vec::new());
        let mut words: HashMap<String, Vec<Posting>> = HashMap::new();
        let mut word = String::new();
        // More than `u32::MAX` tools do not fit into memory.
        for (document, Document { texts, name }) in (0..u32::MAX).zip(documents) {
            names.push(u32::try_from(name).unwrap_or(u32::MAX));
            let mut length = [0_u32; FIELDS];
            for (field, text) in texts
                .iter()
                .enumerate()
                .flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)))
            {
                each_word(text, &mut word, |word| {
                    length[field] = length[field].saturating_add(1);
                    let first = Posting { document, packed: 1 << FIELD_BITS | field as u32 };
                    // Only a new word is copied.
                    let Some(postings) = words.get_mut(word) else {
                        words.insert(word.to_owned(), vec![first]);
                        return;
                    };
                    match postings.last_mut() {
                        // Cannot overflow: the number of words in a text is limited.
                        Some(last) if last.is_in(document, field) => last.packed += 1 << FIELD_BITS,
                        _ => postings.push(first),
                    }
                });
            }
            lengths.push(length);
        }
        lengths.shrink_to_fit();
        names.shrink_to_fit();
        let words = words.into_iter().map(|(word, postings)| (word.into(), postings.into()));
        Index { lengths, names, words: words.collect() }
    }

    /// Returns the number of bytes of each document's name, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = u32> {
        self.names.iter().copied()
    }

    /// Returns the score of every document, in order; 0 for one that does not match. Documents that are not visible have no score
    /// and do not affect the scores of others.
    pub(super) fn scores(&self, wanted: &[String], matching: Match, visible: &[bool]) -> Vec<f64> {
        let view = View::new(self, visible);
        let mut scores = vec![0.0; self.lengths.len()];
        let mut missed = vec![false; self.lengths.len()];
        let mut guesses = MOST_MISSPELT;
        for word in distinct(&telling(wanted)) {
            for (document, best) in view.best(view.matches(word, &mut guesses)).into_iter().enumerate() {
                scores[document] += best;
                missed[document] |= best == 0.0;
            }
        }
        let is_found: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();
        for word in distinct(&common_actions(wanted)) {
            let best = view.best(view.forms(word));
            let found = scores.iter_mut().zip(best).zip(&is_found).filter(|(_, is_found)| **is_found);
            found.for_each(|((score, best), _)| *score += COMMON_ACTION * best);
        }
        if matching == Match::All {
            scores.iter_mut().zip(missed).filter(|(_, missed)| *missed).for_each(|(score, _)| *score = 0.0);
        }
        // The last bits of a logarithm differ between platforms. Rounding makes ties equal everywhere.
        scores.iter_mut().for_each(|score| *score = (*score * 1e6).round() / 1e6);
        scores
    }
}

/// Returns the first word of each stem.
fn distinct<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let words = &words[..words.len().min(MOST_WANTED)];
    let is_new = |(position, word): &(usize, &&str)| {
        words[..*position].iter().all(|earlier| stem(earlier) != stem(word))
    };
    words.iter().enumerate().filter(is_new).map(|(_, word)| *word).collect()
}

/// Words of the index that match a wanted word, and the score of the match.
struct Matching<'i> {
    postings: Vec<&'i [Posting]>,
    worth: f64,
}

/// The part of an index that one caller may see.
struct View<'i> {
    index: &'i Index,
    visible: &'i [bool],
    documents: f64,
    /// The average number of words of a visible document, by field.
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

    /// Returns the visible documents, each with its postings.
    fn seen(&self, postings: &'i [Posting]) -> impl Iterator<Item = (usize, &'i [Posting])> {
        let documents = postings.chunk_by(|one, other| one.document == other.document);
        documents.map(|counts| (counts[0].document(), counts)).filter(|(document, _)| self.visible[*document])
    }

    /// Returns the weight of a word that occurs in `having` documents.
    fn rarity(&self, having: usize) -> f64 {
        let having = having as f64;
        // The logarithm of `libm` is the same on every platform, and avoids loading the system's math library at startup.
        libm::log(1.0 + (self.documents - having + 0.5) / (having + 0.5))
    }

    /// Returns the visible documents with one of these words, in order, and the frequency, weighted by fields and their lengths.
    fn frequencies(&self, words: &[&'i [Posting]]) -> Vec<(usize, f64)> {
        let each = words.iter().flat_map(|postings| self.seen(postings));
        let mut frequencies: Vec<(usize, f64)> =
            each.map(|(document, counts)| (document, self.frequency(document, counts))).collect();
        if words.len() > 1 {
            frequencies.sort_by_key(|(document, _)| *document);
            frequencies.dedup_by(|(document, frequency), (kept, sum)| {
                let is_same = document == kept;
                if is_same {
                    *sum += *frequency;
                }
                is_same
            });
        }
        frequencies
    }

    fn frequency(&self, document: usize, counts: &[Posting]) -> f64 {
        let of = |posting: &Posting| {
            let field = posting.field();
            let length = f64::from(self.index.lengths[document][field]);
            let weight = WEIGHTS[field] * (TYPICAL_LENGTHS[field] / length).min(1.0);
            f64::from(posting.count()) * weight / (1.0 - B + B * length / self.average[field].max(1.0))
        };
        counts.iter().map(of).sum()
    }

    /// Returns the best score of these matches for each document: a word and its plural do not count twice.
    fn best(&self, matches: Vec<Matching<'i>>) -> Vec<f64> {
        let mut best = vec![0.0_f64; self.visible.len()];
        for Matching { postings, worth } in matches {
            let frequencies = self.frequencies(&postings);
            let rarity = self.rarity(frequencies.len());
            for (document, frequency) in frequencies {
                let score = frequency * (K1 + 1.0) / (frequency + K1) * rarity * worth;
                best[document] = best[document].max(score);
            }
        }
        best
    }

    /// Returns the forms of a word and of its synonyms.
    fn forms(&self, wanted: &str) -> Vec<Matching<'i>> {
        let wanted = stem(wanted);
        let mut forms = vec![Matching { postings: self.of_stem(&wanted), worth: 1.0 }];
        let others = synonyms(&wanted).map(|other| self.of_stem(&other));
        forms.extend(others.map(|postings| Matching { postings, worth: SYNONYM }));
        forms
    }

    /// Returns the words of the index that match a wanted word, with the score of each match.
    fn matches(&self, wanted: &str, guesses: &mut usize) -> Vec<Matching<'i>> {
        let stem_of_wanted = stem(wanted);
        let mut matches = self.forms(wanted);
        let mut add =
            |postings: &'i [Posting], worth| matches.push(Matching { postings: vec![postings], worth });
        if wanted.chars().nth(SHORTEST_PREFIX - 1).is_some() {
            let longer = self.beginning(wanted).filter(|(word, _)| stem(word) != stem_of_wanted);
            longer.for_each(|(_, postings)| add(postings, PREFIX));
        }
        for (end, _) in wanted.char_indices().rev().take(3) {
            let shorter = &wanted[..end];
            if shorter.chars().count() >= 4
                && stem(shorter) != stem_of_wanted
                && let Some(postings) = self.index.words.get(shorter)
                && self.is_seen(postings)
            {
                add(postings, INFLECTED);
            }
        }
        matches.retain(|matching| !matching.postings.is_empty());
        if matches.is_empty() && *guesses > 0 {
            *guesses -= 1;
            self.misspelt(wanted)
        } else {
            matches
        }
    }

    /// Returns the visible words that begin with this text.
    fn beginning(&self, text: &str) -> impl Iterator<Item = (&'i str, &'i [Posting])> {
        let from = self.index.words.range::<str, _>((Bound::Included(text), Bound::Unbounded));
        let words = from.take_while(move |(word, _)| word.starts_with(text));
        words.map(|(word, postings)| (&**word, &**postings)).filter(|(_, postings)| self.is_seen(postings))
    }

    /// Returns the visible words of this stem.
    fn of_stem(&self, wanted: &str) -> Vec<&'i [Posting]> {
        // A short stem is a prefix of all its forms; in a longer one the last letter may differ.
        let common = if wanted.is_ascii() && wanted.len() > 3 { &wanted[..wanted.len() - 1] } else { wanted };
        if wanted.len() < SHORTEST_PREFIX {
            let exact = self.index.words.get(wanted).map(|postings| &**postings);
            return exact.into_iter().filter(|postings| self.is_seen(postings)).collect();
        }
        let forms = self.beginning(common).filter(|(word, _)| stem(word) == wanted);
        forms.map(|(_, postings)| postings).collect()
    }

    fn is_seen(&self, postings: &'i [Posting]) -> bool {
        self.seen(postings).next().is_some()
    }

    fn misspelt(&self, wanted: &str) -> Vec<Matching<'i>> {
        let length = wanted.chars().count();
        let edits = match length {
            0..=3 => return Vec::new(),
            4..=7 => 1,
            8..=LONGEST_MISSPELT => 2,
            _ => return Vec::new(),
        };
        let distance = |word: &str| {
            let close = word.chars().count().abs_diff(length) <= edits;
            close.then(|| strsim::osa_distance(wanted, word)).filter(|distance| *distance <= edits)
        };
        let seen = self.index.words.iter().filter(|(_, postings)| self.is_seen(postings));
        let matches = seen.filter_map(|(word, postings)| Some((&**postings, distance(word)?)));
        matches
            .map(|(postings, distance)| Matching { postings: vec![postings], worth: MISSPELT[distance] })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Index, IndexField, Match};

    fn index(texts: &[&str]) -> Index {
        Index::new(texts.iter().map(|text| {
            let mut document = Document::default();
            document.add(IndexField::Description, text);
            document
        }))
    }

    fn scores(index: &Index, wanted: &str) -> Vec<f64> {
        index.scores(&crate::registry::search::words(wanted), Match::Any, &vec![true; index.lengths.len()])
    }

    #[test]
    fn ignores_invisible_documents() {
        let texts = ["blue car", "secret plan", "blue house with secrets and many other words"];
        let (all, few) = (index(&texts), index(&texts[..1]));
        for wanted in ["blue", "car", "secret", "secert", "plan", "blue car", "pla"] {
            let found =
                all.scores(&crate::registry::search::words(wanted), Match::Any, &[true, false, false]);
            assert_eq!(found[0].to_bits(), scores(&few, wanted)[0].to_bits(), "{wanted}");
            assert_eq!(found[1..], [0.0, 0.0], "{wanted}");
        }
        // If `plan` is not visible, `plant` is corrected to `plans`.
        let all = index(&["plans", "plan"]);
        let found = |visible: [bool; 2]| {
            all.scores(&crate::registry::search::words("plant"), Match::Any, &visible)[0] > 0.0
        };
        assert_eq!((found([true, false]), found([true, true])), (true, false));
    }

    #[test]
    fn limits_spelling_corrections() {
        let index = index(&["weather"]);
        let wrong: String = (0..super::MOST_MISSPELT).map(|n| format!("nothing{n} ")).collect();
        assert!(scores(&index, "nothing wether")[0] > 0.0);
        assert_eq!(scores(&index, &format!("{wrong} wether")), [0.0]);
        assert!(scores(&index, &format!("{wrong} weather"))[0] > 0.0);
    }

    #[test]
    fn weighs_rare_words_more() {
        let index = index(&["blue car", "blue house", "blue tree"]);
        let found = scores(&index, "blue tree");
        assert!(found[2] > found[0] && found[0] > 0.0, "{found:?}");
        assert_eq!(found[0].to_bits(), found[1].to_bits());
        assert_eq!(scores(&index, "tree blue tree"), scores(&index, "tree blue"));
    }

    #[test]
    fn weighs_words_in_short_texts_more() {
        let found = scores(&index(&["one apple", "one apple among very many other things"]), "apple");
        assert!(found[0] > found[1] && found[1] > 0.0, "{found:?}");
    }

    #[test]
    fn weighs_exact_words_more_than_prefixes() {
        let found = scores(&index(&["weatherproof", "weather", "weathercock"]), "weather");
        assert!(found[1] > found[0] && found[0] == found[2] && found[0] > 0.0, "{found:?}");
    }

    #[test]
    fn applies_field_weights() {
        let fields = [
            IndexField::Name,
            IndexField::Title,
            IndexField::Description,
            IndexField::Tags,
            IndexField::InputNames,
            IndexField::InputDescriptions,
        ];
        let index = Index::new(fields.into_iter().map(|field| {
            let mut document = Document::default();
            document.add(field, "word");
            document
        }));
        let found = scores(&index, "word");
        assert!(found.is_sorted_by(|a, b| a >= b) && found[0] > found[1] && found[4] > found[5], "{found:?}");
    }

    /// Rows of the wanted word, the indexed word, and whether they match.
    #[test]
    fn matches_prefixes_stems_and_misspellings() {
        let table = [
            ("weather", "weather", true),
            ("wea", "weather", true),
            // Too short for a prefix.
            ("we", "weather", false),
            ("we", "we", true),
            ("weathers", "weather", true),
            ("reporting", "report", true),
            ("reportings", "report", true),
            ("folder", "directory", true),
            // Shorter than four letters: no stem.
            ("dayish", "day", false),
            // One wrong letter, from four letters on.
            ("wether", "weather", true),
            ("waether", "weather", true),
            ("weeather", "weather", true),
            ("wezther", "weather", true),
            ("wezthr", "weather", false),
            ("dzy", "day", false),
            ("dzys", "days", true),
            // Two wrong letters, from eight letters on.
            ("temprture", "temperature", true),
            ("tmprture", "temperature", false),
            // A word with an exact match is not corrected.
            ("form", "from", true),
            ("straße", "strasse", false),
        ];
        for (wanted, indexed, matches) in table {
            assert_eq!(scores(&index(&[indexed, "else"]), wanted)[0] > 0.0, matches, "{wanted} {indexed}");
        }
        assert_eq!(scores(&index(&["form", "from"]), "form")[1], 0.0);
        let long = "a".repeat(100);
        assert_eq!(scores(&index(&[&format!("b{long}")]), &long), [0.0]);
    }

    #[test]
    fn matches_any_or_all_words() {
        let index = index(&["daily weather", "daily news", "weather station"]);
        let wanted = crate::registry::search::words("daily weather daily");
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
    fn finds_nothing_in_empty_documents() {
        assert!(scores(&index(&[]), "weather").is_empty());
        assert_eq!(scores(&index(&["", "a b"]), "weather"), [0.0, 0.0]);
    }
}
