//! What is wrong with a declaration and shows only when its schema is made.

use crate::call;
use crate::definition::ToolDefinition;
use crate::definition::documentation::Example;
use crate::failure::Problem;
use crate::leniency::Leniency;
use crate::schema::{Validator, check_headers};
use crate::state::States;
use crate::surface;

impl ToolDefinition {
    /// Everything that is wrong with the declaration and shows only when its schema is made. What is written by hand was
    /// checked when it was built.
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
        // Not kept: most tools never need theirs, and that of each would be the most memory of a registry.
        match Validator::new(self.input_schema()) {
            Err(error) => faults.push(format!("the input schema is invalid: {error}")),
            Ok(_) => {
                faults.extend(self.invalid_values().into_iter().map(|(_, fault)| fault));
                faults.extend(self.faults_of_examples());
            }
        }
        if let Err(error) = check_headers(&input.schema) {
            faults.push(format!("the input schema is invalid: {error}"));
        }
        if let Some(Err(error)) = self.output_schema().map(Validator::new) {
            faults.push(format!("the output schema is invalid: {error}"));
        }
        faults
    }

    /// Defaults and examples that a call could not have either: each with the name of its input.
    pub(crate) fn invalid_values(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if self.broken() {
            return faults;
        }
        let input = self.input();
        for (name, schema) in input.schema["properties"].as_object().into_iter().flatten() {
            let examples = schema["examples"].as_array().into_iter().flatten();
            let values = schema.get("default").into_iter().map(|value| ("default", value));
            for (what, value) in values.chain(examples.map(|value| ("example", value))) {
                let mut arguments = input.example().clone();
                arguments[name] = value.clone();
                let call = arguments.to_string();
                let Err(failure) =
                    call::validate(self, None, &States::default(), Leniency::Strict, call.as_bytes())
                else {
                    continue;
                };
                let path = crate::schema::pointer(name);
                let concerns = |problem: &&Problem| {
                    problem
                        .path
                        .strip_prefix(&path)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                if let Some(problem) = failure.problems().iter().find(concerns) {
                    let fault = format!("the {what} of input `{name}` is invalid: {}", problem.message);
                    faults.push((name.clone(), fault));
                }
            }
        }
        faults
    }

    /// Whole calls in the doc comment that are none.
    pub(crate) fn faults_of_examples(&self) -> Vec<String> {
        if self.broken() {
            return Vec::new();
        }
        let examples = self.whole().origin.declared().map_or(&[][..], |declared| &declared.examples);
        let fault = |example: &Example| {
            let call = match example.call() {
                Ok(call) => call.to_string(),
                Err(fault) => return Some(fault),
            };
            let failure =
                call::validate(self, None, &States::default(), Leniency::Strict, call.as_bytes()).err()?;
            let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
            let line = example.line;
            Some(format!("the example at line {line} of its description is invalid: {}", problems.join("; ")))
        };
        examples.iter().filter_map(fault).collect()
    }
}
