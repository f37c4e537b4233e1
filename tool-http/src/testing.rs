//! HTTP for the tests of an application: a router is called in the process of the test, without a port.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tool_core::Principal;
use tool_core::testing::{Interface, LocalBoxFuture, Response};
use tower::ServiceExt as _;

/// Calls tools through a router of this crate.
///
/// The tests of an application that need another route send a request to the router with `oneshot` of the crate `tower`.
///
/// ```
/// use tool_core::{Registry, testing, tool};
/// use tool_http::Options;
/// use tool_http::testing::HttpCalls;
///
/// /// Squares a number.
/// #[tool(operation = Transform)]
/// fn square(/** The number. */ #[arg(example = 4)] n: i64) -> i64 {
///     n * n
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "square").build().unwrap();
/// let router = tool_http::router_with(registry.clone(), Options::new().allow_execute(true));
/// let http = HttpCalls::new(router);
/// testing::compare_examples(&registry, |tool| !tool.modifies(), &[&http]).await.assert_equal();
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpCalls {
    router: Router,
    principal: Option<Principal>,
}

impl HttpCalls {
    /// Calls tools through this router, whose routes are at its root.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let http = tool_http::testing::HttpCalls::new(tool_http::router(registry));
    /// ```
    pub fn new(router: Router) -> Self {
        HttpCalls { router, principal: None }
    }

    /// Sets who calls, as a layer of the application in front of the router would. Default: whoever the router takes a request
    /// without credentials for.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let http = tool_http::testing::HttpCalls::new(tool_http::router(registry));
    /// let ada = http.principal(tool_core::Principal::new("ada").grant("report.file"));
    /// ```
    pub fn principal(self, principal: Principal) -> Self {
        HttpCalls { principal: Some(principal), ..self }
    }

    async fn call(&self, tool: &str, arguments: &[u8]) -> Result<Response, String> {
        let uri = format!("/tools/{}/call", utf8_percent_encode(tool, NON_ALPHANUMERIC));
        let request = Request::post(uri).header(header::CONTENT_TYPE, "application/json");
        let mut request = request.body(Body::from(arguments.to_vec())).map_err(|error| error.to_string())?;
        if let Some(principal) = &self.principal {
            request.extensions_mut().insert(principal.clone());
        }
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
        let body: Value = serde_json::from_slice(&body).map_err(|error| format!("{status}: {error}"))?;
        Ok(match (&body["isError"], body["kind"].as_str()) {
            (Value::Bool(false), _) => Response::success(&body["structuredContent"], &body["content"]),
            // The result of a tool that failed, whose text is whole.
            (Value::Bool(true), _) => {
                let text = body["content"][0]["text"].as_str().unwrap_or_default();
                Response::failure("execution_failed", text)
            }
            (_, Some(kind)) => Response::failure_from_json(kind, &body),
            // A refusal for every caller has no details.
            (_, None) if status == 403 => Response::failure_from_json("refused", &body),
            (_, None) => Response::failure_from_json(status.as_str(), &body),
        })
    }
}

/// A response that cannot be read is a failure of the kind `client`.
impl Interface for HttpCalls {
    fn name(&self) -> String {
        "HTTP".to_owned()
    }

    fn call<'a>(&'a self, tool: &'a str, arguments: &'a [u8]) -> LocalBoxFuture<'a, Response> {
        Box::pin(async move {
            let response = HttpCalls::call(self, tool, arguments).await;
            response.unwrap_or_else(|text| Response::failure("client", text))
        })
    }
}
