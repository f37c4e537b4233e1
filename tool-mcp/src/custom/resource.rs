//! Resources and resource templates that are not backed by a tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{Resource, ResourceTemplate};
use tool_core::{ResourceBody, ToolError};

use crate::custom::icon::Icon;
use crate::custom::{Completer, Request, RequestHandler, completer_of, icon};

/// A resource that the application defines, at any URI.
///
/// ```
/// use tool_core::ToolError;
/// use tool_mcp::{DynamicResource, Request, Server};
///
/// let guide = DynamicResource::text("docs://guide", "guide", "# Guide").mime_type("text/markdown").title("Guide");
/// let load = DynamicResource::new("system://load", "load", async |_: Request| -> Result<String, ToolError> {
///     Err(ToolError::unavailable("the sensor is off"))
/// });
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).resource(guide).resource(load);
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone)]
pub struct DynamicResource {
    pub(crate) uri: String,
    pub(crate) info: ResourceInfo,
    pub(crate) handler: RequestHandler<ResourceBody>,
}

/// Resources that the application defines, with variables in their URIs.
///
/// A variable is a whole segment. Its value is percent-decoded once, and is never `.` or `..`, nor contains NUL, `/` or `\`.
///
/// ```
/// use tool_core::ToolError;
/// use tool_mcp::{DynamicTemplate, Request, Server};
///
/// let pages = DynamicTemplate::new("docs://page/{id}", "page", async |request: Request| match request.get("id") {
///     Some("1") => Ok("The first page."),
///     _ => Err(ToolError::not_found("there is one page")),
/// });
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).resource_template(pages.values("id", ["1"]));
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone)]
pub struct DynamicTemplate {
    pub(crate) template: String,
    pub(crate) info: ResourceInfo,
    pub(crate) handler: RequestHandler<ResourceBody>,
    pub(crate) completers: BTreeMap<String, Completer>,
}

debug_with!(DynamicResource, uri);
debug_with!(DynamicTemplate, template);

/// What lists say about a resource or a resource template.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceInfo {
    name: String,
    title: Option<String>,
    description: Option<String>,
    pub(crate) mime_type: Option<String>,
    icons: Vec<Icon>,
}

/// Defines the setters of `info`. The examples call them on `$value`, which is Rust code.
macro_rules! info_setters {
    ($value:literal) => {
        /// Sets the name that people see.
        ///
        /// ```
        #[doc = concat!("let titled = ", $value, ".title(\"The first letter\");")]
        /// ```
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.info.title = Some(title.into());
            self
        }

        /// Sets the description.
        ///
        /// ```
        #[doc = concat!("let described = ", $value, ".description(\"The letter A.\");")]
        /// ```
        #[must_use]
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.info.description = Some(description.into());
            self
        }

        /// Sets the media type. Default: `text/plain` or `application/octet-stream`.
        ///
        /// ```
        #[doc = concat!("let markdown = ", $value, ".mime_type(\"text/markdown\");")]
        /// ```
        #[must_use]
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.info.mime_type = Some(mime_type.into());
            self
        }

        /// Adds an icon.
        ///
        /// ```
        /// let icon = tool_mcp::Icon::new("https://example.org/a.png");
        #[doc = concat!("let with_icon = ", $value, ".icon(icon);")]
        /// ```
        #[must_use]
        pub fn icon(mut self, icon: Icon) -> Self {
            self.info.icons.push(icon);
            self
        }
    };
}

impl DynamicResource {
    /// Creates a resource from an `async` function that returns a text or bytes.
    ///
    /// ```
    /// let read = async |_: tool_mcp::Request| Ok(vec![0x89, 0x50]);
    /// let dot = tool_mcp::DynamicResource::new("pictures://dot", "dot", read).mime_type("image/png");
    /// ```
    pub fn new<F, B>(
        uri: impl Into<String>,
        name: impl Into<String>,
        read: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<B, ToolError>> + Send + 'static,
        B: Into<ResourceBody> + 'static,
    {
        let info = ResourceInfo { name: name.into(), ..ResourceInfo::default() };
        DynamicResource { uri: uri.into(), info, handler: handler(read) }
    }

    /// Creates a resource with a constant text.
    ///
    /// ```
    /// let motto = tool_mcp::DynamicResource::text("docs://motto", "motto", "Less is more.");
    /// ```
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text: String = text.into();
        DynamicResource::new(uri, name, move |_| std::future::ready(Ok(text.clone())))
    }

    info_setters!("tool_mcp::DynamicResource::text(\"docs://a\", \"a\", \"# A\")");

    /// Returns the resource as MCP lists it.
    pub(crate) fn listed(&self) -> Resource {
        let ResourceInfo { name, title, description, mime_type, icons } = &self.info;
        let mut listed = Resource::new(&self.uri, name);
        (listed.title, listed.description) = (title.clone(), description.clone());
        (listed.mime_type, listed.icons) = (mime_type.clone(), icon::listed(icons));
        listed
    }
}

impl DynamicTemplate {
    /// Creates a template from an `async` function that returns a text or bytes for the values of the variables.
    ///
    /// ```
    /// let read = async |request: tool_mcp::Request| Ok(request.get("word").unwrap_or_default().to_owned());
    /// let echo = tool_mcp::DynamicTemplate::new("echo://{word}", "echo", read);
    /// ```
    pub fn new<F, B>(
        template: impl Into<String>,
        name: impl Into<String>,
        read: impl Fn(Request) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<B, ToolError>> + Send + 'static,
        B: Into<ResourceBody> + 'static,
    {
        let info = ResourceInfo { name: name.into(), ..ResourceInfo::default() };
        let (template, completers) = (template.into(), BTreeMap::new());
        DynamicTemplate { template, info, handler: handler(read), completers }
    }

    info_setters!(
        "tool_mcp::DynamicTemplate::new(\"a://{b}\", \"a\", async |_: tool_mcp::Request| Ok(\"A\"))"
    );

    /// Sets a function that proposes values of a variable for a partial text.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.complete("b", |typed| vec![format!("{typed}…")]);
    /// ```
    #[must_use]
    pub fn complete(
        mut self,
        variable: impl Into<String>,
        complete: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.completers.insert(variable.into(), Arc::new(complete));
        self
    }

    /// Sets the values to propose for a variable.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.values("b", ["alpha", "beta"]);
    /// ```
    #[must_use]
    pub fn values(
        mut self,
        variable: impl Into<String>,
        proposed: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.completers.insert(variable.into(), completer_of(proposed));
        self
    }

    /// Returns the template as MCP lists it, with its URI template in normal form.
    pub(crate) fn listed(&self, template: &str) -> ResourceTemplate {
        let ResourceInfo { name, title, description, mime_type, icons } = &self.info;
        let mut listed = ResourceTemplate::new(template, name);
        (listed.title, listed.description) = (title.clone(), description.clone());
        (listed.mime_type, listed.icons) = (mime_type.clone(), icon::listed(icons));
        listed
    }
}

fn handler<F, B>(read: impl Fn(Request) -> F + Send + Sync + 'static) -> RequestHandler<ResourceBody>
where
    F: Future<Output = Result<B, ToolError>> + Send + 'static,
    B: Into<ResourceBody> + 'static,
{
    Arc::new(move |request| {
        let read = read(request);
        Box::pin(async { read.await.map(Into::into) })
    })
}
