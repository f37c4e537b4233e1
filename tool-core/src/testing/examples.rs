//! The examples of tools, on all interfaces.

use std::fmt;

use serde_json::Value;

use crate::call::options::CallOptions;
use crate::definition::ToolDefinition;
use crate::registry::Registry;
use crate::testing::interface::{Interface, Response};

/// Returns the calls to try of the tools that `which` selects: the declared [examples](ToolDefinition::examples) of each, or else
/// its [minimal call](ToolDefinition::example).
pub(super) fn examples(
    registry: &Registry,
    which: impl Fn(&ToolDefinition) -> bool,
) -> Vec<(&ToolDefinition, Value)> {
    let of_tool = |tool: &ToolDefinition| match tool.examples() {
        [] => vec![tool.example().clone()],
        examples => examples.to_vec(),
    };
    let selected = registry.tools().filter(|tool| which(tool));
    selected.flat_map(|tool| of_tool(tool).into_iter().map(move |call| (tool, call))).collect()
}

/// Calls the examples of the tools that `which` selects on every interface, and compares the responses with those of a direct
/// call.
///
/// All of them must serve the same tools, for the same caller. Each call is made directly, and then once on each interface: give
/// each its own state, or leave out the tools that modify, as below. The call goes through each interface as those of its clients do, so that the check
/// finds outputs that one of them cannot show, and inputs that one of them cannot take.
///
/// ```
/// use tool_core::{Registry, testing, tool};
/// use tool_core::testing::{Interface, LocalBoxFuture, Response};
///
/// /// Triples a number.
/// #[tool(operation = Transform)]
/// fn times_three(/** The number. */ #[arg(example = 4)] n: i64) -> i64 {
///     3 * n
/// }
///
/// /// Answers with the same number every time.
/// struct Constant(i64);
///
/// impl Interface for Constant {
///     fn name(&self) -> String {
///         format!("constant {}", self.0)
///     }
///
///     fn call<'a>(&'a self, _: &'a str, _: &'a [u8]) -> LocalBoxFuture<'a, Response> {
///         let output = serde_json::json!({"result": self.0});
///         Box::pin(async move { Response::success(&output, &serde_json::json!([])) })
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "times_three").build().unwrap();
/// let compared = testing::compare_examples(&registry, |tool| !tool.modifies(), &[&Constant(12), &Constant(8)]).await;
/// assert_eq!(compared.calls, 1);
/// assert_eq!(
///     compared.to_string(),
///     "`times_three` with {\"n\":4}\n  directly: success: {\"result\":12}\n  constant 8: success: {\"result\":8}",
/// );
/// # });
/// ```
pub async fn compare_examples(
    registry: &Registry,
    which: impl Fn(&ToolDefinition) -> bool,
    interfaces: &[&dyn Interface],
) -> Comparison {
    let examples = examples(registry, which);
    let mut compared = Comparison { calls: examples.len(), mismatches: Vec::new() };
    for (tool, arguments) in examples {
        let text = arguments.to_string();
        let direct = registry.call_with(tool.name(), text.as_bytes(), &CallOptions::new()).await.result;
        let direct = Response::from(direct);
        for interface in interfaces {
            let response = interface.call(tool.name(), text.as_bytes()).await;
            if response != direct {
                compared.mismatches.push(Mismatch {
                    tool: tool.name().to_owned(),
                    arguments: arguments.clone(),
                    direct: direct.clone(),
                    interface: interface.name(),
                    response,
                });
            }
        }
    }
    compared
}

/// The comparison of the examples on all interfaces. Displays one paragraph a mismatch.
///
/// ```
/// # tool_core::private::block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let compared = tool_core::testing::compare_examples(&registry, |_| true, &[]).await;
/// assert!(compared.mismatches.is_empty());
/// # });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use = "see `mismatches`, or `assert_equal`"]
pub struct Comparison {
    /// How many calls were compared.
    pub calls: usize,
    /// The responses that differ from those of direct calls.
    pub mismatches: Vec<Mismatch>,
}

impl Comparison {
    /// Asserts that there was a call, and that each had the same response on every interface.
    ///
    /// # Panics
    ///
    /// Panics with all mismatches.
    ///
    /// ```no_run
    /// # async fn f(registry: tool_core::Registry, interface: &dyn tool_core::testing::Interface) {
    /// tool_core::testing::compare_examples(&registry, |tool| !tool.modifies(), &[interface]).await.assert_equal();
    /// # }
    /// ```
    #[track_caller]
    pub fn assert_equal(&self) {
        assert!(self.calls > 0, "no tool was called");
        assert!(self.mismatches.is_empty(), "not all interfaces respond alike:\n{self}");
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, mismatch) in self.mismatches.iter().enumerate() {
            let end = if position == 0 { "" } else { "\n" };
            write!(f, "{end}{mismatch}")?;
        }
        Ok(())
    }
}

/// A call with another response on one interface than directly.
///
/// ```
/// # async fn f(registry: tool_core::Registry, interface: &dyn tool_core::testing::Interface) {
/// # let compared = tool_core::testing::compare_examples(&registry, |_| true, &[interface]).await;
/// for mismatch in &compared.mismatches {
///     println!("{} differs on {}", mismatch.tool, mismatch.interface);
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mismatch {
    /// The name of the tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The response of a direct call.
    pub direct: Response,
    /// The name of the interface.
    pub interface: String,
    /// The response of the interface.
    pub response: Response,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { tool, arguments, direct, interface, response } = self;
        write!(f, "`{tool}` with {arguments}\n  directly: {direct}\n  {interface}: {response}")
    }
}
