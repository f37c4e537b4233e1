//! What becomes a provider where an adapter takes one.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::call::tool::Tool;
use crate::definition::DefinitionError;
use crate::model::future::BoxFuture;
use crate::registry::Registry;
use crate::registry::provider::discovery::Found;
use crate::registry::provider::discovery::{DiscoveryError, IntoTools};
use crate::registry::provider::toolset::Toolset;
use crate::registry::provider::{Provider, ToolsProvider};

/// What an adapter takes its tools from: a [`Registry`], a list of tools, a function or an `async` function that returns
/// [what it found](IntoTools), or any [`ToolsProvider`].
///
/// A function is called on every request; [`Cached`](crate::provider::Cached) asks it less often. Its tools run with no state and
/// no switches but the defaults; [`Registry::providing`] gives them those of a registry. A function that returns a [`Registry`]
/// provides it as it is, its [local](crate::RegistryBuilder::local) caller with it.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::{DynamicTool, Output, Registry, Tool, ToolDefinition};
/// use tool_core::provider::{IntoToolsProvider, Provider};
///
/// // An adapter:
/// fn serve<Marker>(provider: impl IntoToolsProvider<Marker>) -> Provider {
///     provider.into_provider()
/// }
///
/// fn list() -> Vec<Arc<dyn Tool>> {
///     Vec::new()
/// }
///
/// async fn ask_another_server() -> Result<Vec<Arc<dyn Tool>>, std::io::Error> {
///     Ok(Vec::new())
/// }
///
/// serve(Registry::builder().allow_empty().build().unwrap());
/// serve(list());
/// serve(list);
/// serve(ask_another_server);
/// serve(|| async { Registry::builder().build() });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` provides no tools",
    label = "not a provider of tools",
    note = "pass a `Registry`, a `Vec<Arc<dyn Tool>>`, a function or an async function that returns one, or a `ToolsProvider`"
)]
pub trait IntoToolsProvider<Marker> {
    /// The provider, as an adapter holds it.
    ///
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::provider::IntoToolsProvider;
    ///
    /// let provider = (|| Registry::builder().build()).into_provider();
    /// # tool_core::private::block_on(async {
    /// assert!(provider.tools().await.unwrap_err().to_string().starts_with("the registry has no tools"));
    /// # });
    /// ```
    fn into_provider(self) -> Provider;
}

/// How something provides tools: the markers that keep the implementations of [`IntoToolsProvider`] apart.
///
/// ```
/// fn serve<Marker>(_: impl tool_core::provider::IntoToolsProvider<Marker>) {}
/// serve::<tool_core::provider::marker::Function>(|| tool_core::Registry::builder().build());
/// ```
pub mod marker {
    /// By being a [`ToolsProvider`](crate::provider::ToolsProvider).
    #[derive(Debug)]
    pub enum Itself {}
    /// By being a [`Provider`](crate::provider::Provider) already.
    #[derive(Debug)]
    pub enum Provider {}
    /// By being a list.
    #[derive(Debug)]
    pub enum List {}
    /// By returning the tools.
    #[derive(Debug)]
    pub enum Function {}
    /// By returning a future of the tools.
    #[derive(Debug)]
    pub enum AsyncFunction {}
}

impl<P: ToolsProvider + 'static> IntoToolsProvider<marker::Itself> for P {
    fn into_provider(self) -> Provider {
        Provider::new(self)
    }
}

impl IntoToolsProvider<marker::Provider> for Provider {
    fn into_provider(self) -> Provider {
        self
    }
}

impl IntoToolsProvider<marker::List> for Vec<Arc<dyn Tool>> {
    fn into_provider(self) -> Provider {
        self.into_iter().map(Ok).collect::<Vec<_>>().into_provider()
    }
}

impl IntoToolsProvider<marker::List> for Vec<Result<Arc<dyn Tool>, DefinitionError>> {
    fn into_provider(self) -> Provider {
        Provider::new(Registry::empty().toolset(self))
    }
}

impl<F: ToolSource<marker::Function>> IntoToolsProvider<marker::Function> for F {
    fn into_provider(self) -> Provider {
        Provider::new(Discovering {
            base: Base::Nowhere(Registry::empty()),
            function: self,
            marker: PhantomData,
        })
    }
}

impl<F: ToolSource<marker::AsyncFunction>> IntoToolsProvider<marker::AsyncFunction> for F {
    fn into_provider(self) -> Provider {
        Provider::new(Discovering {
            base: Base::Nowhere(Registry::empty()),
            function: self,
            marker: PhantomData,
        })
    }
}

/// A function or an `async` function that looks for tools and returns [what it found](IntoTools).
///
/// ```
/// use tool_core::Registry;
/// use tool_core::provider::ToolSource;
///
/// fn takes<Marker>(_: impl ToolSource<Marker>) {}
/// takes(|| Registry::builder().build());
/// takes(|| async { Registry::builder().build() });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not look for tools",
    label = "not a function that returns tools",
    note = "pass a function or an async function that returns a `Vec<Arc<dyn Tool>>`, a `Registry`, or a `Result` of one"
)]
pub trait ToolSource<Marker>: Send + Sync + 'static {
    /// Looks for tools.
    #[doc(hidden)]
    fn discover(&self) -> BoxFuture<'_, Result<Found, DiscoveryError>>;
}

impl<F, T> ToolSource<marker::Function> for F
where
    F: Fn() -> T + Send + Sync + 'static,
    T: IntoTools,
{
    fn discover(&self) -> BoxFuture<'_, Result<Found, DiscoveryError>> {
        Box::pin(async { self().discovered() })
    }
}

impl<F, A> ToolSource<marker::AsyncFunction> for F
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output: IntoTools> + Send + 'static,
{
    fn discover(&self) -> BoxFuture<'_, Result<Found, DiscoveryError>> {
        Box::pin(async { self().await.discovered() })
    }
}

/// Where the tools of a function are at home.
enum Base {
    /// In a registry of the application, whose tools are provided with them.
    Registry(Registry),
    /// Nowhere in particular: what is found with a home of its own keeps everything of that.
    Nowhere(Registry),
}

impl Base {
    fn registry(&self) -> &Registry {
        match self {
            Base::Registry(registry) | Base::Nowhere(registry) => registry,
        }
    }
}

/// A function, and where its tools are at home.
struct Discovering<F, Marker> {
    base: Base,
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

impl<F: ToolSource<Marker>, Marker> ToolsProvider for Discovering<F, Marker> {
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
        Box::pin(async {
            Ok(match (self.function.discover().await?, &self.base) {
                (Found::Tools(tools), base) => base.registry().toolset(tools),
                (Found::Toolset(tools), Base::Nowhere(_)) => tools,
                (Found::Toolset(tools), Base::Registry(base)) => {
                    let origins = tools.clone();
                    Toolset::joined(vec![base.clone().into(), tools]).found_like(&origins)
                }
            })
        })
    }

    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        self.base.registry().store().cloned()
    }
}

impl Registry {
    /// A provider of the tools of this registry and of those that a function finds anew on every request.
    ///
    /// What is found is called as the tools of this registry are: with its switches and limits, and awaited with them when
    /// a server ends. A tool of this registry stands before a found one of the same name, which is then
    /// [left out](Toolset::skipped). A function that returns a [`Registry`] instead of a list has its tools at home there, and
    /// what stands [beside their calls](Registry::with_options) stays beside them; the [local](crate::RegistryBuilder::local) caller
    /// is that of this registry.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{DynamicTool, Operation, Output, Registry, Tool, ToolDefinition};
    ///
    /// let remote = || async {
    ///     let reads = ToolDefinition::builder("remote_read", "Reads.").operation(Operation::Read).build()?;
    ///     let writes = ToolDefinition::builder("remote_write", "Writes.").operation(Operation::Write).build()?;
    ///     let tool = |definition| -> Arc<dyn Tool> {
    ///         Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) }))
    ///     };
    ///     Ok::<_, tool_core::definition::DefinitionError>(vec![tool(reads), tool(writes)])
    /// };
    /// let provider = Registry::builder().allow_empty().read_only().build().unwrap().providing(remote);
    /// # tool_core::private::block_on(async {
    /// let tools = provider.tools().await.unwrap();
    /// assert_eq!(tools.registry().tools().map(|tool| tool.name()).collect::<Vec<_>>(), ["remote_read"]);
    /// # });
    /// ```
    pub fn providing<Marker: 'static>(self, discover: impl ToolSource<Marker>) -> Provider {
        Provider::new(Discovering { base: Base::Registry(self), function: discover, marker: PhantomData })
    }
}
