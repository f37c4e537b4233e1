//! The token of a request.

use http::header::AUTHORIZATION;
use http::request::Parts;

use crate::refusal::Refusal;

/// The longest token.
const LONGEST: usize = 8 * 1024;

/// Returns the token of a request, which must be in the one `Authorization` header (RFC 6750, section 2.1).
pub(crate) fn bearer_token(head: &Parts) -> Result<&str, Refusal> {
    if has_token_in_query(head.uri.query().unwrap_or_default()) {
        return Err(Refusal::Request("the query has an `access_token`"));
    }
    let mut values = head.headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(Refusal::Missing)?;
    if values.next().is_some() {
        return Err(Refusal::Request("there are several `Authorization` headers"));
    }
    let value = value.to_str().map_err(|_| Refusal::Request("the `Authorization` header is not ASCII"))?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        // Another scheme is no token (RFC 6750, section 3.1).
        return Err(Refusal::Missing);
    }
    let token = token.trim_matches(' ');
    if token.len() > LONGEST {
        return Err(Refusal::Token("the token is longer than 8 KiB"));
    }
    if !is_token(token) {
        return Err(Refusal::Token("the token is empty, or has characters that no token has"));
    }
    Ok(token)
}

fn has_token_in_query(query: &str) -> bool {
    form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "access_token")
}

/// Returns `true` for a `b64token` of RFC 6750, section 2.1.
fn is_token(text: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let token = text.trim_end_matches('=');
    !token.is_empty() && token.bytes().all(sound)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::bearer_token;
    use crate::refusal::Refusal;

    fn token_of(uri: &str, headers: &[&str]) -> Result<String, Refusal> {
        let request = headers.iter().fold(Request::get(uri), |it, value| it.header("authorization", *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        bearer_token(&head).map(str::to_owned)
    }

    #[test]
    fn reads_the_token_of_one_header() {
        for header in ["Bearer a.b-c", "bearer a.b-c", "BEARER   a.b-c "] {
            assert_eq!(token_of("/mcp?q=access_token", &[header]), Ok("a.b-c".to_owned()), "{header}");
        }
        let longest = format!("Bearer {}", "a".repeat(8192));
        assert!(token_of("/", &[&longest]).is_ok());
    }

    #[test]
    fn refuses_everything_else() {
        let too_long = format!("Bearer {}", "a".repeat(8193));
        for (uri, headers) in [
            ("/", &["Bearer a", "Bearer a"][..]),
            ("/", &["Bearer a", "Basic YTpi"]),
            ("/?access_token=a", &[]),
            ("/?x=1&access%5Ftoken=a", &["Bearer a"]),
        ] {
            assert!(matches!(token_of(uri, headers), Err(Refusal::Request(_))), "{uri} {headers:?}");
        }
        for header in ["Bearer", "Bearer ", "Bearer =", "Bearer a b", "Bearer a,b", &too_long] {
            assert!(matches!(token_of("/", &[header]), Err(Refusal::Token(_))), "{header}");
        }
        for headers in [&[][..], &["Basic YTpi"], &["Bearer\ta"]] {
            assert_eq!(token_of("/", headers), Err(Refusal::Missing), "{headers:?}");
        }
    }
}
