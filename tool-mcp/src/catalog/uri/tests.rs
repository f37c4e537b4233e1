use proptest::prelude::*;

use super::*;

fn pattern(template: &str) -> Pattern {
    Pattern::parse(template).unwrap()
}

/// The values of the variables in a URI, or `None` if the template does not match.
fn matched(template: &str, uri: &str) -> Option<Result<Vec<String>, String>> {
    let pattern = pattern(template);
    let location = Location::parse(uri).filter(|location| pattern.matches(location))?;
    let values = pattern.values(&location).map_err(|bad| bad.to_string());
    Some(values.map(|values| values.into_iter().map(|(_, value)| value).collect()))
}

#[test]
fn renders_valid_uri_templates() {
    for (template, text) in [
        ("weather://get_weather/{location}/{date}", "weather://get_weather/{location}/{date}"),
        ("A+b.C://x", "a+b.c://x"),
        ("a://Tōkyō/a:b@c", "a://T%C5%8Dky%C5%8D/a%3Ab%40c"),
        ("a://x/{first-name}", "a://x/{first%2Dname}"),
        ("a://x/{v.1}", "a://x/{v%2E1}"),
    ] {
        assert_eq!(pattern(template).as_str(), text);
        assert!(UriTemplateStr::new(text).is_ok(), "{text}");
    }
    assert_eq!(pattern("a://x/{v.1}").variable("v%2E1"), Some("v.1"));
    assert_eq!(pattern("a://x/{v.1}").variable("v.1"), Some("v.1"));
}

#[test]
fn rejects_invalid_templates() {
    for (template, fault) in [
        ("x", PatternFault::NoScheme),
        ("1a://x", PatternFault::NoScheme),
        ("a://", PatternFault::Empty),
        ("a://x/", PatternFault::Empty),
        ("a://x{v}", PatternFault::Braces("x{v}".to_owned())),
        ("a://{+v}x", PatternFault::Braces("{+v}x".to_owned())),
        ("a://{v}/{v}", PatternFault::Twice("{v}".to_owned())),
        ("a://x?y", PatternFault::Segment("x?y".to_owned())),
        ("a://..", PatternFault::Segment("..".to_owned())),
        ("a://%20", PatternFault::Segment("%20".to_owned())),
    ] {
        assert_eq!(Pattern::parse(template), Err(fault), "{template}");
    }
}

#[test]
fn decodes_each_segment_once() {
    let template = "a://x/{v}/{w}";
    let values = |uri| matched(template, uri).unwrap();
    let two = |v: &str, w: &str| Ok(vec![v.to_owned(), w.to_owned()]);
    assert_eq!(values("a://x/1/2"), two("1", "2"));
    assert_eq!(values("A://x/S%C3%A3o%20Paulo/%2525"), two("São Paulo", "%25"));
    assert_eq!(values("a://x//"), two("", ""));
    assert_eq!(values("a://x/a+b/a&b=c"), two("a+b", "a&b=c"));
    for uri in ["a://x/1", "a://x/1/2/3", "a://y/1/2", "b://x/1/2", "a:x/1/2", "a://x/1/2?q", "a://x/1/2#f"] {
        assert_eq!(matched(template, uri), None, "{uri}");
    }
}

#[test]
fn rejects_unsafe_values_by_variable() {
    for (segment, fault) in [
        ("%", "has a `%` that two hexadecimal digits do not follow"),
        ("%4", "has a `%` that two hexadecimal digits do not follow"),
        ("%+4", "has a `%` that two hexadecimal digits do not follow"),
        ("%zz", "has a `%` that two hexadecimal digits do not follow"),
        ("%ff", "is not UTF-8 once it is decoded"),
        ("%C3", "is not UTF-8 once it is decoded"),
        ("a%00b", "contains NUL"),
        ("a%2Fb", "contains a `/` or a `\\`"),
        ("a%5cb", "contains a `/` or a `\\`"),
        ("a\\b", "contains a `/` or a `\\`"),
        ("..", "must not be `.` or `..`"),
        ("%2e%2E", "must not be `.` or `..`"),
        ("%2e", "must not be `.` or `..`"),
    ] {
        let rejected = matched("a://x/{v}", &format!("a://x/{segment}")).unwrap();
        assert_eq!(rejected, Err(format!("the value of `v` {fault}")), "{segment}");
    }
    assert_eq!(matched("a://x/{v}", "a://x/%252e%252e"), Some(Ok(vec!["%2e%2e".to_owned()])));
    assert_eq!(matched("a://x/{v}", "a://x/1..2"), Some(Ok(vec!["1..2".to_owned()])));
}

/// Texts of values that a locator may have: strings, integers, dates, UUIDs and enum variants.
fn values() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,12}",
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i128>().prop_map(|n| n.to_string()),
        (0u16..4000, 1u8..13, 1u8..29)
            .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
        any::<u128>().prop_map(|bits| {
            let hex = format!("{bits:032x}");
            format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        }),
        prop_oneof![Just("Seattle"), Just("New York"), Just("São Paulo"), Just("a%2Fb"), Just("{x}")]
            .prop_map(str::to_owned),
    ]
}

proptest! {
    /// Every value without a URI is unsafe.
    #[test]
    fn round_trips_values(v in values(), w in values()) {
        let template = "test://get/{v}/by/{w}";
        let value = |name: &str| Some(if name == "v" { v.clone() } else { w.clone() });
        match pattern(template).expand(&value) {
            Some(uri) => {
                prop_assert!(uri.is_ascii(), "{uri}");
                prop_assert_eq!(matched(template, &uri), Some(Ok(vec![v, w])));
            }
            None => {
                let is_unsafe = |value: &str| value.contains(['/', '\\', '\0']) || value == "." || value == "..";
                prop_assert!(is_unsafe(&v) || is_unsafe(&w));
            }
        }
    }

    #[test]
    fn parses_any_text_without_panic(uri in any::<String>(), rest in any::<String>()) {
        let _ = matched("a://{v}/{w}", &uri);
        let _ = matched("a://{v}/{w}", &format!("a://{rest}"));
    }
}
