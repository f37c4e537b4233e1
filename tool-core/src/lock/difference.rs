//! The table of differences between two locks, and what they mean to callers.

use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// What a difference means to a caller of the tools.
///
/// ```
/// use tool_core::lock::{Change, DifferenceKind};
///
/// assert_eq!(DifferenceKind::ToolRemoved.change(), Change::Breaking);
/// assert_eq!(Change::Breaking.to_string(), "breaking");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Earlier calls still work, and earlier readers still understand the output.
    Compatible,
    /// An earlier call may fail or mean something else, or its output may not be understood. A difference that cannot be
    /// decided counts as breaking.
    Breaking,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Change::Compatible => "compatible",
            Change::Breaking => "breaking",
        })
    }
}

macro_rules! kinds {
    ($($kind:ident $code:literal $change:ident $reason:literal;)*) => {
        /// Every kind of difference between two locks, with what it means.
        ///
        /// Inputs may become optional and allow more values, outputs may have more members and allow fewer values; the opposite
        /// is breaking. Schemas are compared part by part, through lists, maps, definitions and choices.
        ///
        /// | code | change | because |
        /// |---|---|---|
        $(#[doc = concat!("| `", $code, "` | ", stringify!($change), " | ", $reason, " |")])*
        ///
        /// ```
        /// use tool_core::lock::{Change, DifferenceKind};
        ///
        /// let kind = DifferenceKind::InputRemoved;
        /// assert_eq!((kind.code(), kind.change()), ("input-removed", Change::Breaking));
        /// assert_eq!(kind.reason(), "a call that gives it is refused");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DifferenceKind {
            $(#[doc = concat!(stringify!($change), ": ", $reason, ".")] $kind,)*
        }

        impl DifferenceKind {
            /// All kinds, in the order of the table.
            ///
            /// ```
            /// let codes: std::collections::BTreeSet<_> =
            ///     tool_core::lock::DifferenceKind::ALL.iter().map(|kind| kind.code()).collect();
            /// assert_eq!(codes.len(), tool_core::lock::DifferenceKind::ALL.len());
            /// ```
            pub const ALL: &[DifferenceKind] = &[$(DifferenceKind::$kind),*];

            const fn row(self) -> (&'static str, Change, &'static str) {
                match self {
                    $(DifferenceKind::$kind => ($code, Change::$change, $reason),)*
                }
            }
        }
    };
}

kinds! {
    ToolAdded "tool-added" Compatible "nobody calls it yet";
    ToolRemoved "tool-removed" Breaking "a call of it fails";
    ToolRenamed "tool-renamed" Breaking "a call by the old name fails";
    ToolRenamedKept "tool-renamed-kept" Compatible "the old name is an alias, and still calls it";
    AliasAdded "alias-added" Compatible "nobody calls it by that name yet";
    AliasRemoved "alias-removed" Breaking "a call by that name fails";
    TextChanged "text-changed" Compatible "a title, description or example says the same or more in other words";
    TagsChanged "tags-changed" Compatible "tags group tools, and no call names them";
    MetaChanged "meta-changed" Compatible "metadata is for clients, and no call depends on it";
    UiChanged "ui-changed" Compatible "a page shows a result, and the result is the same without it";
    DeprecationChanged "deprecation-changed" Compatible "a deprecated tool still works";
    OrderChanged "order-changed" Compatible "the same values stand in another order";
    OperationWeakened "operation-weakened" Breaking "it may now do what a caller did not agree to, or is no resource any more";
    OperationStrengthened "operation-strengthened" Compatible "it does less than a caller agreed to";
    DestructiveGained "destructive-gained" Breaking "it may now destroy what a caller took to be safe";
    DestructiveLost "destructive-lost" Compatible "it is safer than a caller took it for";
    IdempotentLost "idempotent-lost" Breaking "who tries again now does it twice";
    IdempotentGained "idempotent-gained" Compatible "trying again became safe";
    OpenWorldGained "open-world-gained" Breaking "it now reaches outside, which a caller did not agree to";
    OpenWorldLost "open-world-lost" Compatible "it reaches less far than a caller took it to";
    PermissionTightened "permission-tightened" Breaking "who was allowed to call it may not be now";
    PermissionRelaxed "permission-relaxed" Compatible "whoever was allowed to call it still is";
    RequirementAdded "requirement-added" Breaking "a call is refused where more configuration is missing";
    RequirementRemoved "requirement-removed" Compatible "a call needs less configuration";
    GuardAdded "guard-added" Breaking "a function may now refuse who was allowed";
    GuardRemoved "guard-removed" Compatible "no function refuses any more";
    TaskAdded "task-added" Compatible "a call that is waited for still works";
    TaskBecameRequired "task-became-required" Breaking "a caller that cannot run tasks is refused";
    TaskBecameOptional "task-became-optional" Compatible "a caller may still run it as a task";
    TaskRemoved "task-removed" Breaking "a caller that runs it as a task is refused";
    AddressChanged "address-changed" Breaking "a stored address of its result leads nowhere";
    InputAdded "input-added" Compatible "a call may leave it out";
    InputAddedRequired "input-added-required" Breaking "a call that does not give it is refused";
    InputRemoved "input-removed" Breaking "a call that gives it is refused";
    InputBecameRequired "input-became-required" Breaking "a call that leaves it out is refused";
    InputBecameOptional "input-became-optional" Compatible "a call that gives it still may";
    InputWidened "input-widened" Compatible "every value that was taken still is";
    InputNarrowed "input-narrowed" Breaking "a value that was taken may be refused";
    InputReplaced "input-replaced" Breaking "values that were taken are refused, and others are not";
    DefaultChanged "default-changed" Breaking "a call that leaves it out now means something else";
    OutputAdded "output-added" Compatible "a reader skips what it does not know";
    OutputAddedClosed "output-added-closed" Breaking "the schema said that there is no other member, and who checks results by it refuses them";
    OutputRemoved "output-removed" Breaking "a reader that uses it finds nothing";
    OutputBecameRequired "output-became-required" Compatible "a reader that can do without it still can";
    OutputBecameOptional "output-became-optional" Breaking "a reader that counts on it may find nothing";
    OutputWidened "output-widened" Breaking "a reader may get a value that it does not know";
    OutputNarrowed "output-narrowed" Compatible "a reader knows every value that may come";
    OutputReplaced "output-replaced" Breaking "a reader gets values that it does not know";
    ReturnsChanged "returns-changed" Breaking "a reader gets another kind of content";
    OutputSchemaAdded "output-schema-added" Breaking "what was a text is now structured";
    OutputSchemaRemoved "output-schema-removed" Breaking "what was structured is so no more";
    Undecided "undecided" Breaking "the schemas cannot be compared";
}

impl DifferenceKind {
    /// Returns the stable code for programs.
    ///
    /// ```
    /// assert_eq!(tool_core::lock::DifferenceKind::ToolAdded.code(), "tool-added");
    /// ```
    pub const fn code(self) -> &'static str {
        self.row().0
    }

    /// Returns what the difference means to a caller.
    ///
    /// ```
    /// use tool_core::lock::{Change, DifferenceKind};
    ///
    /// assert_eq!(DifferenceKind::ToolAdded.change(), Change::Compatible);
    /// ```
    pub const fn change(self) -> Change {
        self.row().1
    }

    /// Returns the reason for it.
    ///
    /// ```
    /// assert_eq!(tool_core::lock::DifferenceKind::ToolAdded.reason(), "nobody calls it yet");
    /// ```
    pub const fn reason(self) -> &'static str {
        self.row().2
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// A difference between two [`Lock`](crate::lock::Lock)s. Its JSON is `{"code","change","tool","place"?,"text"}`, with `prompt`
/// instead of `tool` for a prompt; `place` is the location.
///
/// ```
/// use tool_core::lock::{Difference, DifferenceKind};
///
/// let difference = Difference::new(DifferenceKind::InputNarrowed, "find_days", "input /limit", "`maximum` was `100`, is `20`");
/// assert_eq!(
///     difference.to_string(),
///     "breaking: `find_days`, input /limit: `maximum` was `100`, is `20` (a value that was taken may be refused)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of the difference.
    pub kind: DifferenceKind,
    /// The name of the tool or the prompt, in the newer lock if it is in both.
    pub tool: String,
    /// Whether it concerns a prompt.
    pub prompt: bool,
    /// The location, such as `input /days/*/date`: `*` is any item of a list or any value of a map, `[…]` a variant. Empty for
    /// the tool as a whole.
    pub location: String,
    /// The difference, for people.
    pub text: String,
}

impl Difference {
    /// Creates a difference of this kind.
    ///
    /// ```
    /// # use tool_core::lock::{Difference, DifferenceKind};
    /// let difference = Difference::new(DifferenceKind::ToolAdded, "add", "", "the tool is new");
    /// assert_eq!(difference.to_string(), "compatible: `add`: the tool is new (nobody calls it yet)");
    /// ```
    pub fn new(
        kind: DifferenceKind,
        tool: impl Into<String>,
        location: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Difference { kind, tool: tool.into(), prompt: false, location: location.into(), text: text.into() }
    }

    /// Returns the same difference for a prompt.
    pub(super) fn of_prompt(self) -> Self {
        Difference { prompt: true, text: self.text.replace("the tool", "the prompt"), ..self }
    }

    /// Returns what the difference means to a caller.
    ///
    /// ```
    /// # use tool_core::lock::{Change, Difference, DifferenceKind};
    /// let difference = Difference::new(DifferenceKind::ToolAdded, "add", "", "the tool is new");
    /// assert_eq!(difference.change(), Change::Compatible);
    /// ```
    pub const fn change(&self) -> Change {
        self.kind.change()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.prompt { "prompt " } else { "" };
        write!(f, "{}: {noun}`{}`", self.change(), self.tool)?;
        if !self.location.is_empty() {
            write!(f, ", {}", self.location)?;
        }
        write!(f, ": {} ({})", self.text, self.kind.reason())
    }
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = if self.location.is_empty() { 4 } else { 5 };
        let mut object = serializer.serialize_struct("Difference", fields)?;
        object.serialize_field("code", self.kind.code())?;
        object.serialize_field("change", &self.change())?;
        object.serialize_field(if self.prompt { "prompt" } else { "tool" }, &self.tool)?;
        if !self.location.is_empty() {
            object.serialize_field("place", &self.location)?;
        }
        object.serialize_field("text", &self.text)?;
        object.end()
    }
}
