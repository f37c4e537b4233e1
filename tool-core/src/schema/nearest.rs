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
    let most = name.chars().count().max(2) / 3;
    let distance = |candidate: &str| {
        let candidate = plain(candidate);
        // No distance is less than the difference of the lengths.
        let is_near = candidate.chars().count().abs_diff(name.chars().count()) <= most;
        is_near.then(|| strsim::damerau_levenshtein(&name, &candidate)).filter(|distance| *distance <= most)
    };
    let near = candidates.into_iter().filter_map(|candidate| Some((distance(candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
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
        let (long, too_long) = ("x".repeat(64), "x".repeat(65));
        assert_eq!(nearest(&long, [&*format!("{long}y")]), Some(&*format!("{long}y")));
        assert_eq!(nearest(&too_long, [&*too_long]), None);
    }
}
