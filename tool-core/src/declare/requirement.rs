//! Requirements: configuration that a tool needs to run.

use serde::Serialize;

use crate::declare::inject::Needs;
use crate::declare::states::{States, WithoutState};
use crate::model::catch_panic::{Panicked, catch_panic};

/// Why a requirement is not met: a tool lacks configuration.
///
/// ```
/// use tool_core::Unmet;
///
/// fn search_service() -> Result<(), Unmet> {
///     match std::env::var_os("SEARCH_URL") {
///         Some(_) => Ok(()),
///         None => Err(Unmet::new("set SEARCH_URL to the address of the search service")),
///     }
/// }
///
/// assert!(search_service().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmet(String);

impl Unmet {
    /// Creates the error from a message for the caller: what is missing, and how to provide it.
    ///
    /// ```
    /// assert_eq!(tool_core::Unmet::new("set TOKEN").to_string(), "set TOKEN");
    /// ```
    pub fn new(reason: impl Into<String>) -> Self {
        Unmet(reason.into())
    }
}

/// Whether the requirements of a tool are met.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// for tool in registry.tools() {
///     if let Some(message) = registry.requirements(tool.name()).and_then(|requirements| requirements.message) {
///         println!("{} cannot run: {message}", tool.name());
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Requirements {
    /// Whether all requirements are met.
    pub met: bool,
    /// What is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Requirements {
    pub(crate) fn new(unmet: Option<String>) -> Self {
        Requirements { met: unmet.is_none(), message: unmet }
    }
}

/// Checks all requirements, and returns the distinct reasons why some are not met.
pub(crate) fn unmet(requires: &[RequireFn], states: &States) -> Option<String> {
    let mut reasons: Vec<String> = Vec::new();
    for require in requires {
        let reason = match catch_panic(|| require(&mut Requiring::Check(states))) {
            Ok(Ok(())) => continue,
            Ok(Err(unmet)) => unmet.0,
            // Already logged. A requirement that cannot be checked is not met.
            Err(Panicked) => "a requirement could not be checked".to_owned(),
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Adds the state that the requirement functions take.
pub(crate) fn describe(requires: &[RequireFn], needs: &mut Needs) {
    for require in requires {
        // Describing checks nothing, so it cannot fail.
        let _ = require(&mut Requiring::Describe(needs));
    }
}

/// The expansion of each function in `requires = […]`.
pub type RequireFn = fn(&mut Requiring<'_>) -> Result<(), Unmet>;

/// A call of a requirement function: to describe its state, or to check it.
#[derive(Debug)]
pub enum Requiring<'r> {
    /// Describe the state that the function takes.
    Describe(&'r mut Needs),
    /// Check the requirement.
    Check(&'r States),
}

impl Requiring<'_> {
    /// Calls one function.
    ///
    /// # Errors
    ///
    /// If the requirement is not met.
    pub fn by<Marker>(&mut self, requirement: impl Requirement<Marker>) -> Result<(), Unmet> {
        match self {
            Requiring::Describe(needs) => {
                requirement.needs(needs);
                Ok(())
            }
            Requiring::Check(states) => requirement.check(states),
        }
    }
}

/// A function for `requires`: `fn() -> Result<(), Unmet>`, or `fn(&S) -> Result<(), Unmet>` with `S` a state of the
/// registry.
#[diagnostic::on_unimplemented(
    message = "a requirement is `fn() -> Result<(), Unmet>` or `fn(&State) -> Result<(), Unmet>`",
    label = "this function does not say whether a requirement is met",
    note = "return `Err(tool_core::Unmet::new(\"…\"))` with what is missing"
)]
pub trait Requirement<Marker>: Sized {
    /// Describes the state that the function takes.
    fn needs(self, needs: &mut Needs);

    /// Checks the requirement.
    ///
    /// # Errors
    ///
    /// If the requirement is not met.
    fn check(self, states: &States) -> Result<(), Unmet>;
}

impl<F: Fn() -> Result<(), Unmet>> Requirement<WithoutState> for F {
    fn needs(self, _: &mut Needs) {}

    fn check(self, _: &States) -> Result<(), Unmet> {
        self()
    }
}

impl<S: Send + Sync + 'static, F: Fn(&S) -> Result<(), Unmet>> Requirement<(S,)> for F {
    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn check(self, states: &States) -> Result<(), Unmet> {
        // Unreachable: a registry cannot be built without this state.
        states.get::<S>().map_or_else(|| Err(Unmet::new("its state is missing")), |state| self(&state))
    }
}
