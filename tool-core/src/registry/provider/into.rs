//! Conversions into providers.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::call::tool::Tool;
use crate::definition::DefinitionError;
use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::registry::Registry;
use crate::registry::provider::discovery::DiscoveredTools;
use crate::registry::provider::discovery::{DiscoveryError, IntoTools};
use crate::registry::provider::toolset::Toolset;
use crate::registry::provider::{Provider, ToolsProvider};

/// A type that an adapter accepts as a provider: a [`Registry`], a list of tools, a function or an `async` function that
/// returns [tools](IntoTools), or any [`ToolsProvider`].
///
/// A function that takes a [`Principal`] returns the tools for this caller. A function is called on every request;
/// [`Cached`](crate::provider::Cached) calls it less often. Its tools run without state and with default settings;
/// [`Registry::providing`] uses the settings of a registry. A function that returns a [`Registry`] provides it as it is, with
/// its [local](crate::RegistryBuilder::local) principal.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::{DynamicTool, Output, Principal, Registry, Tool, ToolDefinition};
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
/// async fn look_up(caller: Principal) -> Result<Vec<Arc<dyn Tool>>, std::io::Error> {
///     Ok(if caller.id().is_some() { list() } else { Vec::new() })
/// }
///
/// serve(Registry::builder().allow_empty().build().unwrap());
/// serve(list());
/// serve(list);
/// serve(ask_another_server);
/// serve(look_up);
/// serve(|| async { Registry::builder().build() });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` provides no tools",
    label = "not a provider of tools",
    note = "pass a `Registry`, a `Vec<Arc<dyn Tool>>`, a function or an async function that returns one, or a `ToolsProvider`"
)]
pub trait IntoToolsProvider<Marker> {
    /// Converts into a provider.
    ///
    /// ```
    /// use tool_core::{Principal, Registry};
    /// use tool_core::provider::IntoToolsProvider;
    ///
    /// let provider = (|| Registry::builder().build()).into_provider();
    /// # tool_core::private::block_on(async {
    /// let caller = Principal::anonymous();
    /// assert!(provider.tools(&caller).await.unwrap_err().to_string().starts_with("the registry has no tools"));
    /// # });
    /// ```
    fn into_provider(self) -> Provider;
}

/// Markers that keep the implementations of [`IntoToolsProvider`] from overlapping.
///
/// ```
/// fn serve<Marker>(_: impl tool_core::provider::IntoToolsProvider<Marker>) {}
/// serve::<tool_core::provider::marker::Function>(|| tool_core::Registry::builder().build());
/// ```
pub mod marker {
    /// A [`ToolsProvider`](crate::provider::ToolsProvider).
    #[derive(Debug)]
    pub enum Itself {}
    /// A [`Provider`](crate::provider::Provider).
    #[derive(Debug)]
    pub enum Provider {}
    /// A list of tools.
    #[derive(Debug)]
    pub enum List {}
    /// A function that returns tools.
    #[derive(Debug)]
    pub enum Function {}
    /// A function that returns a future of tools.
    #[derive(Debug)]
    pub enum AsyncFunction {}
    /// A function that takes the caller and returns tools.
    #[derive(Debug)]
    pub enum FunctionOfCaller {}
    /// A function that takes the caller and returns a future of tools.
    #[derive(Debug)]
    pub enum AsyncFunctionOfCaller {}
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
        discovering(Base::Nowhere(Registry::empty()), self)
    }
}

impl<F: ToolSource<marker::AsyncFunction>> IntoToolsProvider<marker::AsyncFunction> for F {
    fn into_provider(self) -> Provider {
        discovering(Base::Nowhere(Registry::empty()), self)
    }
}

impl<F: ToolSource<marker::FunctionOfCaller>> IntoToolsProvider<marker::FunctionOfCaller> for F {
    fn into_provider(self) -> Provider {
        discovering(Base::Nowhere(Registry::empty()), self)
    }
}

impl<F: ToolSource<marker::AsyncFunctionOfCaller>> IntoToolsProvider<marker::AsyncFunctionOfCaller> for F {
    fn into_provider(self) -> Provider {
        discovering(Base::Nowhere(Registry::empty()), self)
    }
}

/// A function or an `async` function that finds tools, for any caller or for the [`Principal`] that it takes, and returns
/// [them](IntoTools).
///
/// ```
/// use tool_core::{Principal, Registry};
/// use tool_core::provider::ToolSource;
///
/// fn takes<Marker>(_: impl ToolSource<Marker>) {}
/// takes(|| Registry::builder().build());
/// takes(|| async { Registry::builder().build() });
/// takes(|_: Principal| async { Registry::builder().build() });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not look for tools",
    label = "not a function that returns tools",
    note = "pass a function or an async function that returns a `Vec<Arc<dyn Tool>>`, a `Registry`, or a `Result` of one",
    note = "it takes no argument, or the `Principal` of the caller"
)]
pub trait ToolSource<Marker>: Send + Sync + 'static {
    /// Finds the tools for a caller.
    #[doc(hidden)]
    fn discover(&self, caller: &Principal) -> BoxFuture<'_, Result<DiscoveredTools, DiscoveryError>>;
}

impl<F, T> ToolSource<marker::Function> for F
where
    F: Fn() -> T + Send + Sync + 'static,
    T: IntoTools,
{
    fn discover(&self, _: &Principal) -> BoxFuture<'_, Result<DiscoveredTools, DiscoveryError>> {
        Box::pin(async { self().discovered() })
    }
}

impl<F, A> ToolSource<marker::AsyncFunction> for F
where
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output: IntoTools> + Send + 'static,
{
    fn discover(&self, _: &Principal) -> BoxFuture<'_, Result<DiscoveredTools, DiscoveryError>> {
        Box::pin(async { self().await.discovered() })
    }
}

impl<F, T> ToolSource<marker::FunctionOfCaller> for F
where
    F: Fn(Principal) -> T + Send + Sync + 'static,
    T: IntoTools,
{
    fn discover(&self, caller: &Principal) -> BoxFuture<'_, Result<DiscoveredTools, DiscoveryError>> {
        let caller = caller.clone();
        Box::pin(async { self(caller).discovered() })
    }
}

impl<F, A> ToolSource<marker::AsyncFunctionOfCaller> for F
where
    F: Fn(Principal) -> A + Send + Sync + 'static,
    A: Future<Output: IntoTools> + Send + 'static,
{
    fn discover(&self, caller: &Principal) -> BoxFuture<'_, Result<DiscoveredTools, DiscoveryError>> {
        let caller = caller.clone();
        Box::pin(async { self(caller).await.discovered() })
    }
}

/// The registry for the tools of a function.
enum Base {
    /// A registry of the application, whose tools are provided as well.
    Registry(Registry),
    /// None: a registry that is found keeps its own scope.
    Nowhere(Registry),
}

impl Base {
    fn registry(&self) -> &Registry {
        match self {
            Base::Registry(registry) | Base::Nowhere(registry) => registry,
        }
    }
}

/// A function, and the registry for its tools.
struct Discovering<F, Marker> {
    base: Base,
    function: F,
    marker: PhantomData<fn() -> Marker>,
}

fn discovering<F: ToolSource<Marker>, Marker: 'static>(base: Base, function: F) -> Provider {
    Provider::new(Discovering { base, function, marker: PhantomData })
}

impl<F: ToolSource<Marker>, Marker> ToolsProvider for Discovering<F, Marker> {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(async {
            Ok(match (self.function.discover(caller).await?, &self.base) {
                (DiscoveredTools::Tools(tools), base) => base.registry().toolset(tools),
                (DiscoveredTools::Toolset(tools), Base::Nowhere(_)) => tools,
                (DiscoveredTools::Toolset(tools), Base::Registry(base)) => {
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
    /// Returns a provider of the tools of this registry and of the tools that a function finds on every request.
    ///
    /// The found tools are called with the settings and limits of this registry, and a server waits for their calls when it
    /// shuts down. If a found tool has the name of a tool of this registry, the found tool is [skipped](Toolset::skipped). If
    /// the function returns a [`Registry`] instead of a list, its tools keep the scope and the
    /// [options](Registry::with_options) of that registry; the [local](crate::RegistryBuilder::local) principal is that of this
    /// registry.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{DynamicTool, Operation, Output, Principal, Registry, Tool, ToolDefinition};
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
    /// let tools = provider.tools(&Principal::anonymous()).await.unwrap();
    /// assert_eq!(tools.registry().tools().map(|tool| tool.name()).collect::<Vec<_>>(), ["remote_read"]);
    /// # });
    /// ```
    pub fn providing<Marker: 'static>(self, discover: impl ToolSource<Marker>) -> Provider {
        discovering(Base::Registry(self), discover)
    }
}
