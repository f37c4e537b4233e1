//! Resources, resource templates and prompts that the application defines beside the tools.

/// Implements `Debug` with the type and one field, for types that contain functions.
macro_rules! debug_with {
    ($type:ident, $field:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($type)).field(&self.$field).finish()
            }
        }
    };
}

mod icon;
mod prompt;
mod resource;
mod template;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use tool_core::{BoxFuture, Failure, Principal, ToolError};

pub(crate) use icon::listed as listed_icons;
pub use icon::{Icon, IconTheme};
pub use prompt::{DynamicPrompt, PromptArgument};
pub(crate) use resource::ResourceInfo;
pub use resource::{DynamicResource, DynamicTemplate};

/// A request for a [`DynamicResource`], a [`DynamicTemplate`] or a [`DynamicPrompt`].
///
/// ```
/// use tool_mcp::{DynamicTemplate, Request};
///
/// let page = DynamicTemplate::new("docs://page/{id}", "page", async |request: Request| {
///     Ok(format!("{} says: page {}", request.name(), request.get("id").unwrap_or("?")))
/// });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    name: String,
    values: BTreeMap<String, String>,
    principal: Principal,
}

impl Request {
    pub(crate) fn new(name: &str, values: BTreeMap<String, String>, principal: Principal) -> Self {
        Request { name: name.to_owned(), values, principal }
    }

    /// Returns the URI of the resource, or the name of the prompt.
    ///
    /// ```
    /// let read = async |request: tool_mcp::Request| Ok(format!("this is {}", request.name()));
    /// let all = tool_mcp::DynamicResource::new("docs://all", "all", read);
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value of a variable of the template, or of an argument of the prompt.
    ///
    /// ```
    /// let read = async |request: tool_mcp::Request| Ok(request.get("id").unwrap_or_default().to_owned());
    /// let page = tool_mcp::DynamicTemplate::new("docs://page/{id}", "page", read);
    /// ```
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Returns the caller.
    ///
    /// ```
    /// let read = async |request: tool_mcp::Request| Ok(request.principal().id().unwrap_or("anonymous").to_owned());
    /// let me = tool_mcp::DynamicResource::new("docs://me", "me", read);
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}

/// A function of the application that handles requests.
pub(crate) type RequestHandler<T> =
    Arc<dyn Fn(Request) -> BoxFuture<'static, Result<T, ToolError>> + Send + Sync>;

/// A function of the application that completes a partial text.
pub(crate) type Completer = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// Calls a handler. A panic is logged and becomes an internal failure.
pub(crate) async fn handle<T>(handler: &RequestHandler<T>, request: Request) -> Result<T, Failure> {
    let name = request.name.clone();
    let panicked = |_| {
        tracing::error!(requested = name, "the handler of a dynamic resource or prompt panicked");
        Failure::internal()
    };
    let mut future = catch_unwind(AssertUnwindSafe(|| handler(request))).map_err(panicked)?;
    let polled = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    polled.await.map_err(panicked)?.map_err(Failure::from)
}

/// Calls a completer. A panic is logged, and completes nothing.
pub(crate) fn complete(completer: &Completer, typed: &str) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| completer(typed))).unwrap_or_else(|_| {
        tracing::error!("a completer panicked");
        Vec::new()
    })
}

/// Returns a completer that proposes the values that begin with the typed text, ignoring case.
fn completer_of(values: impl IntoIterator<Item = impl Into<String>>) -> Completer {
    let values: Vec<String> = values.into_iter().map(Into::into).collect();
    Arc::new(move |typed| {
        let typed = typed.to_lowercase();
        values.iter().filter(|value| value.to_lowercase().starts_with(&typed)).cloned().collect()
    })
}
