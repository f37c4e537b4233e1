//! Icons that clients show beside a name.

/// An icon for the server, a resource, a resource template or a prompt.
///
/// ```
/// use tool_mcp::{Icon, IconTheme};
///
/// let icon = Icon::new("https://example.org/sun.png").mime_type("image/png").size("48x48").theme(IconTheme::Light);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    src: String,
    mime_type: Option<String>,
    sizes: Vec<String>,
    theme: Option<IconTheme>,
}

/// The background that an icon is designed for.
///
/// ```
/// let icon = tool_mcp::Icon::new("https://example.org/moon.svg").theme(tool_mcp::IconTheme::Dark);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IconTheme {
    /// A light background.
    Light,
    /// A dark background.
    Dark,
}

impl Icon {
    /// Creates an icon from the `https:` or `data:` URI of an image.
    ///
    /// ```
    /// let icon = tool_mcp::Icon::new("data:image/svg+xml;base64,PHN2Zy8+");
    /// ```
    pub fn new(src: impl Into<String>) -> Self {
        Icon { src: src.into(), mime_type: None, sizes: Vec::new(), theme: None }
    }

    /// Sets the media type. Every client supports `image/png` and `image/jpeg`.
    ///
    /// ```
    /// let icon = tool_mcp::Icon::new("https://example.org/a").mime_type("image/png");
    /// ```
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a size that the icon is suitable for: `48x48`, or `any`.
    ///
    /// ```
    /// let icon = tool_mcp::Icon::new("https://example.org/a.svg").size("any");
    /// ```
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.sizes.push(size.into());
        self
    }

    /// Sets the background that the icon is designed for. Default: any.
    ///
    /// ```
    /// let icon = tool_mcp::Icon::new("https://example.org/a.png").theme(tool_mcp::IconTheme::Dark);
    /// ```
    #[must_use]
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }
}

/// Returns icons as MCP lists them; `None` for no icons.
pub(crate) fn listed(icons: &[Icon]) -> Option<Vec<rmcp::model::Icon>> {
    let icon = |icon: &Icon| {
        let mut listed = rmcp::model::Icon::new(&icon.src);
        listed.mime_type.clone_from(&icon.mime_type);
        listed.sizes = Some(icon.sizes.clone()).filter(|sizes| !sizes.is_empty());
        listed.theme = icon.theme.map(|theme| match theme {
            IconTheme::Light => rmcp::model::IconTheme::Light,
            IconTheme::Dark => rmcp::model::IconTheme::Dark,
        });
        listed
    };
    (!icons.is_empty()).then(|| icons.iter().map(icon).collect())
}
