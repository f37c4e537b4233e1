//! Operations: what a tool does to data.

use serde::{Deserialize, Serialize};

use crate::model::names::names;

names! {
    /// What a tool does to data.
    ///
    /// ```
    /// use tool_core::Operation;
    ///
    /// assert!(!Operation::Read.modifies());
    /// assert!(Operation::Trigger.modifies());
    /// assert_eq!(Operation::Explain.to_string(), "explain");
    /// assert_eq!("write".parse(), Ok(Operation::Write));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Operation {
        /// Describes the system itself: columns, kinds, help.
        Explain = "explain",
        /// Returns stored state.
        Read = "read",
        /// Computes a value from inputs or stored state, and changes nothing.
        Transform = "transform",
        /// Has an effect elsewhere: sends, publishes, runs a job.
        Trigger = "trigger",
        /// Changes stored state.
        Write = "write",
    }

    /// All operations.
    ///
    /// ```
    /// assert_eq!(tool_core::Operation::ALL.len(), 5);
    /// ```
    const ALL: [Operation; 5];

    /// Returns the name in lower case.
    ///
    /// ```
    /// assert_eq!(tool_core::Operation::Transform.as_str(), "transform");
    /// ```
    pub const fn as_str;

    impl FromStr<Err = UnknownOperation>, |name: &str| UnknownOperation(name.to_owned());
}

impl Operation {
    /// Returns `true` if a tool of this operation changes something, here or elsewhere.
    ///
    /// ```
    /// # use tool_core::Operation;
    /// let modifying: Vec<_> = Operation::ALL.into_iter().filter(|o| o.modifies()).collect();
    /// assert_eq!(modifying, [Operation::Trigger, Operation::Write]);
    /// ```
    pub const fn modifies(self) -> bool {
        matches!(self, Operation::Trigger | Operation::Write)
    }

    /// Returns `true` if repeating a call has no further effect by default.
    ///
    /// ```
    /// # use tool_core::Operation;
    /// assert!(Operation::Read.idempotent_by_default());
    /// assert!(!Operation::Write.idempotent_by_default());
    /// ```
    pub const fn idempotent_by_default(self) -> bool {
        !self.modifies()
    }
}

/// The error for a text that is not an [`Operation`].
///
/// ```
/// let error = "drop".parse::<tool_core::Operation>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown operation `drop`: expected one of explain, read, transform, trigger, write");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation `{0}`: expected one of explain, read, transform, trigger, write")]
pub struct UnknownOperation(String);

/// Hints for clients about a tool: MCP's tool annotations.
///
/// A declared tool has all four hints, because the defaults of MCP are pessimistic.
///
/// ```
/// use tool_core::Annotations;
///
/// let hints = Annotations { read_only_hint: Some(true), ..Annotations::default() };
/// assert_eq!(serde_json::to_string(&hints).unwrap(), r#"{"readOnlyHint":true}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// The tool does not modify its environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may delete or overwrite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Repeating a call has no further effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool interacts with entities outside this system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}
