//! Helpers for the tests of an application: tools, permissions, prompts, questions, examples and `tools.lock`.
//!
//! They need no server. What an MCP client gets, and what a model sees, is tested with `tool_mcp::testing::Client`.
//!
//! # A tool
//!
//! The function can be called as it is. The registry also decodes and checks the inputs:
//!
//! ```
//! # use tool_core::{Registry, tool};
//! /// Halves a number.
//! #[tool(operation = Transform)]
//! fn half(#[arg(range(min = 0))] n: i64) -> i64 {
//!     n / 2
//! }
//!
//! # tool_core::private::block_on(async {
//! # let registry = Registry::builder().linked().select(|tool| tool.name() == "half").build().unwrap();
//! assert_eq!(half(8), 4);
//! assert_eq!(registry.call("half", serde_json::json!({"n": 8})).await.unwrap().value(), 4);
//! let failure = registry.call("half", serde_json::json!({"n": -8})).await.unwrap_err();
//! assert_eq!(failure.problems()[0].to_string(), "/n: expected at least 0, got `-8`");
//! # });
//! ```
//!
//! # A permission
//!
//! ```
//! # use tool_core::{FailureKind, Principal, Registry, tool};
//! /// Closes the shop.
//! #[tool(operation = Write, destructive = false, permission = "shop.close")]
//! fn lock_the_shop() {}
//!
//! # tool_core::private::block_on(async {
//! # let registry = Registry::builder().linked().select(|tool| tool.name() == "lock_the_shop").build().unwrap();
//! let (ada, bob) = (Principal::new("ada").grant("shop.close"), Principal::new("bob"));
//! assert!(registry.as_principal(ada).call("lock_the_shop", serde_json::json!({})).await.is_ok());
//! let failure = registry.as_principal(bob).call("lock_the_shop", serde_json::json!({})).await.unwrap_err();
//! assert_eq!(failure.kind(), FailureKind::Denied);
//! # });
//! ```
//!
//! # A prompt
//!
//! ```
//! # use tool_core::{Content, Registry, prompt};
//! /// Asks for a summary.
//! #[prompt]
//! fn summarize(topic: String) -> String {
//!     format!("Summarize {topic}.")
//! }
//!
//! # tool_core::private::block_on(async {
//! # let registry = Registry::builder().allow_empty().linked().select(|_| false);
//! # let registry = registry.select_prompts(|prompt| prompt.name() == "summarize").build().unwrap();
//! let prompt = registry.get_prompt("summarize", serde_json::json!({"topic": "rain"})).await.unwrap();
//! assert_eq!(prompt.messages[0].content, Content::text("Summarize rain."));
//! # });
//! ```
//!
//! # An elicitation
//!
//! [`Answers`] restarts the call with each answer, and finds a tool that changes something before the last one:
//!
//! ```
//! # use tool_core::testing::Answers;
//! # use tool_core::{Context, Failure, Registry, tool};
//! #[derive(schemars::JsonSchema, serde::Deserialize)]
//! struct Person {
//!     name: String,
//! }
//!
//! /// Welcomes a person.
//! #[tool(operation = Read)]
//! async fn welcome(#[inject] context: Context) -> Result<String, Failure> {
//!     let Person { name } = context.elicit("Who is there?").await?.required()?;
//!     Ok(format!("Welcome, {name}!"))
//! }
//!
//! # tool_core::private::block_on(async {
//! # let registry = Registry::builder().linked().select(|tool| tool.name() == "welcome").build().unwrap();
//! let answers = Answers::new().accept(serde_json::json!({"name": "Ada"}));
//! let output = answers.call(&registry, "welcome", serde_json::json!({})).await.unwrap();
//! assert_eq!(output.value(), "Welcome, Ada!");
//! assert_eq!(answers.questions()[0].message(), "Who is there?");
//! # });
//! ```
//!
//! # Examples on all interfaces
//!
//! [`run_examples`] calls the declared examples, and [`compare_examples`] calls them on all interfaces, with
//! `tool_mcp::testing::Client`, `tool_http::testing::HttpCalls` and `tool_cli::testing::CliCalls`.
//!
//! # `tools.lock`
//!
//! A test instead of the command `lock --check`. `include_str!("../tools.lock")` reads the file:
//!
//! ```
//! # use tool_core::lock::{Change, Lock};
//! # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
//! # let text = Lock::of(&registry).to_string();
//! let stored: Lock = text.parse().unwrap();
//! let differences = stored.compare(&Lock::of(&registry));
//! assert!(differences.iter().all(|it| it.change() != Change::Breaking), "{differences:#?}");
//! ```
//!
//! # Tools that modify nothing
//!
//! The compiler prevents a tool that modifies nothing from taking a [`Writer`](crate::Writer), but it cannot check what the
//! tool does with other state or with a global. A test can: give the registry a resource that panics on every change, and run
//! all of these tools.
//!
//! ```
//! use tool_core::{Reader, Registry, Resource, WritePass, testing, tool};
//!
//! trait ReadStock: Send + Sync {
//!     fn count(&self) -> u32;
//! }
//!
//! trait WriteStock: ReadStock {
//!     fn take(&self, count: u32);
//! }
//!
//! struct Stock(Box<dyn WriteStock>);
//!
//! impl Resource for Stock {
//!     type Reader = dyn ReadStock;
//!     type Writer = dyn WriteStock;
//!
//!     fn reader(&self) -> &Self::Reader {
//!         &*self.0
//!     }
//!
//!     fn writer(&self, _: WritePass<'_>) -> &Self::Writer {
//!         &*self.0
//!     }
//! }
//!
//! /// How many there are.
//! #[tool(operation = Read)]
//! fn count_stock(#[inject] stock: Reader<Stock>) -> u32 {
//!     stock.count()
//! }
//!
//! /// Stock that nobody may touch.
//! struct Sealed;
//!
//! impl ReadStock for Sealed {
//!     fn count(&self) -> u32 {
//!         8
//!     }
//! }
//!
//! impl WriteStock for Sealed {
//!     fn take(&self, _: u32) {
//!         panic!("a tool that modifies nothing has taken something");
//!     }
//! }
//!
//! # tool_core::private::block_on(async {
//! let builder = Registry::builder().linked().select(|tool| tool.name() == "count_stock");
//! let registry = builder.state(Stock(Box::new(Sealed))).build().unwrap();
//! testing::run_non_modifying(&registry).await.assert_harmless();
//! # });
//! ```

mod answers;
mod examples;
mod interface;

use std::fmt;

use serde_json::Value;

pub use answers::Answers;
pub use examples::{Comparison, Mismatch, compare_examples};
pub use interface::{Interface, LocalBoxFuture, Response};

use crate::definition::ToolDefinition;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;
use crate::registry::Registry;

/// Runs every tool that modifies nothing, one after the other, with its [minimal call](ToolDefinition::example), as the
/// principal of the registry.
///
/// See the [module](self) for what this proves.
///
/// ```
/// use tool_core::{Registry, testing, tool};
///
/// /// Doubles a number.
/// #[tool(operation = Transform)]
/// fn twice(/** The number. */ #[arg(example = 4)] n: i64) -> i64 {
///     2 * n
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "twice").build().unwrap();
/// let trials = testing::run_non_modifying(&registry).await;
/// assert_eq!(trials.to_string(), "`twice` with {\"n\":4}: succeeded");
/// # });
/// ```
pub async fn run_non_modifying(registry: &Registry) -> Trials {
    let tools = registry.tools().filter(|tool| !tool.modifies());
    Trials::of(tools.map(|tool| (tool, tool.example().clone())), registry).await
}

/// Runs the examples of the tools that `which` selects, one after the other, as the principal of the registry: those that a tool
/// [declares](ToolDefinition::examples), or else its [minimal call](ToolDefinition::example).
///
/// ````
/// use tool_core::{Registry, testing, tool};
///
/// /// Divides two numbers.
/// ///
/// /// ```tool
/// /// {"a": 6, "b": 3}
/// /// ```
/// ///
/// /// ```tool
/// /// {"a": 1, "b": 0}
/// /// ```
/// #[tool(operation = Transform)]
/// fn divide(a: i64, b: i64) -> Result<i64, String> {
///     a.checked_div(b).ok_or_else(|| "division by zero".to_owned())
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "divide").build().unwrap();
/// let trials = testing::run_examples(&registry, |tool| !tool.modifies()).await;
/// assert_eq!(
///     trials.to_string(),
///     "`divide` with {\"a\":6,\"b\":3}: succeeded\n`divide` with {\"a\":1,\"b\":0}: failed: division by zero",
/// );
/// # });
/// ````
pub async fn run_examples(registry: &Registry, which: impl Fn(&ToolDefinition) -> bool) -> Trials {
    Trials::of(examples::examples(registry, which), registry).await
}

/// The results of all tools that were run.
///
/// ```
/// # tool_core::private::block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let trials = tool_core::testing::run_non_modifying(&registry).await;
/// assert_eq!(trials.iter().count(), 0);
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use = "see what came of them, or `assert_harmless`"]
pub struct Trials(Vec<Trial>);

impl Trials {
    async fn of(calls: impl IntoIterator<Item = (&ToolDefinition, Value)>, registry: &Registry) -> Self {
        let mut trials = Vec::new();
        for (tool, arguments) in calls {
            trials.push(Trial::of(tool, arguments, registry).await);
        }
        Trials(trials)
    }

    /// Asserts that there was a call, and that every call succeeded.
    ///
    /// # Panics
    ///
    /// Panics with each call that did not succeed, and why.
    ///
    /// ```no_run
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// tool_core::testing::run_examples(&registry, |tool| !tool.modifies()).await.assert_succeeded();
    /// # });
    /// ```
    #[track_caller]
    pub fn assert_succeeded(&self) {
        assert!(!self.0.is_empty(), "no tool was called");
        let failed: Vec<Trial> = self.iter().filter(|trial| trial.result.is_err()).cloned().collect();
        assert!(failed.is_empty(), "not all examples succeed:\n{}", Trials(failed));
    }

    /// Returns the result of each tool, ordered by name.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// for trial in tool_core::testing::run_non_modifying(&registry).await.iter() {
    ///     println!("{trial}");
    /// }
    /// # });
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Trial> {
        self.0.iter()
    }

    /// Asserts that every tool ran without a panic. A tool may fail; a tool that elicits input runs until it does.
    ///
    /// # Panics
    ///
    /// Panics with each tool that did not run or panicked, and its arguments.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// tool_core::testing::run_non_modifying(&registry).await.assert_harmless();
    /// # });
    /// ```
    #[track_caller]
    pub fn assert_harmless(&self) {
        let others: Vec<Trial> = self.iter().filter(|trial| !trial.is_harmless()).cloned().collect();
        assert!(others.is_empty(), "not all tools ran without harm:\n{}", Trials(others));
    }
}

/// One line a tool.
impl fmt::Display for Trials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, trial) in self.0.iter().enumerate() {
            let end = if position == 0 { "" } else { "\n" };
            write!(f, "{end}{trial}")?;
        }
        Ok(())
    }
}

/// The result of one tool that was run.
///
/// ```
/// # tool_core::private::block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let trials = tool_core::testing::run_non_modifying(&registry).await;
/// assert!(trials.iter().all(|trial| trial.result.is_ok()));
/// # });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The name of the tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The result of the call.
    pub result: Result<Output, Failure>,
}

impl Trial {
    async fn of(tool: &ToolDefinition, arguments: Value, registry: &Registry) -> Self {
        let result = registry.call(tool.name(), arguments.clone()).await;
        Trial { tool: tool.name().to_owned(), arguments, result }
    }

    /// Returns `true` if the tool ran without a panic.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let trials = tool_core::testing::run_non_modifying(&registry).await;
    /// assert!(trials.iter().all(|trial| trial.is_harmless()));
    /// # });
    /// ```
    pub fn is_harmless(&self) -> bool {
        self.result.as_ref().map_or_else(|failure| is_own(failure.kind()), |_| true)
    }
}

/// Returns `true` if the failure comes from the tool itself, which then ran.
fn is_own(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Failed(_) | FailureKind::Unsupported | FailureKind::RateLimited)
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` with {}: ", self.tool, self.arguments)?;
        match &self.result {
            Ok(_) => f.write_str("succeeded"),
            Err(failure) => match failure.kind() {
                kind if is_own(kind) => write!(f, "failed: {failure}"),
                // A panic prints its message to stderr; other causes are in the log.
                FailureKind::Internal => f.write_str("panicked, or has an output that cannot be written"),
                FailureKind::Input => write!(
                    f,
                    "was not run, since this is only a guess: declare an `example` of its inputs ({})",
                    failure.text().replace('\n', " ")
                ),
                _ => write!(f, "was not run: {failure}"),
            },
        }
    }
}
