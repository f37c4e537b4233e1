//! The constant data that `#[tool]` leaves behind, one [`Declaration`] a tool.

use std::panic::Location;

use crate::entry::Entry;
use crate::operation::{Annotations, Operation};

/// A tool as it was declared: constant data, and the door to its function.
///
/// Made by `#[tool]`; a [`Registry`](crate::Registry) turns it into a [`ToolDefinition`](crate::ToolDefinition).
#[derive(Debug)]
pub struct Declaration {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) operation: Operation,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    pub(crate) module: &'static str,
    pub(crate) location: &'static Location<'static>,
    pub(crate) entry: Entry,
}

impl Declaration {
    /// A declaration with the defaults of its operation. Called where the tool's name stands, so that its location is
    /// that of the function.
    #[track_caller]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        operation: Operation,
        module: &'static str,
        entry: Entry,
    ) -> Self {
        Declaration {
            name,
            title: None,
            // A text from a file ends with a line break.
            description: description.trim_ascii(),
            operation,
            destructive: false,
            idempotent: operation.idempotent_by_default(),
            open_world: true,
            module,
            location: Location::caller(),
            entry,
        }
    }

    /// `title = "…"`.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// `destructive = …`.
    #[must_use]
    pub const fn destructive(mut self, destructive: bool) -> Self {
        self.destructive = destructive;
        self
    }

    /// `idempotent = …`.
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// `open_world = …`.
    #[must_use]
    pub const fn open_world(mut self, open_world: bool) -> Self {
        self.open_world = open_world;
        self
    }

    pub(crate) fn annotations(&self) -> Annotations {
        Annotations {
            read_only_hint: Some(!self.operation.modifies()),
            destructive_hint: Some(self.destructive),
            idempotent_hint: Some(self.idempotent),
            open_world_hint: Some(self.open_world),
        }
    }

    /// The crate that the tool was declared in, by the first segment of its module.
    pub(crate) fn crate_name(&self) -> &'static str {
        self.module.split("::").next().unwrap_or(self.module)
    }

    pub(crate) fn place(&self) -> String {
        format!("{}:{}, module {}", self.location.file(), self.location.line(), self.module)
    }
}
