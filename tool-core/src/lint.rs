//! Advice about the declarations of tools and prompts: each finding has a code, a location and a remedy.

mod alike;
mod finding;
mod hidden;
mod inputs;
mod names;
mod sizes;
mod state;
mod texts;
mod walk;

pub use finding::{Finding, LintRule};

use crate::definition::ToolDefinition;
use crate::model::setters::setters;
use crate::registry::Registry;

/// The rules to check a [`Registry`] with, and their limits.
///
/// ```
/// use tool_core::Registry;
/// use tool_core::lint::{Lint, LintRule};
///
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// let lint = Lint::default().most_tools(40).tool_tokens(500).without(LintRule::NameDotted);
/// assert!(lint.run(&registry).is_empty());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Lint {
    without: Vec<LintRule>,
    most_tools: usize,
    tool_tokens: usize,
    registry_tokens: usize,
    description_length: usize,
    instructions: Option<String>,
}

impl Default for Lint {
    fn default() -> Self {
        Lint {
            without: Vec::new(),
            most_tools: 128,
            tool_tokens: 1_000,
            registry_tokens: 20_000,
            description_length: 1_024,
            instructions: None,
        }
    }
}

impl Lint {
    /// Disables a rule.
    ///
    /// ```
    /// # use tool_core::lint::{Lint, LintRule};
    /// let lint = Lint::default().without(LintRule::TooManyTools);
    /// ```
    pub fn without(mut self, rule: LintRule) -> Self {
        self.without.push(rule);
        self
    }

    setters! {
        /// Sets how many tools a registry may have; the default is 128.
        ///
        /// ```
        /// let lint = tool_core::lint::Lint::default().most_tools(20);
        /// ```
        pub fn most_tools(most: usize) => most_tools = most;

        /// Sets how many tokens a definition may have; the default is 1,000. Tokens are estimated as a quarter of the bytes of
        /// name, description and input schema as JSON.
        ///
        /// ```
        /// let lint = tool_core::lint::Lint::default().tool_tokens(300);
        /// ```
        pub fn tool_tokens(most: usize) => tool_tokens = most;

        /// Sets how many tokens all definitions together may have; the default is 20,000, a tenth of the context of many models.
        ///
        /// ```
        /// let lint = tool_core::lint::Lint::default().registry_tokens(5_000);
        /// ```
        pub fn registry_tokens(most: usize) => registry_tokens = most;

        /// Sets how many characters a description may have; the default is 1,024.
        ///
        /// ```
        /// let lint = tool_core::lint::Lint::default().description_length(500);
        /// ```
        pub fn description_length(most: usize) => description_length = most;

        /// Sets the instructions of the MCP server that serves the tools, which are checked with them. The default is none.
        ///
        /// ```
        /// use tool_core::Registry;
        /// use tool_core::lint::{Lint, LintRule};
        ///
        /// let registry = Registry::builder().allow_empty().build().unwrap();
        /// let findings = Lint::default().instructions("Search before you answer. ".repeat(100)).run(&registry);
        /// assert_eq!(findings[0].rule, LintRule::InstructionsTooLong);
        /// ```
        pub fn instructions(instructions: impl Into<String>) => instructions = Some(instructions.into());
    }

    /// Returns all findings, for any caller: those of tools by name, then of prompts, then of the registry, each ordered by
    /// rule.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for finding in tool_core::lint::Lint::default().run(&registry) {
    ///     eprintln!("{finding}");
    /// }
    /// ```
    pub fn run(&self, registry: &Registry) -> Vec<Finding> {
        let tools: Vec<&ToolDefinition> = registry.definitions().collect();
        let mut findings = Vec::new();
        for tool in &tools {
            names::check(tool, &mut findings);
            texts::check(tool, self, &mut findings);
            inputs::check(tool, &mut findings);
            sizes::check_tool(tool, self, &mut findings);
        }
        for prompt in registry.declared_prompts() {
            let mut found = Vec::new();
            texts::check(prompt.tool(), self, &mut found);
            inputs::check(prompt.tool(), &mut found);
            // Model APIs do not receive the names of prompt arguments.
            found.retain(|finding| finding.rule != LintRule::InputNameRefused);
            findings.extend(found.into_iter().map(Finding::of_prompt));
        }
        names::check_case(&tools, &mut findings);
        alike::check(&tools, &mut findings);
        state::check(&tools, &mut findings);
        sizes::check_all(&tools, self, &mut findings);
        self.instructions.iter().for_each(|text| texts::check_instructions(text, &mut findings));
        findings.retain(|finding| !self.without.contains(&finding.rule));
        // A stable sort keeps the order of inputs.
        findings.sort_by_cached_key(|Finding { tool, prompt, rule, .. }| {
            let concerns_all = tool.is_none() && prompt.is_none();
            (concerns_all, tool.is_none(), tool.clone(), prompt.clone(), *rule)
        });
        findings
    }
}

/// Returns what could be better in the declarations of a registry, by the rules and limits of [`Lint::default`]. A finding does
/// not prevent a tool from working; [`Registry::check`] reports what does.
///
/// ```
/// use tool_core::lint::{LintRule, lint};
/// use tool_core::{Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool(operation = Transform)]
/// fn lint_add(/** First of the two. */ a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![lint_add]).build().unwrap();
/// let findings = lint(&registry);
/// assert_eq!(findings.len(), 1);
/// assert_eq!((findings[0].rule, findings[0].input.as_deref()), (LintRule::InputUndocumented, Some("/b")));
/// ```
pub fn lint(registry: &Registry) -> Vec<Finding> {
    Lint::default().run(registry)
}
