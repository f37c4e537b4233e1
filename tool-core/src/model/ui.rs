//! Pages that MCP clients show for a tool: the extension MCP Apps, version 2026-01-26.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::model::names::names;

/// The page that an MCP client shows for a call of a tool, in a frame without access to anything else: the option `ui`.
///
/// The page is one document of HTML. It speaks to the client by `postMessage`, as the extension MCP Apps defines: it gets the arguments
/// and the result, and can call tools of its server. It loads nothing from a network unless its origins are declared. A client that does
/// not show pages shows the result as usual.
///
/// ```
/// use tool_core::ui::{Ui, UiPermission, UiVisibility};
///
/// let ui = Ui::new("<!doctype html><title>Map</title>")
///     .connect(["https://tiles.example.com"])
///     .permissions([UiPermission::Geolocation])
///     .visibility(UiVisibility::App)
///     .prefers_border(true);
/// assert_eq!(ui.check(), Ok(()));
/// assert_eq!(ui.html(), "<!doctype html><title>Map</title>");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Ui {
    html: Cow<'static, str>,
    /// The origins by the member of the policy.
    origins: [(&'static str, Vec<String>); 4],
    permissions: Vec<UiPermission>,
    visibility: UiVisibility,
    prefers_border: Option<bool>,
}

names! {
    /// What a page asks the browser for.
    ///
    /// ```
    /// assert_eq!(tool_core::ui::UiPermission::ClipboardWrite.as_str(), "clipboardWrite");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum UiPermission {
        /// The camera.
        Camera = "camera",
        /// The microphone.
        Microphone = "microphone",
        /// The location of the device.
        Geolocation = "geolocation",
        /// Writing to the clipboard.
        ClipboardWrite = "clipboardWrite",
    }

    /// All permissions.
    ///
    /// ```
    /// assert_eq!(tool_core::ui::UiPermission::ALL.len(), 4);
    /// ```
    const ALL: [UiPermission; 4];

    /// Returns the name in the extension.
    ///
    /// ```
    /// assert_eq!(tool_core::ui::UiPermission::Camera.as_str(), "camera");
    /// ```
    pub const fn as_str;
}

/// Who may call a tool that has a page.
///
/// ```
/// use tool_core::ui::{Ui, UiVisibility};
///
/// assert_eq!(Ui::new("<!doctype html>"), Ui::new("<!doctype html>").visibility(UiVisibility::ModelAndApp));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UiVisibility {
    /// The model, and pages of the same server.
    #[default]
    ModelAndApp,
    /// The model alone.
    Model,
    /// Pages of the same server alone: clients do not offer the tool to the model.
    App,
}

/// Why a page cannot be declared.
///
/// ```
/// use tool_core::ui::Ui;
///
/// let error = Ui::new("<!doctype html>").connect(["https://example.com/api"]).check().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`https://example.com/api` is no origin that a page can use: expected a scheme (`https`, `wss`, or `http` and `ws` on this \
///      machine) and a host such as `https://api.example.com`, without a path"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UiError {
    /// The page has no text.
    #[error("its page is empty")]
    Empty,
    /// An origin is malformed, or not encrypted.
    #[error(
        "`{0}` is no origin that a page can use: expected a scheme (`https`, `wss`, or `http` and `ws` on this machine) and a host such as \
         `https://api.example.com`, without a path"
    )]
    Origin(String),
}

impl Ui {
    /// Creates a page of HTML that connects to nothing.
    ///
    /// ```
    /// let ui = tool_core::ui::Ui::new("<!doctype html><title>Table</title>");
    /// ```
    pub fn new(html: impl Into<Cow<'static, str>>) -> Self {
        let members = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
        Ui {
            html: html.into(),
            origins: members.map(|member| (member, Vec::new())),
            permissions: Vec::new(),
            visibility: UiVisibility::default(),
            prefers_border: None,
        }
    }

    /// Creates the default page: it shows the result, and a form that calls the tool again.
    ///
    /// A list of flat records becomes a table, a flat record a list of names and values, and anything else text. The form stands on the
    /// page if the client lets pages call tools. The page connects to nothing, and follows the theme of the client. A later version of
    /// this crate can change it, and then a lock shows the tool as changed.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use tool_core::ui::Ui;
    /// use tool_core::{Registry, tool, tools};
    ///
    /// /// Lists the prices of fruit.
    /// #[tool(operation = Read, ui = Ui::results())]
    /// fn prices() -> BTreeMap<String, u32> {
    ///     BTreeMap::from([("apple".to_owned(), 3)])
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![prices]).build().unwrap();
    /// assert_eq!(registry.get("prices").unwrap().ui(), Some(&Ui::results()));
    /// ```
    pub fn results() -> Self {
        Ui::new(include_str!("ui/results.html"))
    }

    /// Adds origins that the page may send requests to.
    ///
    /// ```
    /// # use tool_core::ui::Ui;
    /// let ui = Ui::new("<!doctype html>").connect(["https://api.example.com", "wss://*.example.com"]);
    /// ```
    pub fn connect(self, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with_origins(0, origins)
    }

    /// Adds origins that the page may load scripts, styles, images and fonts from.
    ///
    /// ```
    /// # use tool_core::ui::Ui;
    /// let ui = Ui::new("<!doctype html>").resources(["https://cdn.example.com"]);
    /// ```
    pub fn resources(self, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with_origins(1, origins)
    }

    /// Adds origins that the page may show in frames.
    ///
    /// ```
    /// # use tool_core::ui::Ui;
    /// let ui = Ui::new("<!doctype html>").frames(["https://player.example.com"]);
    /// ```
    pub fn frames(self, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with_origins(2, origins)
    }

    /// Adds origins that relative addresses of the page may be based on.
    ///
    /// ```
    /// # use tool_core::ui::Ui;
    /// let ui = Ui::new("<!doctype html>").base_uris(["https://cdn.example.com"]);
    /// ```
    pub fn base_uris(self, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with_origins(3, origins)
    }

    fn with_origins(mut self, position: usize, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.origins[position].1.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Adds permissions that the page asks the browser for. A client may refuse them.
    ///
    /// ```
    /// # use tool_core::ui::{Ui, UiPermission};
    /// let ui = Ui::new("<!doctype html>").permissions([UiPermission::Camera]);
    /// ```
    pub fn permissions(mut self, permissions: impl IntoIterator<Item = UiPermission>) -> Self {
        self.permissions.extend(permissions);
        self
    }

    /// Sets who may call the tool.
    ///
    /// ```
    /// # use tool_core::ui::{Ui, UiVisibility};
    /// let ui = Ui::new("<!doctype html>").visibility(UiVisibility::App);
    /// ```
    pub fn visibility(mut self, visibility: UiVisibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets whether the client should draw a border around the page. By default, the client decides.
    ///
    /// ```
    /// # use tool_core::ui::Ui;
    /// let ui = Ui::new("<!doctype html>").prefers_border(false);
    /// ```
    pub fn prefers_border(mut self, prefers: bool) -> Self {
        self.prefers_border = Some(prefers);
        self
    }

    /// Returns the page.
    ///
    /// ```
    /// assert_eq!(tool_core::ui::Ui::new("<!doctype html>").html(), "<!doctype html>");
    /// ```
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns `ui` in the `_meta` of the page: `csp`, `permissions` and `prefersBorder`, without what is not set.
    ///
    /// ```
    /// use tool_core::ui::{Ui, UiPermission};
    ///
    /// let ui = Ui::new("<!doctype html>").connect(["https://a.example"]).permissions([UiPermission::Camera]);
    /// let expected = serde_json::json!({"csp": {"connectDomains": ["https://a.example"]}, "permissions": {"camera": {}}});
    /// assert_eq!(ui.page_meta(), expected);
    /// ```
    pub fn page_meta(&self) -> Value {
        let mut meta = Map::new();
        let origins = self.origins.iter().filter(|(_, origins)| !origins.is_empty());
        let csp: Map<_, _> =
            origins.map(|(member, origins)| ((*member).to_owned(), json!(origins))).collect();
        if !csp.is_empty() {
            meta.insert("csp".to_owned(), csp.into());
        }
        let permissions: Map<_, _> =
            self.permissions.iter().map(|it| (it.as_str().to_owned(), json!({}))).collect();
        if !permissions.is_empty() {
            meta.insert("permissions".to_owned(), permissions.into());
        }
        if let Some(prefers) = self.prefers_border {
            meta.insert("prefersBorder".to_owned(), prefers.into());
        }
        meta.into()
    }

    /// Returns `ui` in the `_meta` of the tool, whose page has this URI.
    ///
    /// ```
    /// let meta = tool_core::ui::Ui::new("<!doctype html>").tool_meta("ui://shop/cart");
    /// assert_eq!(meta, serde_json::json!({"resourceUri": "ui://shop/cart", "visibility": ["model", "app"]}));
    /// ```
    pub fn tool_meta(&self, uri: &str) -> Value {
        json!({"resourceUri": uri, "visibility": self.visible_to()})
    }

    /// Returns `true` if a model may call the tool.
    ///
    /// ```
    /// # use tool_core::ui::{Ui, UiVisibility};
    /// assert!(!Ui::new("<!doctype html>").visibility(UiVisibility::App).is_for_model());
    /// ```
    pub fn is_for_model(&self) -> bool {
        self.visibility != UiVisibility::App
    }

    fn visible_to(&self) -> &'static [&'static str] {
        match self.visibility {
            UiVisibility::ModelAndApp => &["model", "app"],
            UiVisibility::Model => &["model"],
            UiVisibility::App => &["app"],
        }
    }

    /// Checks the page and its origins. `Registry::check` does it for declared tools.
    ///
    /// # Errors
    ///
    /// If the page is empty or an origin is malformed.
    ///
    /// ```
    /// assert!(tool_core::ui::Ui::new(" ").check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), UiError> {
        if self.html.trim().is_empty() {
            return Err(UiError::Empty);
        }
        let mut origins = self.origins.iter().flat_map(|(_, origins)| origins);
        match origins.find(|origin| !is_origin(origin)) {
            Some(origin) => Err(UiError::Origin(origin.chars().take(200).collect())),
            None => Ok(()),
        }
    }

    /// Returns what a lock and a digest contain.
    pub(crate) fn promise(&self) -> Value {
        let mut promise = self.page_meta();
        promise["visibility"] = json!(self.visible_to());
        promise["html"] = blake3::hash(self.html.as_bytes()).to_hex().as_str().into();
        promise
    }
}

/// Returns `true` if a text can be the origin in a policy: a client puts it there as it is.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else { return false };
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port != 0);
    let is_label = |label: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        label.starts_with(is_plain)
            && label.ends_with(is_plain)
            && label.chars().all(|c| is_plain(c) || c == '-')
    };
    let is_local = matches!(host, "localhost" | "127.0.0.1");
    let is_host = host.strip_prefix("*.").unwrap_or(host).split('.').all(is_label);
    let is_scheme = matches!(scheme, "https" | "wss") || (is_local && matches!(scheme, "http" | "ws"));
    is_scheme && is_host && port.is_none_or(is_port)
}

#[cfg(test)]
mod tests {
    use super::{Ui, is_origin};

    #[test]
    fn default_page_is_small_and_loads_nothing_and_inserts_no_markup() {
        let page = Ui::results();
        assert_eq!((page.check(), page.page_meta()), (Ok(()), serde_json::json!({})));
        assert!(page.html().len() <= 16 << 10, "{} bytes", page.html().len());
        for forbidden in [
            "://",
            "@import",
            "url(",
            "href=",
            "src=",
            "import(",
            "fetch(",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "eval(",
        ] {
            assert!(!page.html().contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn accepts_only_origins() {
        for (text, expected) in [
            ("https://api.example.com", true),
            ("https://*.example.com", true),
            ("wss://example.com:8443", true),
            ("http://localhost:3000", true),
            ("ws://127.0.0.1", true),
            ("http://example.com", false),
            ("https://example.com/", false),
            ("https://example.com/path", false),
            ("https://*", false),
            ("https://exa mple.com", false),
            ("https://example.com; script-src *", false),
            ("https://example.com'", false),
            ("https://", false),
            ("https://example.com:0", false),
            ("https://example.com:99999", false),
            ("data:", false),
            ("*", false),
            ("", false),
        ] {
            assert_eq!(is_origin(text), expected, "{text}");
        }
    }
}
