//! Finds the end of strings in a JSON text.

use memchr::memchr2;

/// Returns the position after the string whose contents start here.
#[inline(never)]
pub(crate) fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(rest) = bytes.get(at..)
        && let Some(found) = quote_or_escape(rest)
    {
        at += found + 1;
        if rest[found] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// Finds the next quote or escape.
///
/// The first call of `memchr2` detects CPU features, which takes as long as parsing a command line. Most strings are
/// short, and do not need it.
#[inline]
fn quote_or_escape(rest: &[u8]) -> Option<usize> {
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\');
    let (near, far) = rest.split_at(rest.len().min(NEAR));
    near.iter().position(ends).or_else(|| Some(NEAR + memchr2(b'"', b'\\', far)?))
}

/// The number of bytes to search without `memchr2`.
const NEAR: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_end_of_strings_of_any_length() {
        for length in (0..3 * NEAR).chain([1000]) {
            let plain = "x".repeat(length);
            for (inside, ends) in
                [(plain.clone(), true), (format!("{plain}\\\"{plain}"), true), (plain, false)]
            {
                let text = format!("{inside}{}", if ends { "\" ," } else { "" });
                let end = if ends { inside.len() + 1 } else { text.len() };
                assert_eq!(end_of_string(text.as_bytes(), 0), end, "{text}");
            }
        }
    }
}
