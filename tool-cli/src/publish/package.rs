//! What a package says about an application.

/// What is published about an application, besides its tools: the name in the MCP registry, who made it, and where it is found.
///
/// Pass it to [`App::package`](crate::App::package), which adds the command `publish`.
///
/// ```
/// use tool_cli::Package;
///
/// let package = Package::new("io.github.ada/weather")
///     .title("Weather")
///     .author("Ada Lovelace")
///     .license("MIT OR Apache-2.0")
///     .homepage("https://example.org/weather")
///     .repository("https://github.com/ada/weather");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Package {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) homepage: Option<String>,
    pub(crate) repository: Option<String>,
}

impl Package {
    /// Creates a package with its name in the MCP registry: a namespace that belongs to you, as `io.github.USER` or a domain
    /// backwards, a slash, and the name of the server.
    ///
    /// ```
    /// let package = tool_cli::Package::new("org.example/weather");
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Package {
            name: name.into(),
            title: None,
            author: None,
            license: None,
            homepage: None,
            repository: None,
        }
    }

    /// Sets the name for people.
    ///
    /// ```
    /// let package = tool_cli::Package::new("org.example/weather").title("Weather");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the name of the author, which an MCP bundle needs.
    ///
    /// ```
    /// let package = tool_cli::Package::new("org.example/weather").author("Ada Lovelace");
    /// ```
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.author = Some(author.into());
        self
    }

    /// Sets the license, an expression of SPDX.
    ///
    /// ```
    /// let package = tool_cli::Package::new("org.example/weather").license(env!("CARGO_PKG_LICENSE"));
    /// ```
    pub fn license(mut self, license: impl Into<String>) -> Self {
        self.license = Some(license.into());
        self
    }

    /// Sets the address of the website or the documentation, which begins with `https://`.
    ///
    /// ```
    /// let package = tool_cli::Package::new("org.example/weather").homepage("https://example.org/weather");
    /// ```
    pub fn homepage(mut self, url: impl Into<String>) -> Self {
        self.homepage = Some(url.into());
        self
    }

    /// Sets the address of the source code, which begins with `https://`. The MCP registry takes those of GitHub and GitLab.
    ///
    /// ```
    /// let package = tool_cli::Package::new("io.github.ada/weather").repository("https://github.com/ada/weather");
    /// ```
    pub fn repository(mut self, url: impl Into<String>) -> Self {
        self.repository = Some(url.into());
        self
    }
}
