//! Values that could complete what a caller has typed for an input so far.

use std::fmt;

use crate::inject::Needs;
use crate::state::States;

/// What the expansion of `complete = …` leaves behind.
pub type CompleteFn = fn(&mut Completing<'_>);

/// Hears a completion function: what it needs, or the values that it proposes.
pub enum Completing<'c> {
    /// Tell the state that the function takes.
    Describe(&'c mut Needs),
    /// Propose values for what was typed so far.
    Propose {
        /// What was typed so far.
        typed: &'c str,
        /// Where state comes from.
        states: &'c States,
        /// The values that were proposed.
        values: &'c mut Vec<String>,
    },
}

impl Completing<'_> {
    /// Asks one function.
    pub fn by<Marker>(&mut self, complete: impl Complete<Marker>) {
        match self {
            Completing::Describe(needs) => complete.needs(needs),
            Completing::Propose { typed, states, values } => values.extend(complete.propose(typed, states)),
        }
    }
}

impl fmt::Debug for Completing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completing")
    }
}

/// What `complete` may name: `fn(&str) -> Vec<String>`, or `fn(&str, &S) -> Vec<String>` with `S` a state of the
/// registry. The text is what the caller has typed so far.
#[diagnostic::on_unimplemented(
    message = "a completion is `fn(&str) -> Vec<String>` or `fn(&str, &State) -> Vec<String>`",
    label = "this function does not propose values"
)]
pub trait Complete<Marker>: Sized {
    /// Tells the state that it takes.
    fn needs(self, needs: &mut Needs);

    /// The values that it proposes.
    fn propose(self, typed: &str, states: &States) -> Vec<String>;
}

/// Marks a completion that takes no state.
#[derive(Debug)]
pub enum Alone {}

impl<F: Fn(&str) -> Vec<String>> Complete<Alone> for F {
    fn needs(self, _: &mut Needs) {}

    fn propose(self, typed: &str, _: &States) -> Vec<String> {
        self(typed)
    }
}

impl<S: Send + Sync + 'static, F: Fn(&str, &S) -> Vec<String>> Complete<(S,)> for F {
    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn propose(self, typed: &str, states: &States) -> Vec<String> {
        states.get::<S>().map(|state| self(typed, &state)).unwrap_or_default()
    }
}
