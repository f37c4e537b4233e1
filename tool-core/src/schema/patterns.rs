//! Patterns that mean something else in ECMA-262 than in Rust, and portable versions of those of `schemars`.

use serde_json::Value;

use crate::schema::defaults::{each, named};
use crate::schema::portable::{Fault, portable};

/// Returns the patterns outside of the common subset of ECMA-262 and Rust, with path and reason.
pub(crate) fn refused(root: &Value) -> Vec<(String, String)> {
    let mut refused = Vec::new();
    each(root, &mut String::new(), &mut |path, schema| {
        let own = schema.get("pattern").and_then(Value::as_str);
        let names = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        for pattern in own.into_iter().chain(names.map(|(pattern, _)| pattern.as_str())) {
            if let Err(Fault { fact, help }) = portable(pattern) {
                refused.push((named(path), format!("{fact}: {help}")));
            }
        }
    });
    refused
}

/// The patterns of `schemars` types: decimals for input and output, and versions.
const OF_SCHEMARS: [&str; 3] = [
    r"^-?\d+(\.\d+)?([eE]\d+)?$",
    r"^-?\d+(\.\d+)?$",
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$",
];

/// Returns the portable version of a pattern of `schemars`.
pub(super) fn of_schemars(pattern: &str) -> Option<String> {
    if OF_SCHEMARS.contains(&pattern) { Some(pattern.replace(r"\d", "[0-9]")) } else { unescaped(pattern) }
}

/// Removes escapes that ECMA-262 does not have from `#[schemars(contains(pattern = "…"))]`; `None` for other patterns.
fn unescaped(pattern: &str) -> Option<String> {
    let mut portable = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                c @ ('#' | '&' | '-' | '~') => portable.push(c),
                c if r"\.+*?()|[]{}^$".contains(c) => portable.extend(['\\', c]),
                _ => return None,
            },
            c if r".+*?()|[]{}^$".contains(c) => return None,
            c => portable.push(c),
        }
    }
    Some(portable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_only_literal_texts_portable() {
        for (pattern, portable) in [
            ("ab", Some("ab")),
            (r"a\-b\#\&\~", Some("a-b#&~")),
            (r"a\.b\\\$", Some(r"a\.b\\\$")),
            // Whoever wrote these means a pattern.
            (r"a.\-", None),
            (r"\w\-", None),
            (r"[a\-z]", None),
            ("a\\", None),
        ] {
            assert_eq!(of_schemars(pattern).as_deref(), portable, "{pattern}");
        }
    }
}
