//! Prompts that no function was declared for.

use std::collections::BTreeMap;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use rmcp::model as mcp;
use serde_json::{Map, Value};
use tool_core::{IntoPrompt, Prompt, ToolError};

use crate::custom::icon::Icon;
use crate::custom::template::Template;
use crate::custom::{Answering, Completing, Request, icon, shown, values};
use crate::protocol::shortened;

/// As many unknown arguments of a call are named.
const MOST_FAULTS: usize = 20;

/// A prompt that is written by hand. Its arguments are texts.
///
/// ```
/// use tool_mcp::{DynamicPrompt, PromptArgument, Request, Server};
///
/// let review = DynamicPrompt::new("review", "Asks for a review.", async |request: Request| {
///     Ok(format!("Review this {}:\n{}", request.get("kind").unwrap_or("text"), request.get("text").unwrap_or_default()))
/// })
/// .argument(PromptArgument::new("text").description("What to review."))
/// .argument(PromptArgument::new("kind").optional().values(["poem", "report"]));
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).prompt(review).prompt(DynamicPrompt::template(
///     "translate",
///     "Asks for a translation.",
///     "Translate this into {language}:\n{text}",
/// ));
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone)]
pub struct DynamicPrompt {
    pub(crate) name: String,
    title: Option<String>,
    description: String,
    icons: Vec<Icon>,
    arguments: Vec<PromptArgument>,
    pub(crate) make: Answering<Prompt>,
}

/// An argument of a [`DynamicPrompt`].
///
/// ```
/// let topic = tool_mcp::PromptArgument::new("topic").description("What it is about.").optional();
/// ```
#[derive(Clone)]
pub struct PromptArgument {
    name: String,
    description: Option<String>,
    required: bool,
    completing: Option<Completing>,
}

impl DynamicPrompt {
    /// What an `async` function returns: whatever a declared prompt may.
    ///
    /// ```
    /// use tool_mcp::{DynamicPrompt, Request};
    ///
    /// let joke = DynamicPrompt::new("joke", "Asks for a joke.", async |_: Request| Ok("Tell me a joke."));
    /// ```
    pub fn new<F, P>(
        name: impl Into<String>,
        description: impl Into<String>,
        make: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<P, ToolError>> + Send + 'static,
        P: IntoPrompt + 'static,
    {
        let make: Answering<Prompt> = Arc::new(move |request| {
            let made = make(request);
            Box::pin(async { made.await.map(IntoPrompt::into_prompt) })
        });
        DynamicPrompt {
            name: name.into(),
            title: None,
            description: description.into(),
            icons: Vec::new(),
            arguments: Vec::new(),
            make,
        }
    }

    /// A text in which each `{name}` is an argument that must be given. A name is of letters, digits and `_`; other braces
    /// stand for themselves, and `{{name}}` for `{name}`.
    ///
    /// ```
    /// let letter = tool_mcp::DynamicPrompt::template("letter", "Asks for a letter.", "Write a letter to {name}.");
    /// ```
    pub fn template(name: impl Into<String>, description: impl Into<String>, template: &str) -> Self {
        let template = Template::parse(template);
        let arguments = template.variables().map(PromptArgument::new).collect();
        let make = move |request: Request| {
            ready(Ok::<_, ToolError>(template.filled(&|name| request.get(name).unwrap_or_default())))
        };
        DynamicPrompt { arguments, ..DynamicPrompt::new(name, description, make) }
    }

    /// The name for people.
    ///
    /// ```
    /// # let prompt = tool_mcp::DynamicPrompt::template("a", "Asks.", "What?");
    /// let prompt = prompt.title("A question");
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A picture for it. May be said several times.
    ///
    /// ```
    /// # let prompt = tool_mcp::DynamicPrompt::template("a", "Asks.", "What?");
    /// let prompt = prompt.icon(tool_mcp::Icon::new("https://example.org/a.png"));
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// An argument more, or in the place of one of its name.
    ///
    /// ```
    /// use tool_mcp::{DynamicPrompt, PromptArgument};
    ///
    /// let prompt = DynamicPrompt::template("ask", "Asks.", "What is {thing}?");
    /// let prompt = prompt.argument(PromptArgument::new("thing").description("What you wonder about."));
    /// ```
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        match self.arguments.iter_mut().find(|declared| declared.name == argument.name) {
            Some(declared) => *declared = argument,
            None => self.arguments.push(argument),
        }
        self
    }

    /// In the shape of MCP.
    pub(crate) fn listed(&self) -> mcp::Prompt {
        let argument = |argument: &PromptArgument| {
            let mut listed = mcp::PromptArgument::new(&argument.name).with_required(argument.required);
            listed.description.clone_from(&argument.description);
            listed
        };
        let arguments: Vec<_> = self.arguments.iter().map(argument).collect();
        let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
        let mut listed = mcp::Prompt::new(&self.name, Some(&self.description), arguments);
        (listed.title, listed.icons) = (self.title.clone(), icon::listed(&self.icons));
        listed
    }

    /// The arguments as texts, or what is wrong with each.
    pub(crate) fn read(&self, given: Map<String, Value>) -> Result<BTreeMap<String, String>, Vec<String>> {
        let declared: Vec<&str> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let absent = |name: &String| given.get(name).is_none_or(Value::is_null);
        let missing = self.arguments.iter().filter(|it| it.required && absent(&it.name));
        let mut faults: Vec<String> =
            missing.map(|argument| format!("`{}`: missing required argument", argument.name)).collect();
        let there_are = match declared.as_slice() {
            [] => "there are none".to_owned(),
            declared => format!("the arguments are `{}`", declared.join("`, `")),
        };
        let unknown = given.keys().filter(|name| !declared.contains(&name.as_str())).take(MOST_FAULTS);
        faults.extend(unknown.map(|name| format!("`{}`: unknown argument: {there_are}", shortened(name))));
        if !faults.is_empty() {
            return Err(faults);
        }
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let given = given.into_iter().filter(|(_, value)| !value.is_null());
        Ok(given.map(|(name, value)| (name, text(value))).collect())
    }

    /// What completes an argument; `None` for one that there is not.
    pub(crate) fn completing(&self, name: &str) -> Option<Option<&Completing>> {
        let argument = self.arguments.iter().find(|argument| argument.name == name)?;
        Some(argument.completing.as_ref())
    }
}

impl PromptArgument {
    /// An argument that must be given.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic");
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        PromptArgument { name: name.into(), description: None, required: true, completing: None }
    }

    /// What to give.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").description("What it is about.");
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same, that may be left out.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").optional();
    /// ```
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// What proposes values, from what somebody has typed so far.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").complete(|typed| vec![format!("{typed}s")]);
    /// ```
    #[must_use]
    pub fn complete(mut self, complete: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.completing = Some(Arc::new(complete));
        self
    }

    /// The values that are proposed.
    ///
    /// ```
    /// let size = tool_mcp::PromptArgument::new("size").values(["small", "large"]);
    /// ```
    #[must_use]
    pub fn values(mut self, proposed: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.completing = Some(values(proposed.into_iter().map(Into::into).collect()));
        self
    }
}

impl fmt::Debug for DynamicPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, "DynamicPrompt", &self.name)
    }
}

impl fmt::Debug for PromptArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, "PromptArgument", &self.name)
    }
}
