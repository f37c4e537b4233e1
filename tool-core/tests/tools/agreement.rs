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
pub(crate) mod made;
pub(crate) mod spoiled;

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
const MODULES: [&str; 4] = ["tools::schemas", "tools::inputs", "tools::agreement", "tools::attributes"];

/// Where a type takes less than its schema can say: texts in a format that JSON Schema does not have, integers beyond 64 bits,
/// integers as names.
const ONLY_THE_TYPE_KNOWS: [&str; 7] =
    ["time", "date_time", "integer_i128", "integer_u128", "map_by_number", "secretive", "find"];

/// Those of them of which the schema says no more than that they are strings.
const WITHOUT_A_FORMAT: [&str; 2] = ["time", "date_time"];

/// What a schema has to say to arguments.
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
            // As anybody else would check it: with a regular expression engine of another kind, too.
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

    /// What comes of a call; a check comes to the same.
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

    fn check(&self, arguments: &Json, made: bool) -> Result<(), TestCaseError> {
        let text = arguments.to_string();
        let admits = self.admits(arguments);
        prop_assert!(admits != Admits::No || !made, "the schema refuses what was made from it: {text}");
        let verdict = self.verdict(&text)?;
        match &verdict {
            Ok(_) => prop_assert!(admits != Admits::No, "what the schema refuses is taken: {text}"),
            // A `null` that was put in the place of something else is not always one that counts as left out.
            Err(failure) if admits == Admits::Yes || admits == Admits::WithoutNulls && made => {
                let name = self.name.as_str();
                let only_the_type =
                    ONLY_THE_TYPE_KNOWS.contains(&name) && !made || WITHOUT_A_FORMAT.contains(&name);
                let told = failure.problems().iter().all(|problem| problem.keyword == "format");
                // What has no type is not rounded; what has one is read by it.
                let rounded =
                    failure.problems().iter().any(|problem| problem.message.ends_with("would be rounded"));
                // The range of 64 bits is not published, and every integer type that has it says it.
                let ranges = [format!("({} to {})", i64::MIN, i64::MAX), format!("(0 to {})", u64::MAX)];
                let says_range = |message: &String| ranges.iter().any(|range| message.contains(range));
                let beyond = failure.problems().iter().any(|problem| says_range(&problem.message));
                prop_assert!(
                    (only_the_type || beyond || rounded && arguments.has_an_integer_that_is_rounded())
                        && told,
                    "what the schema admits is refused: {text}\n{}",
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

    /// A lenient registry takes what a strict one takes, in the same way; and what else it takes, it repairs.
    fn check_leniency(&self, text: &str, strict: &Result<Value, Failure>) -> Result<(), TestCaseError> {
        let lenient =
            block_on(self.lenient.call_with(&self.name, text.as_bytes(), &CallOptions::new())).result;
        let validation = self.lenient.validate(&self.name, text.as_bytes());
        let repairs = validation.map_or(0, |validation| validation.coercions.len());
        match (strict, &lenient) {
            (Ok(strict), Ok(lenient)) => {
                prop_assert_eq!(strict, &lenient.value(), "{}", text);
                prop_assert_eq!(repairs, 0, "{}", text);
            }
            (Ok(_), Err(failure)) => prop_assert!(false, "lenience refuses {text}\n{}", failure.text()),
            (Err(_), Ok(_)) => prop_assert!(repairs > 0, "lenience takes as it is {text}"),
            (Err(_), Err(_)) => {}
        }
        Ok(())
    }
}

fn run(strategy: &impl Strategy<Value = (usize, Json)>, made: bool) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    let config = Config { cases: cases / 2, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(strategy, |(subject, arguments)| {
        SUBJECTS[subject]
            .check(&arguments, made)
            .map_err(|error| TestCaseError::fail(format!("`{}`: {error}", SUBJECTS[subject].name)))
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

/// A subject, and arguments made from its schema.
fn made() -> impl Strategy<Value = (usize, Json)> {
    (0..SUBJECTS.len()).prop_flat_map(|subject| (Just(subject), made::from(&SUBJECTS[subject].schema)))
}

/// A subject, and arguments that were made from its schema and then spoiled.
fn spoiled() -> impl Strategy<Value = (usize, Json)> {
    made().prop_flat_map(|(subject, arguments)| (Just(subject), spoiled::from(arguments)))
}

#[test]
fn what_the_schema_says_can_be_called() {
    run(&made(), true);
}

#[test]
fn what_is_spoiled_has_one_verdict() {
    run(&spoiled(), false);
}

#[test]
fn nothing_is_tried_in_vain() {
    let names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name.as_str()).collect();
    assert!(names.len() > 50, "{names:?}");
    // Of what is spoiled, a fair share is still valid, and a fair share is not.
    let mut runner = TestRunner::deterministic();
    let mut valid = 0;
    for _ in 0..200 {
        let (subject, arguments) = spoiled().new_tree(&mut runner).unwrap().current();
        valid += usize::from(SUBJECTS[subject].admits(&arguments) != Admits::No);
    }
    assert!((10..190).contains(&valid), "{valid} of 200 are valid");
}
