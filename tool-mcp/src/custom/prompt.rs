//! Prompts that are not declared as functions.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;

use rmcp::model as mcp;
use serde_json::{Map, Value};
use tool_core::{IntoPrompt, Prompt, ToolError};

use crate::custom::icon::Icon;
use crate::custom::template::Template;
use crate::custom::{Completer, Request, RequestHandler, completer_of, icon};
use crate::protocol::shortened;

/// The most unknown arguments that an error lists.
const MOST_UNKNOWN: usize = 20;

/// A prompt that the application defines without `#[prompt]`. Its arguments are texts.
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
/// let server = Server::new(registry).prompt(review);
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone)]
pub struct DynamicPrompt {
    pub(crate) name: String,
    title: Option<String>,
    description: String,
    icons: Vec<Icon>,
    arguments: Vec<PromptArgument>,
    pub(crate) handler: RequestHandler<Prompt>,
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
    completer: Option<Completer>,
}

debug_with!(DynamicPrompt, name);
debug_with!(PromptArgument, name);

impl DynamicPrompt {
    /// Creates a prompt from an `async` function, which may return whatever a declared prompt may.
    ///
    /// ```
    /// let tell = async |_: tool_mcp::Request| Ok("Tell me a joke.");
    /// let joke = tool_mcp::DynamicPrompt::new("joke", "Asks for a joke.", tell);
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
        let handler: RequestHandler<Prompt> = Arc::new(move |request| {
            let made = make(request);
            Box::pin(async { made.await.map(IntoPrompt::into_prompt) })
        });
        let (name, description) = (name.into(), description.into());
        DynamicPrompt { name, title: None, description, icons: Vec::new(), arguments: Vec::new(), handler }
    }

    /// Creates a prompt from a text in which each `{name}` is a required argument. A name consists of letters, digits and `_`.
    /// Other braces are plain text, and `{{name}}` is the text `{name}`.
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

    /// Sets the name that people see.
    ///
    /// ```
    /// let prompt = tool_mcp::DynamicPrompt::template("a", "Asks.", "What?").title("A question");
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds an icon.
    ///
    /// ```
    /// let icon = tool_mcp::Icon::new("https://example.org/a.png");
    /// let prompt = tool_mcp::DynamicPrompt::template("a", "Asks.", "What?").icon(icon);
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Adds an argument, or replaces the one with the same name.
    ///
    /// ```
    /// let thing = tool_mcp::PromptArgument::new("thing").description("What you wonder about.");
    /// let prompt = tool_mcp::DynamicPrompt::template("ask", "Asks.", "What is {thing}?").argument(thing);
    /// ```
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        match self.arguments.iter_mut().find(|declared| declared.name == argument.name) {
            Some(declared) => *declared = argument,
            None => self.arguments.push(argument),
        }
        self
    }

    /// Returns the prompt as MCP lists it.
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

    /// Returns the arguments as texts, or the error of each.
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
        let unknown = given.keys().filter(|name| !declared.contains(&name.as_str())).take(MOST_UNKNOWN);
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

    /// Returns the completer of an argument, if it has one; `None` for an unknown argument.
    pub(crate) fn completer(&self, name: &str) -> Option<Option<&Completer>> {
        let argument = self.arguments.iter().find(|argument| argument.name == name)?;
        Some(argument.completer.as_ref())
    }
}

impl PromptArgument {
    /// Creates a required argument.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic");
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        PromptArgument { name: name.into(), description: None, required: true, completer: None }
    }

    /// Sets the description.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").description("What it is about.");
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Makes the argument optional.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").optional();
    /// ```
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Sets a function that proposes values for a partial text.
    ///
    /// ```
    /// let topic = tool_mcp::PromptArgument::new("topic").complete(|typed| vec![format!("{typed}s")]);
    /// ```
    #[must_use]
    pub fn complete(mut self, complete: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Self {
        self.completer = Some(Arc::new(complete));
        self
    }

    /// Sets the values to propose.
    ///
    /// ```
    /// let size = tool_mcp::PromptArgument::new("size").values(["small", "large"]);
    /// ```
    #[must_use]
    pub fn values(mut self, proposed: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.completer = Some(completer_of(proposed));
        self
    }
}
