//! Stored outcomes read back as the same.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::TaskOutcome;
use crate::model::call_id::CallId;
use crate::model::content::Content;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;
use crate::schema::problem::Problem;

fn content() -> impl Strategy<Value = Content> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..6);
    let link = (".*", ".*", any::<Option<String>>(), any::<Option<String>>());
    prop_oneof![
        ".*".prop_map(Content::text),
        (bytes(), "[a-z/]*").prop_map(|(data, mime)| Content::image(data, mime)),
        (bytes(), "[a-z/]*").prop_map(|(data, mime)| Content::audio(data, mime)),
        link.prop_map(|(uri, name, description, mime_type)| Content::ResourceLink {
            uri,
            name,
            description,
            mime_type
        }),
        (".*", "[a-z/]*", ".*").prop_map(|(uri, mime, text)| Content::resource(uri, mime, text)),
        (".*", "[a-z/]*", bytes()).prop_map(|(uri, mime, blob)| Content::resource(uri, mime, blob)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(".*", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

fn output() -> impl Strategy<Value = Output> {
    let blocks = || proptest::collection::vec(content(), 0..4);
    let json = value().prop_map(|value| Output::json(&value).unwrap());
    let output = prop_oneof![
        Just(Output::empty()),
        ".*".prop_map(Output::text),
        blocks().prop_map(Output::from_content),
        json
    ];
    let meta = proptest::option::of(value());
    (output, proptest::option::of(blocks()), meta).prop_map(|(output, blocks, meta)| {
        let output = match blocks {
            Some(blocks) => output.with_content(blocks),
            None => output,
        };
        match meta {
            Some(value) => output.with_meta("com.example/value", value).unwrap(),
            None => output,
        }
    })
}

fn failure() -> impl Strategy<Value = Failure> {
    let kind = proptest::sample::select(&FailureKind::ALL[..]);
    let plain = (kind, ".*").prop_map(|(kind, message)| Failure::new(kind, message));
    let problem = (".*", ".*").prop_map(|(path, message)| Problem::new(path, "type", message));
    let problems = proptest::collection::vec(problem, 0..3);
    let example = proptest::option::of(value().prop_filter("none", |value| !value.is_null()));
    let invalid = (".*", problems, example)
        .prop_map(|(tool, problems, example)| Failure::input(&tool, problems, example));
    let wait = proptest::option::of(0..100_000_u64);
    (prop_oneof![plain, invalid], any::<bool>(), wait).prop_map(|(failure, retryable, wait)| {
        let failure = match wait {
            Some(wait) => failure.with_retry_after(Duration::from_millis(wait)),
            None => failure,
        };
        failure.with_retryable(retryable)
    })
}

fn stored(outcome: &TaskOutcome) -> (String, TaskOutcome) {
    let text = serde_json::to_string(outcome).unwrap();
    let read = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (text, read)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn an_output_reads_back_as_the_same(output in output()) {
        let outcome = TaskOutcome::new(CallId::new(), Ok(output.clone()));
        let (text, read) = stored(&outcome);
        let result = read.result().unwrap();
        prop_assert_eq!(result.structured_text(), output.structured_text());
        prop_assert_eq!(result.content(), output.content());
        prop_assert_eq!(result.value(), output.value());
        prop_assert_eq!(result.meta(), output.meta());
        prop_assert_eq!(result.size(), output.size());
        prop_assert_eq!((read.call_id(), read.state()), (outcome.call_id(), outcome.state()));
        prop_assert_eq!(stored(&read).0, text);
    }

    #[test]
    fn a_failure_reads_back_as_the_same(failure in failure()) {
        let outcome = TaskOutcome::new(CallId::new(), Err(failure.clone()));
        let (_, read) = stored(&outcome);
        prop_assert_eq!(read.result().unwrap_err(), &failure);
        prop_assert_eq!(read.state(), outcome.state());
    }

    #[test]
    fn content_reads_what_it_writes(content in content()) {
        let text = serde_json::to_string(&content).unwrap();
        let read: Content = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert_eq!(read, content);
    }
}

#[test]
fn a_resource_has_one_body() {
    for resource in [json!({}), json!({"text": "a", "blob": "AA=="}), json!({"blob": "%"})] {
        let mut content = json!({"type": "resource", "resource": resource});
        content["resource"]["uri"] = json!("a:b");
        content["resource"]["mimeType"] = json!("text/plain");
        assert!(serde_json::from_value::<Content>(content.clone()).is_err(), "{content}");
    }
}

#[test]
fn a_kind_of_a_later_version_is_internal() {
    let failure = json!({"message": "no", "kind": "Later", "retryable": false});
    let stored = json!({"callId": CallId::new().to_string(), "failure": failure});
    let read: TaskOutcome = serde_json::from_value(stored).unwrap();
    assert_eq!(read.result().unwrap_err().kind(), FailureKind::Internal);
}
