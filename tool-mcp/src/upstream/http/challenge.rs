//! The challenge of a server that denies a request.

use axum::http::HeaderMap;
use axum::http::header::WWW_AUTHENTICATE;

/// The maximum number of scopes of a challenge. Further ones are left out.
const MAX_SCOPES: usize = 50;

/// The maximum length of a scope. Longer ones are left out.
const MAX_SCOPE_BYTES: usize = 200;

/// Returns the scopes that a request lacks, separated by spaces, or an empty text if the server does not name them.
/// Returns `None` if it was denied for another reason.
pub(super) fn missing_scopes(headers: &HeaderMap) -> Option<String> {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    let mut denied = challenges
        .filter(|challenge| parameter(challenge, "error").is_some_and(|error| error == "insufficient_scope"));
    Some(required_scopes(denied.next()?).join(" "))
}

/// Returns the scopes that a challenge names.
pub(in crate::upstream) fn required_scopes(challenge: &str) -> Vec<String> {
    let scopes = parameter(challenge, "scope").unwrap_or_default();
    scopes.split(' ').filter(|scope| is_scope(scope)).take(MAX_SCOPES).map(str::to_owned).collect()
}

/// Returns `true` if a text is a scope (RFC 6749, section 3.3), and not too long.
fn is_scope(text: &str) -> bool {
    (1..=MAX_SCOPE_BYTES).contains(&text.len())
        && text.bytes().all(|b| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}

fn parameter(challenge: &str, name: &str) -> Option<String> {
    parameters(challenge).into_iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

/// Returns the parameters of a challenge such as `Bearer error="insufficient_scope", scope="a b"`.
fn parameters(challenge: &str) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    let mut rest = challenge;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit([' ', ',', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        let value;
        (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let end = after.find([',', ' ']).unwrap_or(after.len());
                (after[..end].to_owned(), &after[end..])
            }
        };
        parameters.push((name, value));
    }
    parameters
}

/// Reads a quoted string after its first quote, and returns it with what follows.
fn unquote(text: &str) -> (String, &str) {
    let (mut value, mut characters) = (String::new(), text.char_indices());
    while let Some((position, character)) = characters.next() {
        match character {
            '"' => return (value, &text[position + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(challenges: &[&str]) -> Option<String> {
        let headers = challenges.iter().map(|challenge| (WWW_AUTHENTICATE, challenge.parse().unwrap()));
        missing_scopes(&headers.collect())
    }

    #[test]
    fn reads_the_scopes() {
        for (challenge, expected) in [
            (
                r#"Bearer error="insufficient_scope", scope="notes:read notes:write""#,
                Some("notes:read notes:write"),
            ),
            (r#"Bearer scope=a,error=insufficient_scope"#, Some("a")),
            (r#"bearer realm="a \"scope=x\", b", Error="insufficient_scope", SCOPE="a""#, Some("a")),
            (r#"Bearer error="insufficient_scope""#, Some("")),
            (r#"Bearer error="insufficient_scope", scope="a ` b""#, Some("a ` b")),
            (r#"Bearer error="insufficient_scope", scope="a\\b "c"#, Some("")),
            (r#"Bearer error="invalid_token", scope="a""#, None),
            (r#"Basic realm="x""#, None),
            (r#"Bearer error_description="error=insufficient_scope""#, None),
            ("", None),
        ] {
            assert_eq!(scopes(&[challenge]).as_deref(), expected, "{challenge}");
        }
        let long = format!(
            r#"Bearer error="insufficient_scope", scope="{} {}""#,
            "a".repeat(201),
            "b ".repeat(1_000)
        );
        assert_eq!(scopes(&[&long]).unwrap(), ["b"; MAX_SCOPES].join(" "));
        let second = [r#"Basic realm="x""#, r#"Bearer error="insufficient_scope", scope="b""#];
        assert_eq!(scopes(&second).as_deref(), Some("b"));
    }
}
