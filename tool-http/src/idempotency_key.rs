//! The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).

use axum::http::HeaderMap;

use crate::error::ApiError;

/// The most characters that a key may have.
const MOST: usize = 255;

/// Returns the key of the request, if there is one. The draft makes it a string in quotes; one without quotes is accepted.
///
/// # Errors
///
/// Returns an error if the header is given twice, or is not a key of 1 to 255 printable ASCII characters.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    let key = text.and_then(|text| match text.trim().strip_prefix('"') {
        Some(quoted) => unescape(quoted.strip_suffix('"')?),
        None => Some(text.trim().to_owned()),
    });
    let is_key =
        |key: &String| !key.is_empty() && key.len() <= MOST && key.bytes().all(|b| (0x20..0x7f).contains(&b));
    key.filter(is_key).map(Some).ok_or(ApiError::InvalidIdempotencyKey)
}

/// Removes the backslashes of a quoted string (RFC 9651, section 3.3.3).
fn unescape(text: &str) -> Option<String> {
    let mut key = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => key.push(characters.next().filter(|next| matches!(next, '"' | '\\'))?),
            '"' => return None,
            other => key.push(other),
        }
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn reads_keys() {
        let long = "k".repeat(MOST + 1);
        for (values, expected) in [
            (vec![], Some(None)),
            (vec!["\"order-7\""], Some(Some("order-7"))),
            (vec!["order-7"], Some(Some("order-7"))),
            (vec![r#""a\"b\\c""#], Some(Some(r#"a"b\c"#))),
            (vec![r#""a\b""#], None),
            (vec!["\"open"], None),
            (vec!["\"\""], None),
            (vec![""], None),
            (vec!["a", "b"], None),
            (vec![&long], None),
        ] {
            let headers: HeaderMap = values
                .iter()
                .map(|value| {
                    (HeaderName::from_static("idempotency-key"), HeaderValue::from_str(value).unwrap())
                })
                .collect();
            let key = idempotency_key(&headers).ok();
            assert_eq!(key.as_ref().map(Option::as_deref), expected, "{values:?}");
        }
    }
}
