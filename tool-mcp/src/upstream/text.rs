//! Truncation of texts that a server chooses.

/// Returns the first `max_chars` characters of `text`.
pub(super) fn truncate(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}
