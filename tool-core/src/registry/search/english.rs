//! English words for the search: stop words, word forms, and synonyms. Words of other languages are used unchanged.

use std::borrow::Cow;

/// Words that occur in questions of any kind.
const STOP_WORDS: &[&str] = &[
    "a",
    "all",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "could",
    "d",
    "did",
    "do",
    "does",
    "for",
    "from",
    "get",
    "give",
    "had",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "ll",
    "m",
    "me",
    "my",
    "now",
    "of",
    "on",
    "or",
    "our",
    "out",
    "please",
    "re",
    "right",
    "s",
    "should",
    "show",
    "some",
    "somebody",
    "someone",
    "something",
    "t",
    "tell",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "whats",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// Groups of words for the same action or thing. A search rarely uses the word of the tool's author.
const SYNONYMS: &[&[&str]] = &[
    &["create", "add", "new", "open", "make", "report", "schedule"],
    &["delete", "remove", "erase"],
    &["update", "edit", "change", "modify"],
    &["get", "show", "read", "view", "display"],
    &["find", "search", "look"],
    &["send", "write"],
    &["cancel", "decline"],
    &["start", "run", "launch"],
    &["stop", "end"],
    &["complete", "done", "finish"],
    &["extract", "unzip", "unpack"],
    &["book", "reserve"],
    &["approve", "accept"],
    &["undo", "revert"],
    &["contain", "hold"],
    &["folder", "directory"],
    &["file", "document"],
    &["mail", "email"],
    &["issue", "ticket", "bug"],
    &["pull", "pr"],
    &["message", "dm"],
    &["event", "meeting", "appointment"],
    &["task", "todo"],
    &["user", "account"],
    &["image", "picture", "photo"],
    &["database", "db"],
    &["repository", "repo"],
];

/// Returns the words of a search without stop words; all words if there are no others.
pub(super) fn telling(words: &[String]) -> Vec<&str> {
    let words = || words.iter().map(String::as_str);
    let telling: Vec<&str> = words().filter(|word| STOP_WORDS.binary_search(word).is_err()).collect();
    if telling.is_empty() { words().collect() } else { telling }
}

/// Returns the stop words of a search that name an action, as `show` in `show me issue 482`; none if the search has only stop
/// words.
pub(super) fn common_actions(words: &[String]) -> Vec<&str> {
    let telling = telling(words);
    let is_action = |word: &&str| synonyms(&stem(word)).next().is_some();
    words.iter().map(String::as_str).filter(|word| !telling.contains(word)).filter(is_action).collect()
}

/// Returns the common stem of the forms of a word: `issues` and `issue`, `cities` and `city`, `stopped` and `stop`. The stem
/// is a prefix of the word, except that its last letter may differ.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.is_ascii() {
        return word.into();
    }
    if let Some(start) = word.strip_suffix("ies").filter(|start| start.len() > 1) {
        return format!("{start}y").into();
    }
    let sibilant = ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| word.ends_with(end));
    let mut stem = if sibilant {
        &word[..word.len() - 2]
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        &word[..word.len() - 1]
    } else {
        word
    };
    let is_vowel = |c: char| "aeiouy".contains(c);
    let ends = ["ing", "ed"].iter().filter_map(|end| stem.strip_suffix(end));
    if let Some(start) = ends.into_iter().find(|start| start.len() >= 3 && start.contains(is_vowel)) {
        stem = match start.as_bytes() {
            // `stopped`, but not `called`.
            [.., a, b] if a == b && start.len() > 3 && !b"lsz".contains(a) => &start[..start.len() - 1],
            _ => start,
        };
    }
    stem.strip_suffix('e').filter(|start| start.len() >= 4).unwrap_or(stem).into()
}

/// Returns the stems of the synonyms of a stem.
pub(super) fn synonyms(stem_of_word: &str) -> impl Iterator<Item = Cow<'static, str>> {
    let is_it = |word: &&str| stem(word) == stem_of_word;
    let groups = SYNONYMS.iter().filter(|group| group.iter().any(&is_it));
    let stems: Vec<_> =
        groups.flat_map(|group| group.iter().filter(|word| !is_it(word)).map(|word| stem(word))).collect();
    stems.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{STOP_WORDS, common_actions, stem, synonyms, telling};

    #[test]
    fn stems_all_forms_of_a_word_alike() {
        for forms in [
            &["issue", "issues"][..],
            &["city", "cities"],
            &["assign", "assigns", "assigned", "assigning"],
            &["stop", "stops", "stopped", "stopping"],
            &["call", "called", "calling"],
            &["branch", "branches"],
            &["create", "created", "creating", "creates"],
            &["box", "boxes"],
            &["day", "days"],
        ] {
            assert!(forms.iter().all(|form| stem(form) == stem(forms[0])), "{forms:?}");
        }
        for (one, other) in [("status", "stat"), ("ring", "r"), ("bus", "bu"), ("need", "ne"), ("ties", "ty")]
        {
            assert_ne!(stem(one), stem(other), "{one}");
        }
        assert_eq!(stem("straßen"), "straßen");
    }

    #[test]
    fn keeps_stop_words_without_other_words() {
        assert!(STOP_WORDS.is_sorted());
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(telling(&words("what is the weather")), ["weather"]);
        assert_eq!(telling(&words("what is")), ["what", "is"]);
    }

    #[test]
    fn finds_common_actions() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(common_actions(&words("please show me the issue")), ["show"]);
        assert!(common_actions(&words("show me")).is_empty());
    }

    #[test]
    fn finds_synonyms_of_any_form() {
        assert_eq!(synonyms(&stem("folders")).collect::<Vec<_>>(), [stem("directory")]);
        assert!(synonyms(&stem("weather")).next().is_none());
    }
}
