//! The prompts of a registry.

use serde_json::Value;

use crate::call::options::{CallOptions, NO_CALL_OPTIONS};
use crate::call::target::Target;
use crate::call::text_arguments::read;
use crate::call::{self, Reply};
use crate::declare::prompt::Prompts;
use crate::definition::prompt::PromptDefinition;
use crate::model::audit_kind::AuditKind;
use crate::model::failure::Failure;
use crate::model::prompt::{Prompt, PromptReply};
use crate::registry::Registry;
use crate::registry::builder::RegistryBuilder;
use crate::registry::error::BuildError;
use crate::registry::registered_prompt::{RegisteredPrompt, prompt_schema_errors};

impl RegistryBuilder {
    /// Adds the prompts that [`prompts!`](crate::prompts) lists. A prompt that is linked as well is added once.
    ///
    /// ```
    /// # use tool_core::{Registry, prompt, prompts};
    /// /// Asks for a rhyme.
    /// #[prompt]
    /// fn rhyme(/** With what. */ word: String) -> String {
    ///     format!("What rhymes with {word}?")
    /// }
    ///
    /// let registry = Registry::builder().prompts(prompts![rhyme]).build().unwrap();
    /// # assert_eq!(registry.prompts().len(), 1);
    /// ```
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.prompts.declarations.extend(prompts.declarations());
        self
    }

    /// Keeps only prompts for which `predicate` returns `true`. Filters combine with AND.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let short = Registry::builder().linked().select_prompts(|prompt| prompt.arguments().len() < 3);
    /// ```
    pub fn select_prompts(mut self, predicate: impl Fn(&PromptDefinition) -> bool + Send + 'static) -> Self {
        self.prompts.select.push(Box::new(predicate));
        self
    }
}

impl Registry {
    /// Returns every prompt that the caller may see, ordered by name. The list includes prompts that it may not use, unless
    /// [`RegistryBuilder::hide_denied`] is set.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for prompt in registry.prompts() {
    ///     println!("{}: {}", prompt.name(), prompt.description());
    /// }
    /// ```
    pub fn prompts(&self) -> impl ExactSizeIterator<Item = &PromptDefinition> {
        let visible = self.inner.prompts.iter().filter(|prompt| prompt.is_visible_to(self.principal()));
        visible.map(|prompt| &prompt.definition).collect::<Vec<_>>().into_iter()
    }

    /// Returns every prompt, ordered by name, for any caller.
    pub(crate) fn declared_prompts(&self) -> impl Iterator<Item = &PromptDefinition> {
        self.inner.prompts.iter().map(|prompt| &prompt.definition)
    }

    /// Returns the prompt of this name, if [`Registry::prompts`] lists it.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.prompt("nope").is_none());
    /// ```
    pub fn prompt(&self, name: &str) -> Option<&PromptDefinition> {
        self.prompt_member(name).map(|prompt| &prompt.definition)
    }

    /// Returns the messages of a prompt for these arguments: an object, or `null` for none.
    ///
    /// As in MCP, every argument may be a string: it is then parsed as JSON, or as a comma-separated list for a list of
    /// strings.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::FailureKind::NotFound) if there is no such prompt, [`Denied`](crate::FailureKind::Denied) if the caller
    /// lacks a permission or the access function denies it, [`Input`](crate::FailureKind::Input) with all problems of the
    /// arguments, and the failure of the function.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Content, Registry, prompt, prompts};
    ///
    /// /// Asks for a plan.
    /// #[prompt]
    /// fn plan(/** What to do. */ steps: Vec<String>, /** In how many days. */ days: u32) -> String {
    ///     format!("How do I do {} in {days} days?", steps.join(" and "))
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let registry = Registry::builder().prompts(prompts![plan]).build().unwrap();
    /// let plan = registry.get_prompt("plan", json!({"steps": "this, that", "days": "3"})).await.unwrap();
    /// assert_eq!(plan.messages[0].content, Content::text("How do I do this and that in 3 days?"));
    ///
    /// let failure = registry.get_prompt("plan", json!({"steps": "this", "dyas": "3"})).await.unwrap_err();
    /// let places: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    /// assert_eq!(places, ["/days", "/dyas"]);
    /// # });
    /// ```
    pub async fn get_prompt(&self, name: &str, arguments: Value) -> Result<Prompt, Failure> {
        self.get_prompt_with(name, arguments, &NO_CALL_OPTIONS).await.result
    }

    /// Returns the messages of a prompt as [`get_prompt`](Self::get_prompt) does, with the identifier of the call, as an adapter
    /// does.
    ///
    /// ```
    /// use tool_core::CallOptions;
    ///
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let reply = registry.get_prompt_with("nope", serde_json::json!({}), &CallOptions::new()).await;
    /// assert_eq!(reply.result.unwrap_err().message(), "Prompt not found: nope");
    /// # });
    /// ```
    pub async fn get_prompt_with(&self, name: &str, arguments: Value, options: &CallOptions) -> PromptReply {
        let completed = self.completed(options);
        let origin = self.origin(completed.as_deref().unwrap_or(options));
        let prompt = self.prompt_member(name);
        let arguments = match (arguments, prompt) {
            (Value::Object(arguments), Some(prompt)) => read(prompt.definition.tool(), &arguments),
            (Value::Null, _) => "{}".to_owned(),
            (arguments, _) => arguments.to_string(),
        };
        let Reply { call_id, result, .. } = match prompt {
            Some(prompt) => call::begin(origin, prompt.target(), arguments.as_bytes()).end().await,
            None => {
                let audit = self.inner.audit.as_ref();
                let failure = Failure::not_found(AuditKind::Prompt, name, None);
                call::unknown(audit, origin, AuditKind::Prompt, name, arguments.as_bytes(), failure)
            }
        };
        // A function with `#[prompt]` returns messages and nothing else.
        let result = result.and_then(|output| output.into_prompt().ok_or_else(Failure::internal));
        PromptReply { call_id, result }
    }

    /// Returns the errors in the declarations of prompts that show when their schemas are built.
    pub(super) fn faults_of_prompts(&self) -> impl Iterator<Item = BuildError> {
        self.declared_prompts().flat_map(|prompt| prompt_schema_errors(prompt, prompt.tool().faults()))
    }

    /// Returns the target of a request for the prompt of this name, if the caller may see it.
    pub(super) fn find_prompt(&self, name: &str) -> Result<Target<'_>, Failure> {
        let target = self.prompt_member(name).map(RegisteredPrompt::target);
        target.ok_or_else(|| Failure::not_found(AuditKind::Prompt, name, None))
    }

    fn prompt_member(&self, name: &str) -> Option<&RegisteredPrompt> {
        let prompts = &self.inner.prompts;
        let position = prompts.binary_search_by(|prompt| prompt.definition.name().cmp(name)).ok()?;
        Some(&prompts[position]).filter(|prompt| prompt.is_visible_to(self.principal()))
    }
}
