//! Injection that waits, for example for a database.

use crate::declare::inject::{Injection, Needs};
use crate::model::failure::Failure;

/// A type for a parameter marked `#[inject]` whose value is awaited, for example because it is read from a database.
///
/// It is used like [`Inject`](crate::inject::Inject), and only a tool with such a parameter waits. Parameters are
/// injected in order, once the inputs are valid. The time limit of the call includes the injection, and a caller that
/// leaves cancels it, also if the tool modifies. A type that implements both traits is injected by this one.
/// It may [ask](crate::elicitation#before-the-function) the caller.
///
/// `Op` is the operation of the tool, as for `Inject`. All parameters of a tool that waits must be [`Send`].
///
/// ```
/// use tool_core::inject::{InjectAsync, Injection, Needs};
/// use tool_core::{Failure, FailureKind, Principal, Registry, tool};
///
/// /// The accounts of an application.
/// struct Accounts;
///
/// impl Accounts {
///     async fn name(&self, id: &str) -> Option<String> {
///         (id == "ada").then(|| "Ada Lovelace".to_owned())
///     }
/// }
///
/// /// The user who calls.
/// struct User {
///     name: String,
/// }
///
/// impl<Op> InjectAsync<Op> for User {
///     fn needs(needs: &mut Needs) {
///         needs.state::<Accounts>();
///     }
///
///     async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
///         let accounts = source.state::<Accounts>().ok_or_else(Failure::internal)?;
///         let id = source.context().principal().id().unwrap_or("nobody");
///         match accounts.name(id).await {
///             Some(name) => Ok(User { name }),
///             None => Err(Failure::new(FailureKind::Denied, format!("`{id}` has no account"))),
///         }
///     }
/// }
///
/// /// Greets the user.
/// #[tool(operation = Read)]
/// fn greet_account(#[inject] user: User) -> String {
///     format!("Hello {}!", user.name)
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "greet_account").state(Accounts);
/// let registry = registry.build().unwrap().as_principal(Principal::new("ada"));
/// # let output = tool_core::private::block_on(registry.call("greet_account", serde_json::json!({}))).unwrap();
/// # assert_eq!(output.value(), "Hello Ada Lovelace!");
/// ```
pub trait InjectAsync<Op>: Sized + Send + 'static {
    /// Whether the value is a handle of state, which does not depend on the call.
    #[doc(hidden)]
    const __IS_HANDLE: bool = false;

    /// Describes what the registry must have, so that missing state is found when it is built.
    fn needs(needs: &mut Needs);

    /// Creates the value from the call. It is usually written as `async fn`.
    ///
    /// # Errors
    ///
    /// If the call has no such value. The tool is then not run.
    fn inject(source: &Injection<'_, Op>) -> impl Future<Output = Result<Self, Failure>> + Send;
}
