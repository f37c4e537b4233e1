//! The schema that is published and the decode of a call come to the same verdict, whatever is given.
//!
//! For every tool of the golden files, nested ones, and those with constraints, arguments are made from the schema and
//! spelled in every way that JSON allows; others have something wrong with them, and some are any JSON at all. 2,000 cases
//! run by default. The long run is
//!
//! ```text
//! PROPTEST_CASES=100000 cargo test -p tool-core --test tools agreement
//! ```

mod json;
mod made;
mod spoiled;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::private::block_on;
use tool_core::{Failure, FailureKind, Registry, tool};

use crate::agreement::json::Json;
use crate::builder_of;
use tool_core::Leniency;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Leaf {
    n: i8,
    text: Option<String>,
    either: Either,
    #[serde(default)]
    flag: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(u16),
    Texts(Vec<String>),
    Leaf(Box<Leaf>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tree {
    Leaf(Leaf),
    Branch { left: Box<Tree>, right: Option<Box<Tree>> },
    Forest { trees: BTreeMap<String, Tree>, counts: Option<Vec<Option<u64>>> },
    Nothing,
}

/// Repeats what is nested in what.
#[tool(operation = Transform)]
fn nested(
    tree: Tree,
    leaves: Option<Vec<BTreeMap<String, Leaf>>>,
    pair: Option<(i64, Vec<(bool, f64)>)>,
    maybe: Option<Option<Leaf>>,
) -> Value {
    serde_json::json!([tree, leaves, pair, maybe])
}

/// Has constraints that only a plain value has.
#[tool(operation = Transform)]
fn plain(
    #[arg(range(min = -5, max = 9))] n: i64,
    #[arg(range(max = 255))] wide: Option<u64>,
    #[arg(range(min = 0.5, max = 2.5))] ratio: Option<f64>,
    #[arg(length(min = 1, max = 3))] text: Option<String>,
    #[arg(range(min = 1), default = 3)] count: u8,
) -> String {
    format!("{n} {wide:?} {ratio:?} {text:?} {count}")
}

/// The modules whose tools are tried.
const MODULES: [&str; 3] = ["tools::schemas", "tools::inputs", "tools::agreement"];

/// Where a type takes less than its schema can say: texts in a format, integers beyond 64 bits, integers as names.
const ONLY_THE_TYPE_KNOWS: [&str; 9] = [
    "date",
    "time",
    "date_time",
    "timestamp",
    "integer_i128",
    "integer_u128",
    "map_by_number",
    "secretive",
    "find",
];

struct Subject {
    registry: Registry,
    lenient: Registry,
    name: String,
    schema: Value,
    validator: jsonschema::Validator,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let subjects = MODULES.into_iter().flat_map(|module| {
        let registry = builder_of(module).leniency(Leniency::Strict).build().unwrap();
        let lenient = builder_of(module).build().unwrap();
        let subject = |tool: &tool_core::ToolDefinition| Subject {
            registry: registry.clone(),
            lenient: lenient.clone(),
            name: tool.name().to_owned(),
            schema: tool.input_schema().clone(),
            // As anybody else would check it: with a regular expression engine of another kind, too.
            validator: jsonschema::draft202012::new(tool.input_schema()).unwrap(),
        };
        registry.tools().map(subject).collect::<Vec<_>>()
    });
    subjects.collect()
});

impl Subject {
    /// Whether the schema admits the arguments, with any of their `null`s left out.
    fn admits(&self, arguments: &Json) -> bool {
        !arguments.has_a_member_twice()
            && arguments.without_nulls().iter().any(|arguments| self.validator.is_valid(&arguments.value()))
    }

    /// What is wrong with the arguments as a call tells it, and a check.
    fn verdict(&self, text: &str) -> Result<Value, Failure> {
        let called = block_on(self.registry.invoke(&self.name, text.as_bytes())).result;
        let checked = self.registry.validate(&self.name, text.as_bytes());
        let failure = |failure: &Failure| (failure.kind(), failure.text());
        assert_eq!(
            checked.as_ref().map(|_| ()).map_err(failure),
            called.as_ref().map(|_| ()).map_err(failure),
            "a check and a call of `{}` with {text}",
            self.name
        );
        called.map(|output| output.value())
    }

    fn check(&self, arguments: &Json, made: bool) {
        let Subject { name, .. } = self;
        let text = arguments.to_string();
        let admitted = self.admits(arguments);
        assert!(admitted || !made, "the schema of `{name}` refuses {text}, which was made from it");
        let verdict = self.verdict(&text);
        match &verdict {
            Ok(_) => assert!(admitted, "`{name}` takes {text}, which its schema refuses"),
            Err(failure) if admitted => {
                let only_the_type = ONLY_THE_TYPE_KNOWS.contains(&name.as_str())
                    && failure.problems().iter().all(|problem| problem.keyword == "format");
                assert!(only_the_type && !made, "`{name}` refuses {text}: {}", failure.text());
            }
            Err(failure) => {
                let kinds = [FailureKind::Input, FailureKind::NotJson];
                assert!(kinds.contains(&failure.kind()), "`{name}` with {text}: {failure:?}");
                let count = failure.problems().len();
                assert!((1..=20).contains(&count), "`{name}` has {count} problems with {text}");
            }
        }
        self.check_leniency(&text, &verdict);
    }

    /// A lenient registry takes what a strict one takes, in the same way; and what else it takes, it repairs.
    fn check_leniency(&self, text: &str, strict: &Result<Value, Failure>) {
        let Subject { name, .. } = self;
        let lenient = block_on(self.lenient.invoke(name, text.as_bytes())).result;
        let repairs = self.lenient.validate(name, text.as_bytes()).map(|validation| validation.repairs.len());
        match (strict, &lenient) {
            (Ok(strict), Ok(lenient)) => {
                assert_eq!(strict, &lenient.value(), "`{name}` with {text}");
                assert_eq!(repairs.unwrap(), 0, "`{name}` with {text}");
            }
            (Ok(_), Err(failure)) => panic!("a lenient `{name}` refuses {text}: {}", failure.text()),
            (Err(_), Ok(_)) => assert!(repairs.unwrap() > 0, "a lenient `{name}` takes {text} as it is"),
            (Err(_), Err(_)) => {}
        }
    }
}

fn run<S: Strategy>(strategy: &S, check: impl Fn(S::Value)) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    let config = Config { cases: cases / 2, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(strategy, |value| {
        check(value);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

/// A subject, and arguments made from its schema.
fn made() -> impl Strategy<Value = (usize, Json)> {
    (0..SUBJECTS.len()).prop_flat_map(|subject| (Just(subject), made::from(&SUBJECTS[subject].schema)))
}

#[test]
fn what_the_schema_says_can_be_called() {
    run(&made(), |(subject, arguments)| SUBJECTS[subject].check(&arguments, true));
}

#[test]
fn what_is_spoiled_has_one_verdict() {
    let spoiled = made().prop_flat_map(|(subject, arguments)| (Just(subject), spoiled::from(arguments)));
    run(&spoiled, |(subject, arguments)| SUBJECTS[subject].check(&arguments, false));
}

#[test]
fn nothing_is_tried_in_vain() {
    let names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name.as_str()).collect();
    assert!(names.len() > 50, "{names:?}");
    // Of what is spoiled, a fair share is still valid, and a fair share is not.
    let mut runner = TestRunner::deterministic();
    let spoiled = made().prop_flat_map(|(subject, arguments)| (Just(subject), spoiled::from(arguments)));
    let mut valid = 0;
    for _ in 0..200 {
        let (subject, arguments) =
            proptest::strategy::ValueTree::current(&spoiled.new_tree(&mut runner).unwrap());
        valid += usize::from(SUBJECTS[subject].admits(&arguments));
    }
    assert!((10..190).contains(&valid), "{valid} of 200 are valid");
}
