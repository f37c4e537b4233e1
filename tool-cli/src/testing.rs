//! The command line for the tests of an application: commands run in the process of the test.

use std::fmt;

use serde_json::{Value, json};
use tool_core::testing::{Interface, LocalBoxFuture, Response};

use crate::app::App;
use crate::streams::{Buffer, Streams};

/// Calls tools with the command `run`.
///
/// The tests of an application that need another command use [`App::run_with`].
///
/// ```
/// use tool_cli::App;
/// use tool_cli::testing::CliCalls;
/// use tool_core::{Registry, testing, tool};
///
/// /// Cubes a number.
/// #[tool(operation = Transform)]
/// fn cube(/** The number. */ #[arg(example = 4)] n: i64) -> i64 {
///     n * n * n
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "cube").build().unwrap();
/// let app = registry.clone();
/// let cli = CliCalls::new(move || App::new("numbers", app.clone()));
/// testing::compare_examples(&registry, |tool| !tool.modifies(), &[&cli]).await.assert_equal();
/// # });
/// ```
pub struct CliCalls {
    app: Box<dyn Fn() -> App>,
}

impl CliCalls {
    /// Calls tools with the application that this function makes, which is called for each of them.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let cli = tool_cli::testing::CliCalls::new(move || tool_cli::App::new("numbers", registry.clone()));
    /// ```
    pub fn new(app: impl Fn() -> App + 'static) -> Self {
        CliCalls { app: Box::new(app) }
    }
}

impl fmt::Debug for CliCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CliCalls").finish_non_exhaustive()
    }
}

/// A tool that must be confirmed is. An output that cannot be read is a failure of the kind `client`.
impl Interface for CliCalls {
    fn name(&self) -> String {
        "the command line".to_owned()
    }

    fn call<'a>(&'a self, tool: &'a str, arguments: &'a [u8]) -> LocalBoxFuture<'a, Response> {
        Box::pin(async move {
            let (stdout, stderr) = (Buffer::default(), Buffer::default());
            let stdin = std::io::Cursor::new(arguments.to_vec());
            let streams = Streams::new(stdin, stdout.clone(), stderr.clone());
            let words = ["run", tool, "--yes", "--format", "json", "--input-json", "-"];
            let code = (self.app)().run_with(words, streams).await;
            let Ok(mut shown) = serde_json::from_str::<Value>(&stdout.text()) else {
                let text = format!("exit code {code}: {}{}", stdout.text(), stderr.text());
                return Response::failure("client", text);
            };
            if shown["success"] != true {
                let kind = shown["error_type"].as_str().unwrap_or_default().to_owned();
                return Response::failure_from_json(kind, &shown);
            }
            let output = match shown["output"].take() {
                output @ (Value::Object(_) | Value::Null) => output,
                output => json!({"result": output}),
            };
            Response::success(&output, &shown["content"])
        })
    }
}
