//! Splitting texts and names into words.

/// The most words of a text; the rest is ignored.
const MOST_WORDS: usize = 10_000;

/// Returns the words of a text in lower case: runs of letters and digits, also split within `camelCase` (`parseHTTPBody` has
/// three).
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, &mut String::new(), |word| words.push(word.to_owned()));
    words
}

/// Visits the same words one after the other, in the buffer `word`.
pub(super) fn each_word(text: &str, word: &mut String, mut visit: impl FnMut(&str)) {
    let mut count = 0;
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let mut start = 0;
        let breaks = run.char_indices().skip(1).map(|(at, _)| at).filter(|at| begins_word(run, *at));
        for end in breaks.chain([run.len()]) {
            word.clear();
            if run[start..end].is_ascii() {
                word.push_str(&run[start..end]);
                word.make_ascii_lowercase();
            } else {
                word.push_str(&run[start..end].to_lowercase());
            }
            visit(word);
            start = end;
            count += 1;
        }
        if count >= MOST_WORDS {
            break;
        }
    }
}

/// Returns `true` if a new word begins within a run of letters: at an upper-case letter after a lower-case one, and at the last
/// of several upper-case letters before a lower-case one.
fn begins_word(run: &str, at: usize) -> bool {
    // The common case.
    if !run[at..].starts_with(char::is_uppercase) {
        return false;
    }
    let before = run[..at].chars().next_back();
    let mut from = run[at..].chars();
    let (Some(before), Some(here)) = (before, from.next()) else { return false };
    let small_follows = from.next().is_some_and(char::is_lowercase);
    here.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && small_follows)
}

#[cfg(test)]
mod tests {
    use super::{MOST_WORDS, words};

    #[test]
    fn splits_names_and_texts_into_words() {
        let cases: [(&str, &[&str]); 8] = [
            ("get_weather", &["get", "weather"]),
            ("list-all.days", &["list", "all", "days"]),
            ("getWeather", &["get", "weather"]),
            ("parseHTTPBody", &["parse", "http", "body"]),
            ("IDs of ipv4, 2014!", &["i", "ds", "of", "ipv4", "2014"]),
            ("Wie groß ist ÖSTERREICH?", &["wie", "groß", "ist", "österreich"]),
            ("", &[]),
            (" .-_ ", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn limits_the_number_of_words() {
        let text = format!("{}{}", "word ".repeat(MOST_WORDS), "last ".repeat(10));
        let found = words(&text);
        assert_eq!((found.len(), found.contains(&"last".to_owned())), (MOST_WORDS, false));
    }
}
