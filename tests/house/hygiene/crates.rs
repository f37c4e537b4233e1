//! The crates under `tests/hygiene`, which test manifests and lints. The lints of clippy run with those of the workspace.

use std::future::Future;

use serde_json::json;
use tool_core::{Principal, State};

use super::{call, error_message, of, wire_names};

fn block_on<F: Future>(future: F) -> F::Output {
    tool_core::private::block_on(future)
}

#[test]
fn supports_renamed_tool_core() {
    let registry = of("hygiene_renamed").state(7_u32).state(hygiene_renamed::Step(2)).build().unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "handed_on(number)",
            "handed_on_by_a_glob(number)",
            "imported(number)",
            "named_from_below(number)",
            "renamed_from_the_root(text)",
            "renamed_in_the_manifest(number, step)",
            "renamed_with_options(number)",
            "step_handed_on(number)",
            "step_in_the_manifest(number)",
        ]
    );
    registry.check().unwrap();
    assert_eq!(call(&registry, "renamed_in_the_manifest", json!({"number": 1})), 2);
    assert_eq!(hygiene_renamed::renamed_in_the_manifest(1, 1), 2);
    assert_eq!(call(&registry, "renamed_from_the_root", json!({"text": "a"})), "a 7");
    let plain = hygiene_renamed::renamed_from_the_root(State::new(7), Some("a".to_owned()));
    assert_eq!(block_on(plain), Ok("a 7".to_owned()));
    assert_eq!(call(&registry, "step_in_the_manifest", json!({"number": 1})), 3);
    assert_eq!(call(&registry, "step_handed_on", json!({"number": 1})), -1);
    let ada = registry.as_principal(Principal::new("ada").grant("a").grant("b"));
    assert_eq!(call(&ada, "not_renamed", json!({"number": 9})), 9);
    let reason = error_message(&ada, "not_renamed", json!({"number": -1}));
    assert_eq!(reason, "too little");
    for (name, function, expected) in [
        ("handed_on", hygiene_renamed::handed_on as fn(i64) -> i64, -6),
        ("handed_on_by_a_glob", hygiene_renamed::handed_on_by_a_glob, 36),
        ("imported", hygiene_renamed::imported, 3),
        ("named_from_below", hygiene_renamed::relative::named_from_below, 18),
    ] {
        assert_eq!(call(&registry, name, json!({"number": 6})), expected, "{name}");
        assert_eq!(function(6), expected, "{name}");
    }
}

#[test]
#[expect(deprecated, reason = "a deprecated tool is still a function")]
fn compiles_under_strict_lints() {
    let registry = of("hygiene_strict")
        .state("state".to_owned())
        .state(hygiene_strict::SHOP)
        .state(hygiene_strict::stock())
        .build()
        .unwrap();
    assert_eq!(
        wire_names(&registry),
        [
            "strict.everything(text, count)",
            "strict_add(first, second)",
            "strict_addressed(text)",
            "strict_caller(greeting)",
            "strict_custom_schema(anything)",
            "strict_deprecated(number)",
            "strict_few(number)",
            "strict_inner()",
            "strict_length(text, words, other)",
            "strict_limited(number, share, token, part)",
            "strict_nothing(_unused)",
            "strict_number(more)",
            "strict_private()",
            "strict_shared()",
            "strict_wait(text)",
        ]
    );
    registry.check().unwrap();
    assert_eq!(call(&registry, "strict_add", json!({"first": 1})), 6);
    assert_eq!(hygiene_strict::strict_add(1, 5), 6);
    assert_eq!(call(&registry, "strict_length", json!({"text": "abc", "words": ["d"]})), 4);
    assert_eq!(hygiene_strict::strict_length("abc".to_owned(), vec!["d".to_owned()], None), 4);
    let everything = call(&registry, "strict.everything", json!({"text": "a"}));
    assert_eq!(everything, "state a 4 strict.everything");
    assert_eq!(call(&registry, "strict_nothing", json!({"_unused": true})), json!(null));
    hygiene_strict::strict_nothing(true);
    assert_eq!(call(&registry, "strict_deprecated", json!({"number": 1})), 1);
    assert_eq!(hygiene_strict::strict_deprecated(1), 1);
    let ada = registry.as_principal(Principal::new("ada").grant("strict.read").grant("b"));
    assert_eq!(call(&ada, "strict_old", json!({"text": "a"})), "state a");
    let reason = error_message(&ada, "strict_addressed", json!({"text": "no"}));
    assert_eq!(reason, "state says no");
    assert_eq!(call(&ada, "strict_limited", json!({"number": -1, "token": "t", "part": 2})), 3.0);
    assert_eq!(call(&ada, "strict_custom_schema", json!({"anything": 1})), "1");
    assert_eq!(call(&registry, "strict_private", json!({})), "private");
    assert_eq!(call(&registry, "strict_inner", json!({})), true);
    assert_eq!(call(&registry, "strict_number", json!({})), 5);
    assert_eq!(hygiene_strict::SHOP.strict_number(1), 3);
    assert_eq!(call(&registry, "strict_few", json!({"number": 2})), 6);
    assert_eq!(call(&registry, "strict_shared", json!({})), 2);
    assert_eq!(call(&registry, "strict_wait", json!({"text": "a"})), "strict_wait 2 a");
}
