//! Suggests similar names.

/// Returns the most similar candidate, if one is similar enough.
///
/// Case and separators are ignored. A third of the letters may differ; swapped neighbors count once.
///
/// ```
/// assert_eq!(tool_core::schema::nearest("Wether", ["weather", "web"]), Some("weather"));
/// assert_eq!(tool_core::schema::nearest("colour", ["weather", "web"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', '.', ' '], "");
    let name = plain(name);
    // A long text is not a misspelled name, and the comparison is quadratic.
    if name.len() > 64 {
        return None;
    }
    let (distance, best) = candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name, &plain(candidate)), candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= name.chars().count().max(2) / 3 || distance == 0).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggests_only_near_names() {
        let names = ["location", "date", "temp_max"];
        assert_eq!(nearest("locaton", names), Some("location"));
        assert_eq!(nearest("Date", names), Some("date"));
        assert_eq!(nearest("tempMax", names), Some("temp_max"));
        assert_eq!(nearest("dtae", names), Some("date"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("x", []), None);
    }
}
