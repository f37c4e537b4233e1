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

/// What the tools work with.
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
    /// What `brave_web_search` asks.
    pub search: Search,
    /// What `web_fetch` fetches with.
    pub fetcher: Fetcher,
    /// What `run` runs blocks in.
    pub sandbox: Sandbox,
}

/// The tools and prompts of this example.
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

/// The same, not built yet: for a registry with other tools besides, which blocks can then call, or with fewer.
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

/// The tools, prompts and resources over MCP, with words for models besides.
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
