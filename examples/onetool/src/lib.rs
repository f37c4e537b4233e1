#![doc = include_str!("../README.md")]

mod block;
mod fetch;
mod http;
mod prompts;
mod search;
mod settings;
mod tools;

use tool_core::{BuildErrors, Registry, RegistryBuilder};
use tool_mcp::{PromptsFile, Server};

pub use block::{
    Block, BlockError, BlockLimits, Callable, MARKER, ROLE, Sandbox, comment, list, literal, worker,
};
pub use fetch::{Egress, FetchError, FetchLimits, FetchedPage, Fetcher, OriginError};
pub use search::{Hit, Running, Search, SearchError, Service};
pub use settings::{Settings, SettingsError};

/// The state of the tools.
///
/// ```
/// use onetool::{BlockLimits, Egress, FetchLimits, Fetcher, Sandbox, Search, Workshop};
///
/// let origin = "http://127.0.0.1:7878";
/// let workshop = Workshop {
///     search: Search::new(origin).unwrap(),
///     fetcher: Fetcher::new(Egress::to([origin]).unwrap(), FetchLimits::default()).unwrap(),
///     sandbox: Sandbox::of_this_program(BlockLimits::default()).unwrap(),
/// };
/// let registry = onetool::registry(workshop).unwrap();
/// assert!(registry.get("run").is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Workshop {
    /// The client of `brave_web_search`.
    pub search: Search,
    /// The client of `web_fetch`.
    pub fetcher: Fetcher,
    /// The sandbox of `run`.
    pub sandbox: Sandbox,
}

/// Builds the registry of this example.
///
/// # Errors
///
/// When the registry cannot be built.
///
/// ```
/// # use onetool::{BlockLimits, Egress, FetchLimits, Fetcher, Sandbox, Search, Workshop};
/// # let origin = "http://127.0.0.1:7878";
/// # let workshop = Workshop {
/// #     search: Search::new(origin).unwrap(),
/// #     fetcher: Fetcher::new(Egress::to([origin]).unwrap(), FetchLimits::default()).unwrap(),
/// #     sandbox: Sandbox::of_this_program(BlockLimits::default()).unwrap(),
/// # };
/// let registry = onetool::registry(workshop)?;
/// assert_eq!(registry.tools().count(), 4);
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn registry(workshop: Workshop) -> Result<Registry, BuildErrors> {
    builder(workshop).build()
}

/// Returns a builder, for a registry with fewer tools or with more, which blocks can then call.
///
/// ```
/// # use onetool::{BlockLimits, Egress, FetchLimits, Fetcher, Sandbox, Search, Workshop};
/// # let origin = "http://127.0.0.1:7878";
/// # let workshop = Workshop {
/// #     search: Search::new(origin).unwrap(),
/// #     fetcher: Fetcher::new(Egress::to([origin]).unwrap(), FetchLimits::default()).unwrap(),
/// #     sandbox: Sandbox::of_this_program(BlockLimits::default()).unwrap(),
/// # };
/// let registry = onetool::builder(workshop).select(|tool| tool.name() != "web_fetch").build()?;
/// assert!(registry.get("web_fetch").is_none() && registry.get("run").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn builder(workshop: Workshop) -> RegistryBuilder {
    let Workshop { search, fetcher, sandbox } = workshop;
    Registry::builder().linked().expect_crate("onetool").state(search).state(fetcher).state(sandbox)
}

/// Creates the MCP server with tools, prompts and resources, and additional prompts from a file.
///
/// ```
/// let settings = onetool::Settings::default();
/// let registry = settings.registry("http://127.0.0.1:7878")?;
/// let server = onetool::server(registry, settings.words()?);
/// server.into_axum_router().unwrap();
/// # Ok::<(), onetool::SettingsError>(())
/// ```
pub fn server(registry: Registry, words: PromptsFile) -> Server {
    Server::new(registry)
        .name("onetool")
        .title("OneTool")
        .version(env!("CARGO_PKG_VERSION"))
        .prompts_file(words)
}
