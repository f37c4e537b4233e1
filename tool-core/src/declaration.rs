//! The constant data that `#[tool]` leaves behind, one [`Declaration`] a tool.

use std::cmp::Ordering;
use std::panic::Location;
use std::ptr;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::access::Permission;
use crate::definition::Source;
use crate::entry::Entry;
use crate::input::JsonFn;
use crate::operation::{Annotations, Operation};
use crate::requirement::RequireFn;

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
    pub(crate) permission: Option<PermissionSpec>,
    /// Whether a function decides about access.
    pub(crate) guarded: bool,
    /// Every input is a locator, as it is where there is none.
    pub(crate) only_locators: bool,
    /// Something is injected, or completed by a function: state may be missing.
    pub(crate) takes_state: bool,
    pub(crate) requires: &'static [RequireFn],
    pub(crate) tags: &'static [&'static str],
    pub(crate) path: Option<&'static str>,
    pub(crate) schema: Option<JsonFn>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cache: Option<Duration>,
    pub(crate) alias: Option<&'static str>,
    pub(crate) deprecated: Option<Deprecated>,
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
            permission: None,
            guarded: false,
            only_locators: false,
            takes_state: false,
            requires: &[],
            tags: &[],
            path: None,
            schema: None,
            timeout: None,
            cache: None,
            alias: None,
            deprecated: None,
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

    /// `permission = "…"`.
    #[must_use]
    pub const fn permission(mut self, names: &'static [&'static str], any: bool) -> Self {
        self.permission = Some(PermissionSpec { names, any });
        self
    }

    /// `access = …`.
    #[must_use]
    pub const fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Whether no input is other than `#[arg(locator)]`, and whether a parameter is `#[inject]`, `self`, or has an
    /// `#[arg(complete = …)]`: said, so that a registry need not ask a thousand functions.
    #[must_use]
    pub const fn takes(mut self, only_locators: bool, state: bool) -> Self {
        self.only_locators = only_locators;
        self.takes_state = state;
        self
    }

    /// `requires = […]`.
    #[must_use]
    pub const fn requires(mut self, requires: &'static [RequireFn]) -> Self {
        self.requires = requires;
        self
    }

    /// `tags = […]`.
    #[must_use]
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// `path = "…"`.
    #[must_use]
    pub const fn path(mut self, path: &'static str) -> Self {
        self.path = Some(path);
        self
    }

    /// `schema = …`.
    #[must_use]
    pub const fn schema(mut self, schema: JsonFn) -> Self {
        self.schema = Some(schema);
        self
    }

    /// `timeout = "…"`, in milliseconds.
    #[must_use]
    pub const fn timeout(mut self, milliseconds: u64) -> Self {
        self.timeout = Some(Duration::from_millis(milliseconds));
        self
    }

    /// `cache = "…"`, in milliseconds.
    #[must_use]
    pub const fn cache(mut self, milliseconds: u64) -> Self {
        self.cache = Some(Duration::from_millis(milliseconds));
        self
    }

    /// `alias = "…"`.
    #[must_use]
    pub const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// `#[deprecated(since = "…", note = "…")]` on the function.
    #[must_use]
    pub const fn deprecated(mut self, since: Option<&'static str>, note: Option<&'static str>) -> Self {
        self.deprecated = Some(Deprecated { since, note });
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

    /// Puts them into the order of their names, each once, and those of one name into that of their places.
    ///
    /// Most names are told apart by their first bytes, compared as one number: a thousand take a tenth of the time.
    pub(crate) fn in_order(declarations: Vec<&'static Declaration>) -> Vec<&'static Declaration> {
        let keyed = |declaration: &'static Declaration| {
            let mut key = [0; 16];
            for (to, from) in key.iter_mut().zip(declaration.name.bytes()) {
                *to = from;
            }
            (u128::from_be_bytes(key), declaration)
        };
        let mut keyed: Vec<_> = declarations.into_iter().map(keyed).collect();
        keyed.sort_by(|(a, first), (b, second)| a.cmp(b).then_with(|| first.order(second)));
        keyed.dedup_by_key(|(_, declaration)| ptr::from_ref(*declaration));
        keyed.into_iter().map(|(_, declaration)| declaration).collect()
    }

    /// By name, and those of one name by where they are declared.
    fn order(&'static self, other: &'static Declaration) -> Ordering {
        let places = || {
            Source::of(self)
                .cmp(&Source::of(other))
                .then_with(|| ptr::from_ref(self).cmp(&ptr::from_ref(other)))
        };
        self.name.cmp(other.name).then_with(places)
    }

    /// The crate that the tool was declared in, by the first segment of its module.
    pub(crate) fn crate_name(&self) -> &'static str {
        self.module.split("::").next().unwrap_or(self.module)
    }
}

/// A value that can be a schema: any that implements [`Serialize`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the schema of a tool",
    label = "it must be written as JSON",
    note = "write a `serde_json::Value` or a `schemars::Schema`, or derive `serde::Serialize` for it"
)]
pub trait SchemaValue: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> SchemaValue for T {}

/// A schema that was written by hand, as JSON.
pub fn schema<T: SchemaValue>(value: T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value)
}

/// What is declared of a [`Permission`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct PermissionSpec {
    names: &'static [&'static str],
    any: bool,
}

impl PermissionSpec {
    pub(crate) fn permission(self) -> Permission {
        if self.any {
            Permission::any(self.names.iter().copied())
        } else {
            Permission::all(self.names.iter().copied())
        }
    }
}

/// That a tool should not be used any more, and what its author says about it.
///
/// ```
/// # use tool_core::{Registry, tool};
/// /// Adds two numbers.
/// #[tool(operation = Transform)]
/// #[deprecated(since = "1.2.0", note = "use `sum`")]
/// fn old_add(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///     a + b
/// }
/// # let registry = Registry::builder().linked().select(|tool| tool.name() == "old_add").build().unwrap();
/// let deprecated = registry.get("old_add").unwrap().deprecated();
/// # let _ = deprecated;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecated {
    /// The version that deprecated it.
    pub since: Option<&'static str>,
    /// What to use instead.
    pub note: Option<&'static str>,
}
