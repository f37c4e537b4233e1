//! State of an application, shared by its tools.

use std::any::type_name;
use std::ops::Deref;
use std::sync::Arc;

use crate::declare::inject::{Inject, Injection, Needs};
use crate::model::failure::Failure;

/// State shared by all calls: added with [`RegistryBuilder::state`](crate::RegistryBuilder::state), and taken by a
/// parameter `#[inject] shop: State<Shop>`.
///
/// Building a registry fails if the state of a tool is missing.
///
/// ```
/// use tool_core::{Registry, State, tool};
///
/// struct Shop {
///     name: &'static str,
/// }
///
/// /// The name of the shop.
/// #[tool(operation = Read)]
/// fn shop_name(#[inject] shop: State<Shop>) -> String {
///     shop.name.to_owned()
/// }
///
/// let registry = Registry::builder()
///     .linked()
///     # .select(|tool| tool.name() == "shop_name")
///     .state(Shop { name: "Corner" })
///     .build()
///     .unwrap();
/// # let output = tool_core::private::block_on(registry.call("shop_name", serde_json::json!({}))).unwrap();
/// # assert_eq!(output.value(), "Corner");
/// ```
#[derive(Debug)]
pub struct State<T: ?Sized>(Arc<T>);

impl<T> State<T> {
    /// Creates state for calling a tool function directly, as in a unit test. See also
    /// [`Reader::new`](crate::Reader::new) and [`Writer::for_tests`](crate::Writer::for_tests).
    ///
    /// ```
    /// assert_eq!(*tool_core::State::new(5), 5);
    /// ```
    pub fn new(value: T) -> Self {
        State(Arc::new(value))
    }
}

impl<T: ?Sized> Clone for State<T> {
    fn clone(&self) -> Self {
        State(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Converts the state into an [`Arc`] that outlives the call.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::State;
///
/// let shop: Arc<String> = State::new("Corner".to_owned()).into();
/// assert_eq!(*shop, "Corner");
/// ```
impl<T: ?Sized> From<State<T>> for Arc<T> {
    fn from(state: State<T>) -> Self {
        state.0
    }
}

impl<T: Send + Sync + 'static, Op> Inject<Op> for State<T> {
    const __IS_HANDLE: bool = true;

    fn needs(needs: &mut Needs) {
        needs.state::<T>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        state(source).map(State)
    }
}

/// Returns the state of type `T`, which a tool has declared as a need.
pub(crate) fn state<T: Send + Sync + 'static, Op>(source: &Injection<'_, Op>) -> Result<Arc<T>, Failure> {
    source.state::<T>().ok_or_else(|| {
        // Unreachable: a registry cannot be built without this state.
        tracing::error!(state = type_name::<T>(), "state is missing from a built registry");
        Failure::internal()
    })
}
