//! The media types that tools name for their output.

use axum::http::HeaderValue;

/// The longest media type that is passed on, in bytes.
const MAX_LENGTH: usize = 255;

/// The media type of bytes that browsers only save.
pub(crate) const UNKNOWN: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Media types of documents in which browsers run nothing, beside those of images, audio, video and JSON.
const INERT: [&str; 4] = ["application/pdf", "text/csv", "text/markdown", "text/plain"];

/// Returns the media type that a tool names, or [`UNKNOWN`] if a page of this origin could load such content as a script or a style
/// sheet, or if it is invalid or too long. Parameters that could be taken for another media type are left out.
pub(crate) fn inert(name: &str) -> HeaderValue {
    let (essence, parameters) = name.split_once(';').map_or((name, ""), |(essence, rest)| (essence, rest));
    let essence = essence.trim().to_ascii_lowercase();
    if name.len() > MAX_LENGTH || !is_inert(&essence) {
        return UNKNOWN;
    }
    // A comma would begin a second value of the header, which counts in a browser.
    let is_plain = |c: char| is_token_character(c) || matches!(c, ';' | '=' | ' ');
    let shown = if parameters.chars().all(is_plain) { name } else { &essence };
    HeaderValue::from_str(shown).unwrap_or(UNKNOWN)
}

fn is_inert(essence: &str) -> bool {
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let is_token = |text: &str| !text.is_empty() && text.chars().all(is_token_character);
    let is_media = ["image", "audio", "video"].contains(&kind) && is_token(subtype);
    let is_json =
        kind == "application" && (subtype == "json" || subtype.ends_with("+json")) && is_token(subtype);
    is_media || is_json || INERT.contains(&essence)
}

/// Returns `true` for characters of a token (RFC 9110, section 5.6.2).
fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::inert;

    #[test]
    fn passes_on_only_what_runs_nothing() {
        let longest = format!("image/{}", "x".repeat(249));
        for same in [
            &*longest,
            "image/png",
            "image/svg+xml",
            "audio/ogg; codecs=opus",
            "video/mp4",
            "application/pdf",
            "application/json",
            "application/geo+json",
            "text/plain; charset=utf-8",
            "text/csv",
            "TEXT/Markdown",
        ] {
            assert_eq!(inert(same), same);
        }
        let long = format!("{longest}x");
        for unknown in [
            "application/javascript",
            "text/javascript",
            "TEXT/JavaScript ",
            "text/ecmascript; charset=utf-8",
            "application/xhtml+xml",
            "text/html",
            "text/css",
            "text/xml",
            "application/wasm",
            "application/x+json+javascript",
            "audio/a, text/javascript",
            "audio/",
            "audio",
            "image/p\u{f6}ng",
            "bad\ntype",
            "",
            &long,
        ] {
            assert_eq!(inert(unknown), "application/octet-stream", "{unknown}");
        }
        for (named, shown) in [
            ("audio/ogg; a=b, text/javascript", "audio/ogg"),
            ("video/mp4; codecs=\"avc1, mp4a\"", "video/mp4"),
            ("image/png; a=\u{1}", "image/png"),
        ] {
            assert_eq!(inert(named), shown);
        }
    }
}
