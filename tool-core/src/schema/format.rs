//! Formats of texts: samples, and checks of JSON text before decoding.
//!
//! Types accept more than the format of their schema: jiff and chrono more than RFC 3339, uuid and url more than RFCs
//! 9562 and 3986. Only the published format is accepted.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Returns a sample text in a format of JSON Schema 2020-12 (Validation, section 7.3).
pub(super) fn sample(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "2024-01-31T12:00:00Z",
        "date" => "2024-01-31",
        "time" => "12:00:00Z",
        "duration" => "PT1H",
        "email" | "idn-email" => "name@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" | "uri-reference" | "iri-reference" => "https://example.com/",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "json-pointer" => "/a",
        "relative-json-pointer" => "0",
        _ => return None,
    })
}

/// A format with a fast check for common texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Date,
    Time,
    DateTime,
    Uuid,
    Uri,
    Ipv4,
    Ipv6,
}

impl Format {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "date" => Format::Date,
            "time" => Format::Time,
            "date-time" => Format::DateTime,
            "uuid" => Format::Uuid,
            "uri" => Format::Uri,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            _ => return None,
        })
    }

    /// Returns `true` if a text certainly matches this format. The validator decides about others.
    pub(super) fn admits(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        match self {
            Format::Date => is_date(bytes),
            Format::Time => is_time(bytes),
            Format::DateTime => {
                bytes.split_at_checked(10).is_some_and(|(date, time)| match time.split_first() {
                    Some((b'T', time)) => is_date(date) && is_time(time),
                    _ => false,
                })
            }
            Format::Uuid => is_uuid(bytes),
            Format::Uri => is_plain_uri(text),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        }
    }
}

/// Returns `true` if a text has the shape of a `full-date`, even if the day does not exist.
pub(super) fn looks_like_a_date(text: &str) -> bool {
    let is_in_place =
        |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_in_place)
}

/// Returns `true` for a `full-date` of RFC 3339, section 5.6.
fn is_date(text: &[u8]) -> bool {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = text else { return false };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (number(a, b), number(c, d), number(e, f), number(g, h))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year != 0 || century % 4 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Returns `true` for a `full-time` of RFC 3339 without a leap second.
fn is_time(text: &[u8]) -> bool {
    let Some((&[a, b, b':', c, d, b':', e, f], rest)) = text.split_first_chunk() else { return false };
    let is_within = |number: Option<u8>, most| number.is_some_and(|number| number <= most);
    let rest = match rest.split_first() {
        Some((b'.', fraction)) => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        _ => rest,
    };
    let is_offset = match *rest {
        [b'Z'] => true,
        [b'+' | b'-', a, b, b':', c, d] => is_within(number(a, b), 23) && is_within(number(c, d), 59),
        _ => false,
    };
    is_offset && is_within(number(a, b), 23) && is_within(number(c, d), 59) && is_within(number(e, f), 59)
}

fn number(tens: u8, ones: u8) -> Option<u8> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
}

/// Returns `true` for the text form of RFC 9562, section 4.
fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns `true` for an absolute URI of RFC 3986 with a host name and without escapes, as most are.
fn is_plain_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_plain =
        |text: &str| text.bytes().all(|byte| is_unreserved(byte) || b"!$&'()*+,;=:@/?".contains(&byte));
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && host.bytes().all(is_unreserved)
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && is_plain(rest)
        && is_plain(fragment)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{Format, sample};
    use crate::schema::validator::Validator;

    const NAMES: [&str; 7] = ["date", "time", "date-time", "uuid", "uri", "ipv4", "ipv6"];

    fn is_in_format(name: &str, text: &str) -> bool {
        Validator::new(&json!({"format": name})).unwrap().is_valid(&text.into())
    }

    /// Generates texts that match a format, or nearly do.
    fn texts() -> impl Strategy<Value = String> {
        let date = "[0-9]{3,4}-[01][0-9]-[0-3][0-9]";
        let time = "[012][0-9]:[0-6][0-9](:[0-6][0-9])?(\\.[0-9]{0,10})?([Zz]|[+-][012][0-9]:?[0-6][0-9])?";
        prop_oneof![
            date,
            time,
            (date, "[Tt ]", time).prop_map(|(date, t, time)| [date, t, time].concat()),
            "[{]?[0-9a-fA-F]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-[0-9a-g]{4}-[0-9A-F]{12}[}]?",
            "[a-z1+]{0,3}:(//)?[a-z%@.\\[:]{0,4}(:[0-9a]{0,3})?(/[a-z\"|/%]{0,4}){0,2}([?][a-z#^]{0,3})?(#[a-z#]{0,3})?",
            "[0-9]{1,3}(\\.[0-9]{1,3}){2,4}",
            "([0-9a-f]{0,5}:){1,8}[0-9a-f.]{0,4}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn certain_values_match_the_format(text in texts()) {
            for name in NAMES {
                let is_certain = Format::named(name).unwrap().admits(&text);
                prop_assert!(!is_certain || is_in_format(name, &text), "{} is no {}", text, name);
            }
        }
    }

    #[test]
    fn common_values_are_certain() {
        for name in NAMES {
            assert!(Format::named(name).unwrap().admits(sample(name).unwrap()), "{name}");
        }
        for (name, text) in [
            ("date", "2024-02-29"),
            ("date", "2000-02-29"),
            ("date-time", "2014-07-04T23:30:00.123456789-08:00"),
            ("uri", "https://example.com:8080/a/b?c=d&e=[f]".trim_end_matches("[f]")),
            ("uri", "file:///etc/hosts#top"),
        ] {
            assert!(Format::named(name).unwrap().admits(text), "{text}");
        }
    }

    #[test]
    fn values_that_break_the_format_are_not_certain() {
        let not_a_uuid = "x".repeat(36);
        for (name, text) in [
            ("date", "1900-02-29"),
            ("date", "2023-02-29"),
            ("date", "2024-02-30"),
            ("date", "2024-04-31"),
            ("date", "2024-01-32"),
            ("date", "2024-01-00"),
            ("date", "2024-13-01"),
            ("date", "2024-0:-01"),
            ("time", "24:00:00Z"),
            ("time", "12:60:00Z"),
            ("time", "12:00:61Z"),
            ("time", "12:00:00.Z"),
            ("time", "12:00:00+24:00"),
            ("time", "12:00:00+00:60"),
            ("date-time", "2024-02-30T12:00:00Z"),
            ("date-time", "2024-01-31T12:00:00"),
            ("uuid", "123e4567-e89b-12d3-a456-42661417400"),
            ("uuid", &not_a_uuid),
            ("uri", "1://example.com/"),
            ("uri", "http://exa mple.com/"),
            ("uri", "http://example.com:8o/"),
            ("uri", "http://example.com/a b"),
            ("uri", "http://example.com/#a b"),
            ("ipv4", "192.0.2.256"),
            ("ipv6", "2001:db8:::1"),
        ] {
            assert!(!Format::named(name).unwrap().admits(text), "{text} is certainly a {name}");
            assert!(!is_in_format(name, text), "{text} is a {name}");
        }
    }

    #[test]
    fn samples_match_their_format() {
        assert_eq!(sample("hostname"), Some("example.com"));
        for format in crate::schema::normal::STANDARD_FORMATS {
            let text = sample(format).unwrap_or("text");
            assert!(is_in_format(format, text), "{text} is no {format}");
        }
    }
}
