//! Helpers for the tests of an application.
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

use std::fmt;

use serde_json::Value;

pub use answers::Answers;

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
    let mut trials = Vec::new();
    for tool in registry.tools().filter(|tool| !tool.modifies()) {
        trials.push(Trial::of(tool, registry).await);
    }
    Trials(trials)
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
    async fn of(tool: &ToolDefinition, registry: &Registry) -> Self {
        let arguments = tool.example().clone();
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
