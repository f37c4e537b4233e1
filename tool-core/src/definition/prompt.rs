//! Definitions of prompts.

use std::fmt;

use crate::declare::prompt::PromptDeclaration;
use crate::declare::source::Source;
use crate::definition::ToolDefinition;
use crate::model::digest::Digest;
use crate::model::permission::Permission;
use crate::schema::NativeSchema;

/// The definition of a prompt.
///
/// ```
/// use tool_core::{Registry, prompt, prompts};
///
/// /// Asks for a summary of a text.
/// #[prompt(title = "Summary")]
/// fn summary(
///     /// The text.
///     text: String,
///     /// How many words it may have.
///     #[arg(default = 100)]
///     words: u32,
/// ) -> String {
///     format!("Put this into {words} words:\n\n{text}")
/// }
///
/// let registry = Registry::builder().prompts(prompts![summary]).build().unwrap();
/// let summary = registry.prompt("summary").unwrap();
/// assert_eq!((summary.title(), summary.description()), (Some("Summary"), "Asks for a summary of a text."));
/// let required: Vec<_> = summary.arguments().iter().map(|argument| argument.required).collect();
/// assert_eq!(required, [Some(true), Some(false)]);
/// ```
#[derive(Clone)]
pub struct PromptDefinition(ToolDefinition);

impl PromptDefinition {
    pub(crate) fn all_declared(declarations: &[&'static PromptDeclaration]) -> Vec<Self> {
        let declarations = declarations.iter().map(|declaration| &declaration.0);
        ToolDefinition::all_declared(declarations).map(PromptDefinition).collect()
    }

    /// Returns the name.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let names: Vec<&str> = registry.prompts().map(|prompt| prompt.name()).collect();
    /// ```
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns the title for people, if it has one.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let titles: Vec<&str> = registry.prompts().filter_map(|prompt| prompt.title()).collect();
    /// ```
    pub fn title(&self) -> Option<&str> {
        self.0.title()
    }

    /// Returns the description, from the doc comment.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.prompts().all(|prompt| !prompt.description().is_empty()));
    /// ```
    pub fn description(&self) -> &str {
        self.0.description()
    }

    /// Returns the permissions that a caller must have; `None` if none are required.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let open = registry.prompts().filter(|prompt| prompt.permission().is_none());
    /// # assert_eq!(open.count(), 0);
    /// ```
    pub fn permission(&self) -> Option<&Permission> {
        self.0.permission()
    }

    /// Returns `true` if the prompt has an access function.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(!registry.prompts().any(|prompt| prompt.guarded()));
    /// ```
    pub fn guarded(&self) -> bool {
        self.0.guarded()
    }

    /// Returns the arguments, each with its type, description and default.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for argument in registry.prompts().flat_map(|prompt| prompt.arguments()) {
    ///     println!("{:?}: {}", argument.name, argument.kind);
    /// }
    /// ```
    pub fn arguments(&self) -> &[NativeSchema] {
        self.0.inputs()
    }

    /// Returns where the prompt was declared.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let places: Vec<String> = registry.prompts().map(|prompt| prompt.source().to_string()).collect();
    /// ```
    pub fn source(&self) -> Source<'_> {
        self.0.source()
    }

    /// Returns the digest of the definition.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let digests: Vec<String> = registry.prompts().map(|prompt| prompt.digest().to_string()).collect();
    /// ```
    pub fn digest(&self) -> Digest {
        self.0.digest()
    }

    /// Returns the definition that reads the arguments and enters the function.
    pub(crate) fn tool(&self) -> &ToolDefinition {
        &self.0
    }
}

impl fmt::Debug for PromptDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PromptDefinition").field(&self.name()).finish()
    }
}
