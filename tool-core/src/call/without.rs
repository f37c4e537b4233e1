//! A JSON text without some of its members, and everything else as it was written: no number changes its digits.

use serde_json::value::RawValue;

use crate::call::members::Members;
use crate::schema::unescaped;

/// The text without the members at these places (JSON Pointers).
pub(super) fn without(text: &str, paths: &[String]) -> String {
    let paths: Vec<Vec<String>> =
        paths.iter().map(|path| path.split('/').skip(1).map(unescaped).collect()).collect();
    let paths: Vec<&[String]> = paths.iter().map(Vec::as_slice).collect();
    rewritten(text, &paths)
}

fn rewritten(text: &str, paths: &[&[String]]) -> String {
    if paths.is_empty() {
        return text.to_owned();
    }
    // Below a member, and without it if it is the one that is meant.
    let below = |name: &str| -> Option<Vec<&[String]>> {
        let inside = paths.iter().filter(|path| path.first().is_some_and(|first| first == name));
        inside.map(|path| (path.len() > 1).then_some(&path[1..])).collect()
    };
    if let Ok(Members(members)) = serde_json::from_str(text) {
        let members = members.iter().filter_map(|(name, value)| {
            Some(format!(
                "{}:{}",
                serde_json::Value::from(name.as_str()),
                rewritten(value.get(), &below(name)?)
            ))
        });
        return format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    }
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let items = items
            .iter()
            .enumerate()
            .map(|(position, item)| rewritten(item.get(), &below(&position.to_string()).unwrap_or_default()));
        return format!("[{}]", items.collect::<Vec<_>>().join(","));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_stays_stays_as_it_was_written() {
        let text = r#"{ "a": 340282366920938463463374607431768211455, "b": null, "c": [{"d/e": null, "f": 1.0}, null] }"#;
        let paths = ["/b".to_owned(), "/c/0/d~1e".to_owned()];
        assert_eq!(
            without(text, &paths),
            r#"{"a":340282366920938463463374607431768211455,"c":[{"f":1.0},null]}"#
        );
    }
}
