//! Functions of every kind, with other attributes.

use serde_json::json;
use tool_core::tool;

use super::{call, of, wire_names};

/// Is known at compile time.
#[tool(operation = Transform)]
const fn doubled(number: u32) -> u32 {
    2 * number
}

const FOUR: u32 = doubled(2);

/// Is inlined, and its value is used.
#[inline(always)]
#[tool(operation = Transform)]
#[must_use = "it is the point of it"]
#[track_caller]
fn inlined(number: u32) -> u32 {
    number
}

/// Is deprecated, says the attribute above.
#[deprecated(since = "0.1.0", note = "call `new`")]
#[tool(operation = Transform)]
fn old_above(number: u32) -> u32 {
    number
}

/// Is deprecated, says the attribute below.
#[tool(operation = Transform)]
#[deprecated]
async fn old_below(number: u32) -> u32 {
    number
}

#[doc = include_str!("kinds.md")]
#[tool(operation = Explain)]
fn described_elsewhere() {}

/// Some is said here.
///
#[doc = include_str!("kinds.md")]
/// And some after.
#[tool(operation = Explain)]
fn described_here_and_elsewhere(#[doc = include_str!("kinds.md")] _first: Option<u8>) {}

/**
 * A block of stars.
 *
 *     indented
 */
#[tool(operation = Explain)]
fn described_in_a_block(
    /** Short. */
    _first: Option<u8>,
) {
}

/// Is linted as its author likes.
#[tool(operation = Transform)]
#[expect(clippy::needless_pass_by_value, reason = "a tool owns what it is given")]
#[allow(unused_variables, reason = "so does this one")]
fn linted(text: String, unused: Option<u8>) -> usize {
    text.len()
}

/// Waits for others.
#[tool(operation = Transform)]
async fn waits(number: u32) -> u32 {
    let later = tokio::task::spawn(async move { number + 1 });
    later.await.unwrap_or_default()
}

#[test]
fn accepts_every_kind_of_function() {
    let registry = of(module_path!()).build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "described_elsewhere()",
            "described_here_and_elsewhere(_first)",
            "described_in_a_block(_first)",
            "doubled(number)",
            "inlined(number)",
            "linted(text, unused)",
            "old_above(number)",
            "old_below(number)",
            "waits(number)",
        ]
    );
    registry.check().unwrap();
}

#[tokio::test]
#[expect(deprecated, reason = "a deprecated tool is still a function")]
async fn keeps_the_kind_of_a_function() {
    let registry = of(module_path!()).build().unwrap();
    for name in ["inlined", "old_above", "old_below"] {
        assert_eq!(call(&registry, name, json!({"number": 3})), 3, "{name}");
    }
    assert_eq!((inlined(3), old_above(3), old_below(3).await), (3, 3, 3));
    assert_eq!(call(&registry, "doubled", json!({"number": 2})), FOUR);
    assert_eq!(call(&registry, "linted", json!({"text": "abc"})), 3);
    assert_eq!(linted("abc".to_owned(), None), 3);
    let output = registry.call("waits", json!({"number": 3})).await.unwrap();
    assert_eq!((output.value(), waits(3).await), (json!(4), 4));
}

#[test]
fn reads_descriptions_from_files() {
    let registry = of(module_path!()).build().unwrap();
    let description = |name| registry.get(name).unwrap().description();
    assert_eq!(description("described_elsewhere"), "Is described in a file.");
    let both = "described_here_and_elsewhere";
    assert_eq!(description(both), "Some is said here.\n\nIs described in a file.\n\nAnd some after.");
    let input = &registry.get(both).unwrap().inputs()[0];
    assert_eq!(input.description.as_deref(), Some("Is described in a file."));
    assert_eq!(description("described_in_a_block"), "A block of stars.\n\n    indented");
    described_elsewhere();
    described_here_and_elsewhere(None);
    described_in_a_block(None);
}
