//! What is wrong with a declaration and shows only when its schema is made.

use serde_json::Value;

use crate::call;
use crate::definition::ToolDefinition;
use crate::failure::Problem;
use crate::leniency::Leniency;
use crate::schema::Validator;
use crate::state::States;

impl ToolDefinition {
    /// Everything that is wrong with the declaration and shows only when its schema is made.
    pub(crate) fn faults(&self) -> Vec<String> {
        let input = self.input();
        let mut faults = input.faults.clone();
        if self.description().is_empty() {
            faults.push("it has no description".to_owned());
        }
        // Not kept: most tools never need theirs, and that of each would be the most memory of a registry.
        match Validator::new(self.input_schema()) {
            Err(error) => faults.push(format!("the input schema is invalid: {error}")),
            Ok(_) => faults.extend(self.invalid_values().into_iter().map(|(_, fault)| fault)),
        }
        if let Some(Err(error)) = self.output_schema().map(Validator::new) {
            faults.push(format!("the output schema is invalid: {error}"));
        }
        faults
    }

    /// Defaults and examples that a call could not have either: each with the name of its input.
    pub(crate) fn invalid_values(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if self.broken() || self.validator().is_err() {
            return faults;
        }
        let input = self.input();
        for (name, schema) in input.schema["properties"].as_object().into_iter().flatten() {
            let examples = schema["examples"].as_array().into_iter().flatten();
            let values = schema.get("default").into_iter().map(|value| ("default", value));
            for (what, value) in values.chain(examples.map(|value| ("example", value))) {
                let mut arguments = input.example.clone();
                arguments[name] = value.clone();
                let call = arguments.to_string();
                let Err(failure) =
                    call::validate(self, &States::default(), Leniency::Strict, call.as_bytes())
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

    /// The example, unless it is a guess that went wrong.
    pub(crate) fn valid_example(&self) -> Option<&Value> {
        let is_valid = || call::is_valid(self, self.example());
        self.0.example_is_valid.get_or_init(is_valid).then(|| self.example())
    }
}
