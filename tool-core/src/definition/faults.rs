//! What is wrong with a declaration and shows only when its schema is made.

use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::failure::Problem;
use crate::registry::Door;
use crate::schema::Validator;
use crate::state::States;

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
        match self.validator() {
            Err(error) => faults.push(format!("the input schema is invalid: {error}")),
            Ok(_) if self.broken() => {}
            Ok(_) => faults.extend(self.faults_of_values()),
        }
        if let Some(Err(error)) = self.output_schema().map(Validator::new) {
            faults.push(format!("the output schema is invalid: {error}"));
        }
        faults
    }

    /// Defaults and examples that a call could not have either.
    fn faults_of_values(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let input = self.input();
        for (name, schema) in input.schema["properties"].as_object().into_iter().flatten() {
            let examples = schema["examples"].as_array().into_iter().flatten();
            let values = schema.get("default").into_iter().map(|value| ("default", value));
            for (what, value) in values.chain(examples.map(|value| ("example", value))) {
                let mut arguments = input.example.clone();
                arguments[name] = value.clone();
                let call = arguments.to_string();
                let Err(failure) =
                    crate::call::validate(self, &Door::Declared, &States::default(), call.as_bytes())
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
                    faults.push(format!("the {what} of input `{name}` is invalid: {}", problem.message));
                }
            }
        }
        faults
    }

    /// The example, unless it is a guess that went wrong.
    pub(crate) fn valid_example(&self) -> Option<&Value> {
        let is_valid = || crate::call::is_valid(self, self.example());
        self.0.example_is_valid.get_or_init(is_valid).then(|| self.example())
    }
}
