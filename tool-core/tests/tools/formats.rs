//! Values must match the format in the schema, even if their type parses more.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{CallOptions, FailureKind, tool};

use crate::tools_of;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Born {
    on: Date,
    at: Option<Timestamp>,
}

/// Takes dates wherever an input can have one.
#[tool(operation = Transform)]
fn dates(
    day: Option<Date>,
    days: Option<Vec<Date>>,
    maybe: Option<Option<Date>>,
    born: Option<Born>,
    named: Option<BTreeMap<String, Date>>,
) -> Value {
    json!([day, days, maybe, born, named])
}

/// Takes a point in time and a duration.
#[tool(operation = Transform)]
fn times(moment: Option<Timestamp>, duration: Option<SignedDuration>) -> Value {
    json!([moment, duration])
}

/// A type for each format, which takes any text.
macro_rules! texts {
    ($($name:ident $format:literal)*) => {
        $(
            #[derive(Deserialize, JsonSchema)]
            #[serde(transparent)]
            #[schemars(extend("format" = $format))]
            #[allow(non_camel_case_types, reason = "it is called as the input is")]
            struct $name {
                text: String,
            }
        )*

        /// Takes a text in each format.
        #[tool(operation = Transform)]
        #[allow(clippy::too_many_arguments, reason = "one for each format")]
        fn texts($($name: Option<$name>),*) -> usize {
            [$($name.map_or(0, |it| it.text.len())),*].into_iter().sum()
        }

        /// A tool for each format, with one required input.
        mod required {
            use tool_core::tool;

            $(
                /// Takes a text in the format.
                #[tool(operation = Transform)]
                fn $name(text: super::$name) -> usize {
                    text.text.len()
                }
            )*
        }
    };
}

texts! {
    date "date"
    time "time"
    date_time "date-time"
    duration "duration"
    uuid "uuid"
    uri "uri"
    uri_reference "uri-reference"
    email "email"
    hostname "hostname"
    ipv4 "ipv4"
    ipv6 "ipv6"
    regex "regex"
    json_pointer "json-pointer"
}

/// Valid and invalid texts for each format.
const TEXTS: [(&str, &[&str], &[&str]); 13] = [
    (
        "date",
        &["2014-07-04", "2024-02-29", "0000-01-01", "2014\\u002d07-04"],
        &[
            "20140704",
            "2014-07-04T00:00",
            "2014-07-04T23:30-08:00",
            "+002014-07-04",
            "2014-07-04[Europe/Zurich]",
            "2026-1-1",
            "2023-02-29",
            "2014-13-01",
            " 2014-07-04",
            "",
        ],
    ),
    ("time", &["12:30:00Z", "12:30:00.5+01:00"], &["12:30", "12:30:00", "24:00:00Z", "12:30:00+0100"]),
    (
        "date_time",
        &["2014-07-04T12:30:00Z", "2014-07-04t12:30:00.25z", "2014-07-04T12:30:00-08:00"],
        &[
            "2014-07-04",
            "2014-07-04 12:30:00Z",
            "2014-07-04T12:30:00",
            "2014-07-04T12:30Z",
            "20140704T123000Z",
        ],
    ),
    ("duration", &["PT1H", "P1D", "P1W"], &["1 hour", "PT0.5S", "-PT1H", "P"]),
    (
        "uuid",
        &["67e55044-10b1-426f-9247-bb680e5fe0c8", "67E55044-10B1-426F-9247-BB680E5FE0C8"],
        &[
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67e5504410b1426f9247bb680e5fe0c8",
        ],
    ),
    (
        "uri",
        &["https://example.com/a?b#c", "mailto:a@b.ch", "http://[::1]/%20", "urn:isbn:1"],
        &["example.com", "/a", "http://a b", "https://example.com/\u{e9}", " https://example.com"],
    ),
    ("uri_reference", &["/a", "https://example.com"], &["a b", "http://[::1"]),
    ("email", &["name@example.com"], &["name", "@example.com"]),
    ("hostname", &["example.com"], &["-a", "a b"]),
    ("ipv4", &["192.0.2.1"], &["192.0.2", "192.0.2.256", "192.0.2.01"]),
    ("ipv6", &["2001:db8::1"], &["2001:db8", "[::1]"]),
    ("regex", &["^a+$"], &["("]),
    ("json_pointer", &["/a/b", ""], &["a"]),
];

#[tokio::test]
async fn validates_formats() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    for (name, valid, invalid) in TEXTS {
        let format = name.replace('_', "-");
        for text in valid {
            let call = format!("{{\"{name}\": \"{text}\"}}");
            let result = registry.call_with("texts", call.as_bytes(), &CallOptions::new()).await.result;
            assert!(result.is_ok(), "{call}: {result:?}");
        }
        for text in invalid {
            let failure = registry.call("texts", json!({name: text})).await.unwrap_err();
            let problem = &failure.problems()[0];
            assert_eq!((failure.kind(), problem.keyword.as_str()), (FailureKind::Input, "format"), "{text}");
            let expected = format!("expected a string in the format `{format}`");
            assert!(problem.message.starts_with(&expected), "{}", problem.message);
        }
    }
}

#[tokio::test]
async fn validates_formats_of_required_inputs() {
    let registry = tools_of(concat!(module_path!(), "::required"));
    for (name, valid, invalid) in TEXTS {
        for text in valid {
            let call = format!("{{\"text\": \"{text}\"}}");
            let result = registry.call_with(name, call.as_bytes(), &CallOptions::new()).await.result;
            assert!(result.is_ok(), "{name}: {call}: {result:?}");
        }
        for text in invalid {
            let result = registry.call(name, json!({"text": text})).await;
            let kind = result.map(|_| ()).map_err(|failure| failure.kind());
            assert_eq!(kind, Err(FailureKind::Input), "{name}: {text}");
        }
    }
}

/// Types of jiff and of the standard library, which parse more than their formats.
mod typed {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use jiff::civil::Date;
    use jiff::{SignedDuration, Timestamp};
    use tool_core::tool;

    macro_rules! typed {
        ($($name:ident: $kind:ty;)*) => {
            $(
                /// Takes one.
                #[tool(operation = Transform)]
                fn $name(one: $kind, other: Option<$kind>) {
                    let _ = (one, other);
                }
            )*
        };
    }

    typed! {
        take_date: Date;
        take_timestamp: Timestamp;
        take_duration: SignedDuration;
        take_ipv4: Ipv4Addr;
        take_ipv6: Ipv6Addr;
    }
}

#[tokio::test]
async fn rejects_values_that_only_the_type_parses() {
    let registry = tools_of(concat!(module_path!(), "::typed"));
    let (_, _, dates) = TEXTS[0];
    let names: Vec<&str> = registry.tools().map(tool_core::ToolDefinition::name).collect();
    assert_eq!(names.len(), 5);
    for name in names {
        let example = registry.get(name).unwrap().example()["one"].clone();
        assert!(registry.call(name, json!({"one": example})).await.is_ok(), "{name}");
        for text in dates.iter().filter(|text| !text.is_empty()) {
            for call in [json!({"one": text}), json!({"one": example, "other": text})] {
                let result = registry.call(name, call.clone()).await;
                let kind = result.map(|_| ()).map_err(|failure| failure.kind());
                assert_eq!(kind, Err(FailureKind::Input), "{name}: {call}");
            }
        }
    }
}

#[tokio::test]
async fn validates_dates_at_every_depth() {
    let registry = tools_of(module_path!());
    let (_, valid, invalid) = TEXTS[0];
    let calls = |text: &str| {
        [
            ("/day", json!({"day": text})),
            ("/days/1", json!({"days": ["2014-07-04", text]})),
            ("/maybe", json!({"maybe": text})),
            ("/born/on", json!({"born": {"on": text}})),
            ("/named/a", json!({"named": {"a": text}})),
        ]
    };
    for text in valid.iter().filter(|text| !text.contains('\\')) {
        for (_, call) in calls(text) {
            assert!(registry.call("dates", call.clone()).await.is_ok(), "{call}");
        }
    }
    for text in invalid {
        for (path, call) in calls(text) {
            let failure = registry.call("dates", call.clone()).await.unwrap_err();
            assert_eq!(
                (failure.kind(), failure.problems()[0].path.as_str()),
                (FailureKind::Input, path),
                "{call}"
            );
        }
    }
}

#[tokio::test]
async fn explains_invalid_dates() {
    let registry = tools_of(module_path!());
    let message = |text: &'static str| {
        let registry = registry.clone();
        async move {
            registry.call("dates", json!({"day": text})).await.unwrap_err().problems()[0].message.clone()
        }
    };
    let expected = "expected a string in the format `date`, such as `2024-01-31`, got the string";
    assert_eq!(message("20140704").await, format!("{expected} `20140704`"));
    assert_eq!(message("2014-02-30").await, format!("{expected} `2014-02-30`: there is no such day"));
}

#[tokio::test]
async fn serializes_durations_like_their_type() {
    let registry = tools_of(module_path!());
    assert_eq!(
        registry
            .call("times", json!({"moment": "2014-07-04T12:30:00+02:00", "duration": "PT90M"}))
            .await
            .unwrap()
            .value(),
        json!(["2014-07-04T10:30:00Z", "PT1H30M"])
    );
    for (name, text) in [("moment", "2014-07-04 12:30Z"), ("duration", "-PT1H"), ("duration", "1h")] {
        assert!(registry.call("times", json!({name: text})).await.is_err(), "{text}");
    }
}
