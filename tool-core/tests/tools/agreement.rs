//! The published schema and the decoder of a call accept the same arguments.
//!
//! For every tool of the golden files, nested ones, and those with constraints, arguments are generated from
//! the schema and spelled in every way that JSON allows; others are mutated, and some are arbitrary JSON.
//! 2,000 cases run by default. The long run is
//!
//! ```text
//! PROPTEST_CASES=100000 cargo test -p tool-core --test tools agreement
//! ```

pub(crate) mod generate;
mod json;
pub(crate) mod mutate;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::private::block_on;
use tool_core::schema::Leniency;
use tool_core::{CallOptions, Failure, FailureKind, Registry, tool};

use crate::agreement::json::Json;
use crate::builder_of;

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

/// Repeats nested values.
#[tool(operation = Transform)]
fn nested(
    tree: Tree,
    leaves: Option<Vec<BTreeMap<String, Leaf>>>,
    pair: Option<(i64, Vec<(bool, f64)>)>,
    maybe: Option<Option<Leaf>>,
) -> Value {
    serde_json::json!([tree, leaves, pair, maybe])
}

/// Has constraints of plain values.
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

/// The modules whose tools are tested.
const MODULES: [&str; 4] = ["tools::schemas", "tools::inputs", "tools::agreement", "tools::attributes"];

/// Types that accept less than their schema: formats that JSON Schema does not have, integers beyond 64 bits,
/// integers as names.
const STRICTER_TYPES: [&str; 7] =
    ["time", "date_time", "integer_i128", "integer_u128", "map_by_number", "secretive", "find"];

/// Those whose schema says only that they are strings.
const WITHOUT_A_FORMAT: [&str; 2] = ["time", "date_time"];

/// Whether a schema admits arguments.
#[derive(PartialEq)]
enum Admits {
    Yes,
    /// Only if a `null` counts as left out.
    WithoutNulls,
    No,
}

struct Subject {
    registry: Registry,
    lenient: Registry,
    name: String,
    schema: Value,
    validator: jsonschema::Validator,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let subjects = MODULES.into_iter().flat_map(|module| {
        let registry = builder_of(module).leniency(Leniency::Strict).check_outputs(true).build().unwrap();
        let lenient = builder_of(module).check_outputs(true).build().unwrap();
        let subject = |tool: &tool_core::ToolDefinition| Subject {
            registry: registry.clone(),
            lenient: lenient.clone(),
            name: tool.name().to_owned(),
            schema: tool.input_schema().clone(),
            // As a client would check it: with another regular expression engine, too.
            validator: jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(tool.input_schema())
                .unwrap(),
        };
        registry.tools().map(subject).collect::<Vec<_>>()
    });
    subjects.collect()
});

impl Subject {
    /// Whether the schema admits the arguments.
    fn admits(&self, arguments: &Json) -> Admits {
        let admits = |arguments: &Json| self.validator.is_valid(&arguments.value());
        if arguments.has_a_member_twice() {
            Admits::No
        } else if admits(arguments) {
            Admits::Yes
        } else if arguments.without_nulls().iter().any(admits) {
            Admits::WithoutNulls
        } else {
            Admits::No
        }
    }

    /// Returns the result of a call, and checks that validation agrees.
    fn verdict(&self, text: &str) -> Result<Result<Value, Failure>, TestCaseError> {
        let called =
            block_on(self.registry.call_with(&self.name, text.as_bytes(), &CallOptions::new())).result;
        let checked = self.registry.validate(&self.name, text.as_bytes());
        let failure = |failure: &Failure| (failure.kind(), failure.text());
        prop_assert_eq!(
            checked.as_ref().map(|_| ()).map_err(failure),
            called.as_ref().map(|_| ()).map_err(failure),
            "a check and a call with {}",
            text
        );
        Ok(called.map(|output| output.value()))
    }

    fn check(&self, arguments: &Json, generated: bool) -> Result<(), TestCaseError> {
        let text = arguments.to_string();
        let admits = self.admits(arguments);
        prop_assert!(
            admits != Admits::No || !generated,
            "the schema rejects arguments generated from it: {text}"
        );
        let verdict = self.verdict(&text)?;
        match &verdict {
            Ok(_) => prop_assert!(admits != Admits::No, "the call accepts what the schema rejects: {text}"),
            // A `null` from a mutation does not always count as missing.
            Err(failure) if admits == Admits::Yes || admits == Admits::WithoutNulls && generated => {
                let name = self.name.as_str();
                let only_the_type =
                    STRICTER_TYPES.contains(&name) && !generated || WITHOUT_A_FORMAT.contains(&name);
                let only_formats = failure.problems().iter().all(|problem| problem.keyword == "format");
                // Untyped integers are not rounded; typed ones are decoded by their type.
                let rounded =
                    failure.problems().iter().any(|problem| problem.message.ends_with("would be rounded"));
                // The range of 64 bits is not published, but every such integer type reports it.
                let ranges = [format!("({} to {})", i64::MIN, i64::MAX), format!("(0 to {})", u64::MAX)];
                let says_range = |message: &String| ranges.iter().any(|range| message.contains(range));
                let beyond = failure.problems().iter().any(|problem| says_range(&problem.message));
                prop_assert!(
                    (only_the_type || beyond || rounded && arguments.has_an_integer_that_is_rounded())
                        && only_formats,
                    "the call rejects what the schema admits: {text}\n{}",
                    failure.text()
                );
            }
            Err(failure) => {
                prop_assert!(
                    [FailureKind::Input, FailureKind::NotJson].contains(&failure.kind()),
                    "{failure:?}"
                );
                prop_assert!((1..=20).contains(&failure.problems().len()), "{}", failure.text());
            }
        }
        self.check_leniency(&text, &verdict)
    }

    /// A lenient registry accepts the same as a strict one, and otherwise only coerced arguments.
    fn check_leniency(&self, text: &str, strict: &Result<Value, Failure>) -> Result<(), TestCaseError> {
        let lenient =
            block_on(self.lenient.call_with(&self.name, text.as_bytes(), &CallOptions::new())).result;
        let validation = self.lenient.validate(&self.name, text.as_bytes());
        let coercions = validation.map_or(0, |validation| validation.coercions.len());
        match (strict, &lenient) {
            (Ok(strict), Ok(lenient)) => {
                prop_assert_eq!(strict, &lenient.value(), "{}", text);
                prop_assert_eq!(coercions, 0, "{}", text);
            }
            (Ok(_), Err(failure)) => {
                prop_assert!(false, "a lenient registry rejects {text}\n{}", failure.text());
            }
            (Err(_), Ok(_)) => {
                prop_assert!(coercions > 0, "a lenient registry accepts without coercion {text}");
            }
            (Err(_), Err(_)) => {}
        }
        Ok(())
    }
}

fn run(strategy: &impl Strategy<Value = (usize, Json)>, generated: bool) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    let config = Config { cases: cases / 2, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(strategy, |(subject, arguments)| {
        SUBJECTS[subject]
            .check(&arguments, generated)
            .map_err(|error| TestCaseError::fail(format!("`{}`: {error}", SUBJECTS[subject].name)))
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

/// A subject, and arguments generated from its schema.
fn generated_arguments() -> impl Strategy<Value = (usize, Json)> {
    (0..SUBJECTS.len()).prop_flat_map(|subject| (Just(subject), generate::from(&SUBJECTS[subject].schema)))
}

/// A subject, and mutated arguments.
fn mutated_arguments() -> impl Strategy<Value = (usize, Json)> {
    generated_arguments().prop_flat_map(|(subject, arguments)| (Just(subject), mutate::from(arguments)))
}

#[test]
fn accepts_arguments_generated_from_schemas() {
    run(&generated_arguments(), true);
}

#[test]
fn agrees_on_mutated_arguments() {
    run(&mutated_arguments(), false);
}

#[test]
fn covers_valid_and_invalid_arguments() {
    let names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name.as_str()).collect();
    assert!(names.len() > 50, "{names:?}");
    // Some mutated arguments are still valid, and some are not.
    let mut runner = TestRunner::deterministic();
    let mut valid = 0;
    for _ in 0..200 {
        let (subject, arguments) = mutated_arguments().new_tree(&mut runner).unwrap().current();
        valid += usize::from(SUBJECTS[subject].admits(&arguments) != Admits::No);
    }
    assert!((10..190).contains(&valid), "{valid} of 200 are valid");
}
