//! Completion of inputs of tools and arguments of prompts.

use crate::call::target::Target;
use crate::declare::completion::{Completing, CompletionRequest, Completions, push_allowed_values};
use crate::model::catch_panic::{Panicked, catch_panic};
use crate::model::failure::Failure;
use crate::registry::Registry;

impl Registry {
    /// Returns values that could complete what was typed for an input.
    pub(super) fn completions(
        &self,
        target: Target<'_>,
        input: &str,
        request: &CompletionRequest<'_>,
    ) -> Result<Completions, Failure> {
        let Target { definition, scope, .. } = target;
        let inputs = definition.inputs();
        let Some(native) = inputs.iter().find(|native| native.name.as_deref() == Some(input)) else {
            let names: Vec<&str> = inputs.iter().filter_map(|native| native.name.as_deref()).collect();
            return Err(Failure::unknown_input(definition.name(), input, &names));
        };
        let mut values = Vec::new();
        match definition.completion(input) {
            _ if native.secret => {}
            Some(complete) => {
                // A proposal may be stored state, so the caller must be allowed to make the call. The values that a schema allows
                // are shown to every caller that may see the tool.
                scope.admission.admit(definition, &scope.states, self.principal())?;
                let request = &request.clone().by(self.principal());
                let (states, guarded, values) = (&scope.states, definition.guarded(), &mut values);
                let mut completing = Completing::Propose { request, states, guarded, values };
                catch_panic(|| complete(&mut completing)).map_err(|Panicked| Failure::internal())?;
            }
            None => {
                let text = request.text().to_lowercase();
                push_allowed_values(native, &mut values);
                values.retain(|value| value.to_lowercase().starts_with(&text));
            }
        }
        Ok(Completions::of(values))
    }
}
