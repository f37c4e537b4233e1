//! What is written by hand beside the tools: resources, resource templates and prompts.

mod icon;
mod prompt;
mod resource;
mod template;

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use tool_core::{BoxFuture, Failure, Principal, ToolError};

pub(crate) use icon::listed as listed_icons;
pub use icon::{Icon, IconTheme};
pub use prompt::{DynamicPrompt, PromptArgument};
pub(crate) use resource::About;
pub use resource::{DynamicResource, DynamicTemplate};

/// What somebody asked of a resource, a resource template or a prompt that is written by hand.
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

    /// The URI that is read, or the name of the prompt.
    ///
    /// ```
    /// # let _ = tool_mcp::DynamicResource::new("docs://all", "all", async |request: tool_mcp::Request| {
    /// Ok(format!("this is {}", request.name()))
    /// # });
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of a variable of the template, or of an argument of the prompt.
    ///
    /// ```
    /// # let _ = tool_mcp::DynamicTemplate::new("docs://page/{id}", "page", async |request: tool_mcp::Request| {
    /// let id = request.get("id").unwrap_or_default();
    /// # Ok(id.to_owned())
    /// # });
    /// ```
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Who asks.
    ///
    /// ```
    /// # let _ = tool_mcp::DynamicResource::new("docs://me", "me", async |request: tool_mcp::Request| {
    /// Ok(request.principal().id().unwrap_or("nobody known").to_owned())
    /// # });
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}

/// What answers requests.
pub(crate) type Answering<T> = Arc<dyn Fn(Request) -> BoxFuture<'static, Result<T, ToolError>> + Send + Sync>;

/// What could complete a text that somebody has typed.
pub(crate) type Completing = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// Asks a function of the application. That it panics harms nobody else, and is told to nobody.
pub(crate) async fn ask<T>(answering: &Answering<T>, request: Request) -> Result<T, Failure> {
    let name = request.name.clone();
    let panicked = |_| {
        tracing::error!(requested = name, "what was written by hand panicked");
        Failure::internal()
    };
    let mut future = catch_unwind(AssertUnwindSafe(|| answering(request))).map_err(panicked)?;
    let polled = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(answer)) => Poll::Ready(Ok(answer)),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    polled.await.map_err(panicked)?.map_err(Failure::from)
}

/// Asks for completions.
pub(crate) fn completions(completing: &Completing, typed: &str) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| completing(typed))).unwrap_or_else(|_| {
        tracing::error!("a completion that was written by hand panicked");
        Vec::new()
    })
}

/// Those of a few values that begin with what was typed, whatever their case.
pub(crate) fn values(values: Vec<String>) -> Completing {
    Arc::new(move |typed| {
        let typed = typed.to_lowercase();
        values.iter().filter(|value| value.to_lowercase().starts_with(&typed)).cloned().collect()
    })
}

/// Shows no function, which cannot be shown.
fn shown(f: &mut fmt::Formatter<'_>, what: &str, name: &str) -> fmt::Result {
    f.debug_tuple(what).field(&name).finish()
}
