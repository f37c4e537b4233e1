//! The interfaces that serve a registry, and their responses.

use std::fmt;
use std::pin::Pin;

use serde_json::{Value, json};

use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::schema::problem::Problem;

/// A boxed future that need not be [`Send`], since the command line of an application is not.
///
/// ```
/// use tool_core::testing::LocalBoxFuture;
///
/// let eight: LocalBoxFuture<'_, u8> = Box::pin(async { 8 });
/// # assert_eq!(tool_core::private::block_on(eight), 8);
/// ```
pub type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// An interface through which tools are called, in the process of a test: HTTP, MCP or the command line.
///
/// The modules `testing` of `tool-http`, `tool-mcp` and `tool-cli` have one each, for
/// [`compare_examples`](crate::testing::compare_examples).
///
/// ```
/// use tool_core::testing::{Interface, LocalBoxFuture, Response};
///
/// /// Answers every call with 8.
/// struct Eight;
///
/// impl Interface for Eight {
///     fn name(&self) -> String {
///         "eight".to_owned()
///     }
///
///     fn call<'a>(&'a self, _: &'a str, _: &'a [u8]) -> LocalBoxFuture<'a, Response> {
///         Box::pin(async { Response::success(&serde_json::json!({"result": 8}), &serde_json::json!([])) })
///     }
/// }
/// ```
pub trait Interface {
    /// Returns the name of the interface for people, such as `HTTP`.
    fn name(&self) -> String;

    /// Calls a tool with arguments, which are the text of a JSON object.
    fn call<'a>(&'a self, tool: &'a str, arguments: &'a [u8]) -> LocalBoxFuture<'a, Response>;
}

/// The response of an interface, in a form that all interfaces share.
///
/// ```
/// use tool_core::{Failure, FailureKind};
/// use tool_core::testing::Response;
///
/// let response = Response::from(Err(Failure::new(FailureKind::Denied, "`add` was not run")));
/// assert_eq!(response.kind(), "access_denied");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Response {
    /// The tool succeeded: its structured output as JSON text, or else its content.
    Success(String),
    /// The tool failed, or did not run.
    #[non_exhaustive]
    Failure {
        /// The kind, as in `error_type` of the command line: see [`FailureCodes`](crate::failure::FailureCodes::error_type).
        kind: String,
        /// The message with all problems and the example of a valid call, see [`Failure::text`].
        text: String,
    },
}

impl Response {
    /// Returns the response of a tool that succeeded, with its structured output, null without any, and the list of its content.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::testing::Response;
    ///
    /// assert_eq!(Response::success(&json!({"a": 1}), &json!([])), Response::Success(r#"{"a":1}"#.to_owned()));
    /// ```
    pub fn success(structured: &Value, content: &Value) -> Self {
        // The command line does not distinguish null from no output.
        let is_nothing = structured.is_null() || *structured == json!({"result": null});
        Response::Success(if is_nothing { content } else { structured }.to_string())
    }

    /// Returns the response of a tool that failed or did not run, from its kind and its text.
    ///
    /// ```
    /// let response = tool_core::testing::Response::failure("client", "no JSON");
    /// assert_eq!(response.to_string(), "client: no JSON");
    /// ```
    pub fn failure(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Response::Failure { kind: kind.into(), text: text.into() }
    }

    /// Returns the response of a tool that failed, from a JSON object with the members of a serialized [`Failure`].
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::testing::Response;
    ///
    /// let problem = json!({"path": "/n", "message": "is missing", "keyword": "required"});
    /// let failure = json!({"error": "invalid input", "problems": [problem]});
    /// let response = Response::failure_from_json("invalid_input", &failure);
    /// assert_eq!(response.text(), "invalid input\n- /n: is missing");
    /// ```
    pub fn failure_from_json(kind: impl Into<String>, failure: &Value) -> Self {
        let mut text = failure["error"].as_str().unwrap_or_default().to_owned();
        for problem in failure["problems"].as_array().into_iter().flatten() {
            let shown = serde_json::from_value::<Problem>(problem.clone());
            let shown = shown.map_or_else(|_| problem.to_string(), |problem| problem.to_string());
            text.push_str(&format!("\n- {shown}"));
        }
        if let Some(example) = failure.get("example") {
            text.push_str(&format!("\nexample of a valid call: {example}"));
        }
        Response::failure(kind, text)
    }

    /// Returns the kind of the failure, or `success`.
    ///
    /// ```
    /// assert_eq!(tool_core::testing::Response::Success("{}".to_owned()).kind(), "success");
    /// ```
    pub fn kind(&self) -> &str {
        match self {
            Response::Success(_) => "success",
            Response::Failure { kind, .. } => kind,
        }
    }

    /// Returns the output as JSON text, or the text of the failure.
    ///
    /// ```
    /// assert_eq!(tool_core::testing::Response::Success("{}".to_owned()).text(), "{}");
    /// ```
    pub fn text(&self) -> &str {
        match self {
            Response::Success(text) | Response::Failure { text, .. } => text,
        }
    }
}

/// The response of a direct call.
impl From<Result<Output, Failure>> for Response {
    fn from(result: Result<Output, Failure>) -> Self {
        match result {
            Ok(output) => {
                let structured = output.structured().and_then(|it| serde_json::from_str(it.get()).ok());
                Response::success(&structured.unwrap_or_default(), &json!(output.content()))
            }
            Err(failure) => Response::failure(failure.kind().codes().error_type, failure.text()),
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), self.text())
    }
}
