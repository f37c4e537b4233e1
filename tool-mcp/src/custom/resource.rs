//! Resources and resource templates that no tool stands behind.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rmcp::model::{Resource, ResourceTemplate};
use tool_core::{ResourceBody, ToolError};

use crate::custom::icon::Icon;
use crate::custom::{Answering, Completing, Request, icon, shown, values};

/// A resource that is written by hand: anything that is read, at any URI.
///
/// ```
/// use tool_core::ToolError;
/// use tool_mcp::{DynamicResource, Request, Server};
///
/// let guide = DynamicResource::text("docs://guide", "guide", "# Guide").mime_type("text/markdown").title("Guide");
/// let load = DynamicResource::new("system://load", "load", async |_: Request| -> Result<String, ToolError> {
///     Err(ToolError::unavailable("nobody measures it"))
/// });
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).resource(guide).resource(load);
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone)]
pub struct DynamicResource {
    pub(crate) uri: String,
    pub(crate) about: About,
    pub(crate) read: Answering<ResourceBody>,
}

/// Resources that are written by hand, whose URIs differ in their variables.
///
/// A variable is a whole segment. What it stands for is decoded once, and is never `.`, `..`, nor contains NUL, `/` or
/// `\`.
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
    pub(crate) about: About,
    pub(crate) read: Answering<ResourceBody>,
    pub(crate) completions: BTreeMap<String, Completing>,
}

/// What both have.
#[derive(Clone, Debug)]
pub(crate) struct About {
    name: String,
    title: Option<String>,
    description: Option<String>,
    pub(crate) mime_type: Option<String>,
    icons: Vec<Icon>,
}

impl About {
    fn new(name: String) -> Self {
        About { name, title: None, description: None, mime_type: None, icons: Vec::new() }
    }
}

impl DynamicResource {
    /// What an `async` function returns: a text, or bytes.
    ///
    /// ```
    /// use tool_mcp::{DynamicResource, Request};
    ///
    /// let dot = DynamicResource::new("pictures://dot", "dot", async |_: Request| Ok(vec![0x89, 0x50])).mime_type("image/png");
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
        DynamicResource { uri: uri.into(), about: About::new(name.into()), read: reading(read) }
    }

    /// A text that stays as it is.
    ///
    /// ```
    /// let motto = tool_mcp::DynamicResource::text("docs://motto", "motto", "Less is more.");
    /// ```
    pub fn text(uri: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text: String = text.into();
        DynamicResource::new(uri, name, move |_| std::future::ready(Ok(text.clone())))
    }

    /// The name for people.
    ///
    /// ```
    /// # let resource = tool_mcp::DynamicResource::text("docs://a", "a", "A");
    /// let resource = resource.title("The first letter");
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// What it is.
    ///
    /// ```
    /// # let resource = tool_mcp::DynamicResource::text("docs://a", "a", "A");
    /// let resource = resource.description("The letter that words in A begin with.");
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.about.description = Some(description.into());
        self
    }

    /// Its media type; `text/plain` or `application/octet-stream`, if it is not said.
    ///
    /// ```
    /// # let resource = tool_mcp::DynamicResource::text("docs://a", "a", "# A");
    /// let resource = resource.mime_type("text/markdown");
    /// ```
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.about.mime_type = Some(mime_type.into());
        self
    }

    /// A picture for it. May be said several times.
    ///
    /// ```
    /// # let resource = tool_mcp::DynamicResource::text("docs://a", "a", "A");
    /// let resource = resource.icon(tool_mcp::Icon::new("https://example.org/a.png"));
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.about.icons.push(icon);
        self
    }

    /// In the shape of MCP.
    pub(crate) fn listed(&self) -> Resource {
        let About { name, title, description, mime_type, icons } = &self.about;
        let mut listed = Resource::new(&self.uri, name);
        (listed.title, listed.description) = (title.clone(), description.clone());
        (listed.mime_type, listed.icons) = (mime_type.clone(), icon::listed(icons));
        listed
    }
}

impl DynamicTemplate {
    /// What an `async` function returns for the variables of a template: a text, or bytes.
    ///
    /// ```
    /// use tool_mcp::{DynamicTemplate, Request};
    ///
    /// let echo = DynamicTemplate::new("echo://{word}", "echo", async |request: Request| {
    ///     Ok(request.get("word").unwrap_or_default().to_owned())
    /// });
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
        let about = About::new(name.into());
        DynamicTemplate {
            template: template.into(),
            about,
            read: reading(read),
            completions: BTreeMap::new(),
        }
    }

    /// The name for people.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.title("Letters");
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// What they are.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.description("Letters by their names.");
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.about.description = Some(description.into());
        self
    }

    /// Their media type; `text/plain` or `application/octet-stream`, if it is not said.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.mime_type("text/markdown");
    /// ```
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.about.mime_type = Some(mime_type.into());
        self
    }

    /// A picture for them. May be said several times.
    ///
    /// ```
    /// # let template = tool_mcp::DynamicTemplate::new("a://{b}", "a", async |_: tool_mcp::Request| Ok("A"));
    /// let template = template.icon(tool_mcp::Icon::new("https://example.org/a.png"));
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.about.icons.push(icon);
        self
    }

    /// What proposes values for a variable, from what somebody has typed so far.
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
        self.completions.insert(variable.into(), Arc::new(complete));
        self
    }

    /// The values that are proposed for a variable.
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
        self.completions.insert(variable.into(), values(proposed.into_iter().map(Into::into).collect()));
        self
    }

    /// In the shape of MCP, with its template as it was understood.
    pub(crate) fn listed(&self, template: &str) -> ResourceTemplate {
        let About { name, title, description, mime_type, icons } = &self.about;
        let mut listed = ResourceTemplate::new(template, name);
        (listed.title, listed.description) = (title.clone(), description.clone());
        (listed.mime_type, listed.icons) = (mime_type.clone(), icon::listed(icons));
        listed
    }
}

fn reading<F, B>(read: impl Fn(Request) -> F + Send + Sync + 'static) -> Answering<ResourceBody>
where
    F: Future<Output = Result<B, ToolError>> + Send + 'static,
    B: Into<ResourceBody> + 'static,
{
    Arc::new(move |request| {
        let read = read(request);
        Box::pin(async { read.await.map(Into::into) })
    })
}

impl fmt::Debug for DynamicResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, "DynamicResource", &self.uri)
    }
}

impl fmt::Debug for DynamicTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, "DynamicTemplate", &self.template)
    }
}
