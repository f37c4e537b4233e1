//! Errors in a declaration that show when its schema is built.

use serde_json::Value;

use crate::call::decode;
use crate::definition::ToolDefinition;
use crate::definition::documentation::Example;
use crate::definition::surface;
use crate::definition::wide;
use crate::schema::json::children::children;
use crate::schema::json::pointer::{is_below, pointer};
use crate::schema::problem::Problem;
use crate::schema::{Validator, check_headers, refused_defaults, refused_patterns, samples};

impl ToolDefinition {
    /// Returns all errors in the declaration that show when its schema is built. A dynamic definition was checked when it was
    /// built.
    pub(crate) fn faults(&self) -> Vec<String> {
        if self.declaration().is_none() {
            return Vec::new();
        }
        let input = self.input();
        let mut faults = input.faults.clone();
        if self.description().is_empty() {
            faults.push("it has no description".to_owned());
        }
        faults.extend(surface::fault(self));
        faults.extend(self.ui().and_then(|ui| ui.check().err()).map(|error| error.to_string()));
        faults.extend(self.meta_fault().map(ToString::to_string));
        let patterns = self.faults_of_patterns();
        // Not cached: most tools never need a validator, and those of all tools would dominate the memory of a registry.
        match Validator::new(self.input_schema()) {
            Err(_) if !patterns.is_empty() => {}
            Err(error) => faults.push(format!("the input schema is invalid: {error}")),
            Ok(_) => {
                faults.extend(self.invalid_values().into_iter().map(|(_, fault)| fault));
                let refused = refused_defaults(self.input_schema()).into_iter();
                faults
                    .extend(refused.map(|(path, why)| format!("the default at `{path}` is invalid: {why}")));
                faults.extend(self.faults_of_examples());
                faults.extend(self.unreadable());
            }
        }
        if let Err(error) = check_headers(&input.schema) {
            faults.push(format!("the input schema is invalid: {error}"));
        }
        match self.output_schema().map(Validator::new) {
            Some(Err(error)) if patterns.is_empty() => {
                faults.push(format!("the output schema is invalid: {error}"));
            }
            _ => {}
        }
        faults.extend(patterns);
        faults
    }

    /// Returns the patterns that a client would interpret differently.
    fn faults_of_patterns(&self) -> Vec<String> {
        let fault = |of: &str, (path, why)| format!("the pattern{of} at `{path}` is invalid: {why}");
        let inputs = refused_patterns(self.input_schema()).into_iter().map(|found| fault("", found));
        let output = self.output_schema().map(refused_patterns).unwrap_or_default();
        inputs.chain(output.into_iter().map(|found| fault(" of the output", found))).collect()
    }

    /// Returns the defaults and constraints that contradict the types of the inputs.
    pub(crate) fn faults_of_inputs(&self) -> Vec<String> {
        let mut faults = self.input().faults.clone();
        if Validator::new(self.input_schema()).is_ok() {
            faults.extend(self.values_refused(&["default"]).into_iter().map(|(_, fault)| fault));
        }
        faults
    }

    /// Returns the invalid defaults and examples, each with the name of its input.
    pub(crate) fn invalid_values(&self) -> Vec<(String, String)> {
        self.values_refused(&["default", "example"])
    }

    /// Returns the invalid values of these kinds.
    fn values_refused(&self, of: &[&str]) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if self.broken() {
            return faults;
        }
        let input = self.input();
        for (name, schema) in input.schema["properties"].as_object().into_iter().flatten() {
            let examples = schema["examples"].as_array().into_iter().flatten();
            let values = schema.get("default").into_iter().map(|value| ("default", value));
            for (what, value) in values.chain(examples.map(|value| ("example", value))) {
                if !of.contains(&what) {
                    continue;
                }
                let mut arguments = input.example().clone();
                arguments[name] = value.clone();
                let Err(failure) = decode::validate_example(self, &arguments) else { continue };
                let path = pointer(name);
                let concerns = |problem: &&Problem| is_below(&path, &problem.path);
                if let Some(problem) = failure.problems().iter().find(concerns) {
                    let fault = format!("the {what} of input `{name}` is invalid: {}", problem.message);
                    faults.push((name.clone(), fault));
                }
            }
        }
        faults
    }

    /// Returns what the schema allows and serde cannot read: for a flattened, tagged or untagged type serde uses a buffer,
    /// which holds neither integers of 128 bits nor integer keys.
    fn unreadable(&self) -> Vec<String> {
        if self.broken() {
            return Vec::new();
        }
        let mut faults: Vec<String> = Vec::new();
        for sample in samples(self.input_schema()) {
            for reason in decode::unread(self, &sample) {
                let Some(help) = remedy(&reason, &sample) else { continue };
                let (reason, _) = reason.split_once(" at line ").unwrap_or((&reason, ""));
                faults.push(format!(
                    "its schema admits `{sample}`, and its type cannot read it ({reason}): {help}"
                ));
            }
        }
        // One sample is enough.
        faults.truncate(1);
        faults.extend(wide::in_untagged(self.input_specs()).map(|path| {
            format!(
                "the integer of 128 bits at `{path}` stands in an untagged enum, whose variants serde reads from a buffer \
                 without room for it: {WIDE}"
            )
        }));
        faults
    }

    /// Returns the examples in the doc comment that are invalid calls.
    pub(crate) fn faults_of_examples(&self) -> Vec<String> {
        if self.broken() {
            return Vec::new();
        }
        let examples = self.documented_examples();
        let fault = |example: &Example| {
            let call = match example.call() {
                Ok(call) => call,
                Err(fault) => return Some(fault),
            };
            let failure = decode::validate_example(self, &call).err()?;
            let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
            let line = example.line;
            Some(format!("the example at line {line} of its description is invalid: {}", problems.join("; ")))
        };
        examples.iter().filter_map(fault).collect()
    }
}

/// The type to use instead of an integer of 128 bits.
const WIDE: &str = "take an integer of 64 bits or a `String` where a type is flattened, tagged or untagged";

/// Returns the type to use instead of one that serde cannot read there; `None` for other errors.
fn remedy(reason: &str, sample: &Value) -> Option<&'static str> {
    if reason.contains("128 is not supported") {
        return Some(WIDE);
    }
    let is_a_name = reason.contains("invalid type: string \"1\", expected ");
    let is_untagged = reason.starts_with("data did not match any variant") && has_an_integer_name(sample);
    (is_a_name || is_untagged)
        .then_some("take a map with names of `String` where a type is flattened, tagged or untagged")
}

fn has_an_integer_name(value: &Value) -> bool {
    value.get("1").is_some() || children(value).any(has_an_integer_name)
}
