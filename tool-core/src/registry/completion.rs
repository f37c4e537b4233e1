//! Values that could complete what a caller types for an input of a tool or an argument of a prompt.

use crate::call::target::Target;
use crate::declare::completion::{Completing, CompletionRequest, Completions, push_allowed_values};
use crate::model::catch_panic::{Panicked, catch_panic};
use crate::model::failure::Failure;
use crate::registry::Registry;

impl Registry {
    /// What could complete the text that a caller has typed for an input: what its `complete` function proposes, or
    /// else the values that its schema allows and that begin with the text, whatever their case. Nothing for a secret.
    ///
    /// Of a tool with an access function a `complete` function is asked only if it takes a [`CompletionRequest`], which knows
    /// [who types](CompletionRequest::principal): what it proposes is all that stands between the caller and what the access function
    /// would deny.
    ///
    /// # Errors
    ///
    /// When the caller does not know of the tool, when there is no such input; where a `complete` function is asked, when a
    /// call would not be [let in](Registry::check_access) and when the function panics. What the schema allows is told to
    /// everybody who knows of the tool.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Switches the light.
    /// #[tool(operation = Write, destructive = false)]
    /// fn switch(/** Whether it shines. */ on: bool) {
    ///     let _ = on;
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "switch").build().unwrap();
    /// assert_eq!(registry.complete("switch", "on", "T").unwrap().values, ["true"]);
    /// ```
    pub fn complete<'t>(
        &self,
        tool: &str,
        input: &str,
        request: impl Into<CompletionRequest<'t>>,
    ) -> Result<Completions, Failure> {
        self.completions(self.known(tool)?, input, &request.into())
    }

    /// The same for an argument of a prompt.
    ///
    /// # Errors
    ///
    /// When there is no such prompt or argument, and when the function panics.
    ///
    /// ```
    /// use tool_core::{Registry, prompt, prompts};
    ///
    /// /// Asks for a poem.
    /// #[prompt]
    /// fn night_poem(/** Whether it rhymes. */ rhymes: bool) -> String {
    ///     format!("Write a poem about the night{}.", if rhymes { " that rhymes" } else { "" })
    /// }
    ///
    /// let registry = Registry::builder().prompts(prompts![night_poem]).build().unwrap();
    /// assert_eq!(registry.complete_prompt("night_poem", "rhymes", "").unwrap().values, ["true", "false"]);
    /// ```
    pub fn complete_prompt<'t>(
        &self,
        prompt: &str,
        argument: &str,
        request: impl Into<CompletionRequest<'t>>,
    ) -> Result<Completions, Failure> {
        self.completions(self.known_prompt(prompt)?, argument, &request.into())
    }

    fn completions(
        &self,
        member: Target<'_>,
        input: &str,
        request: &CompletionRequest<'_>,
    ) -> Result<Completions, Failure> {
        let Target { definition, home, .. } = member;
        let inputs = definition.inputs();
        let Some(native) = inputs.iter().find(|native| native.name.as_deref() == Some(input)) else {
            let known: Vec<&str> = inputs.iter().filter_map(|native| native.name.as_deref()).collect();
            return Err(Failure::unknown_input(definition.name(), input, &known));
        };
        let mut values = Vec::new();
        match definition.completion(input) {
            _ if native.secret => {}
            Some(complete) => {
                // What is proposed may be stored state: nobody sees of it what a call would not show. What an input allows is
                // told to everybody who knows of the tool.
                home.admission.admit(definition, &home.states, self.principal())?;
                let request = &request.clone().by(self.principal());
                let (states, guarded, values) = (&home.states, definition.guarded(), &mut values);
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
