//! Values that could complete what a caller has typed for an input so far.

use std::fmt;

use crate::call::{Panicked, contained};
use crate::failure::Failure;
use crate::inject::Needs;
use crate::registry::{Member, Registry};
use crate::schema::NativeSchema;
use crate::state::States;

/// Values that could complete an input.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// fn cities(typed: &str) -> Vec<String> {
///     ["Rome", "Rostock"].into_iter().filter(|city| city.starts_with(typed)).map(String::from).collect()
/// }
///
/// /// Greets a city.
/// #[tool(operation = Transform)]
/// fn greet_city(/** Which. */ #[arg(complete = cities)] city: String) -> String {
///     format!("Hello {city}!")
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "greet_city").build().unwrap();
/// let completions = registry.complete("greet_city", "city", "Ros").unwrap();
/// assert_eq!(completions.values, ["Rostock"]);
/// assert!(!completions.has_more);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completions {
    /// The values, 100 at most: as many as MCP lets a server send.
    pub values: Vec<String>,
    /// How many there are in all.
    pub total: usize,
    /// Whether there are more than these.
    pub has_more: bool,
}

/// As many values as an answer has.
const MOST_VALUES: usize = 100;

impl Completions {
    fn of(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MOST_VALUES);
        Completions { values, total, has_more: total > MOST_VALUES }
    }
}

impl Registry {
    /// What could complete the text that a caller has typed for an input: what its `complete` function proposes, or
    /// else the values that its schema allows and that begin with the text, whatever their case. Nothing for a secret.
    ///
    /// # Errors
    ///
    /// When a call would not be [let in](Registry::admits), when there is no such input, and when the function panics.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// /// Switches the light.
    /// #[tool(operation = Write, destructive = false)]
    /// fn switch(/** Whether it shines. */ on: bool) {
    ///     let _ = on;
    /// }
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "switch").build().unwrap();
    /// assert_eq!(registry.complete("switch", "on", "T").unwrap().values, ["true"]);
    /// ```
    pub fn complete(&self, tool: &str, input: &str, typed: &str) -> Result<Completions, Failure> {
        let Member { definition, home, .. } = self.known(tool)?;
        // What is proposed may be stored state: nobody sees of it what a call would not show.
        home.admission.admit(definition, &home.states, self.principal())?;
        let inputs = definition.inputs();
        let Some(native) = inputs.iter().find(|native| native.name.as_deref() == Some(input)) else {
            let known: Vec<&str> = inputs.iter().filter_map(|native| native.name.as_deref()).collect();
            return Err(Failure::unknown_input(definition.name(), input, &known));
        };
        let mut values = Vec::new();
        match definition.completion(input) {
            _ if native.secret => {}
            Some(complete) => {
                let mut completing = Completing::Propose { typed, states: &home.states, values: &mut values };
                contained(|| complete(&mut completing)).map_err(|Panicked| Failure::internal())?;
            }
            None => {
                let typed = typed.to_lowercase();
                allowed(native, &mut values);
                values.retain(|value| value.to_lowercase().starts_with(&typed));
            }
        }
        Ok(Completions::of(values))
    }
}

/// The values that a schema allows, where these are few.
fn allowed(native: &NativeSchema, values: &mut Vec<String>) {
    if native.kind == "boolean" {
        values.extend(["true", "false"].map(str::to_owned));
    }
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.extend(native.allowed.iter().map(|allowed| text(&allowed.value)));
    native.variants.iter().for_each(|variant| allowed(variant, values));
}

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
