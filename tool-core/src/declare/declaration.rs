//! The constant data that `#[tool]` leaves behind, one [`Declaration`] a tool.

use std::cmp::Ordering;
use std::ptr;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::declare::entry::{Call, Entry};
use crate::declare::input::JsonFn;
use crate::declare::requirement::RequireFn;
use crate::declare::source::Source;
use crate::model::operation::{Annotations, Operation};

/// A tool as it was declared: constant data, and the door to its function.
///
/// Made by `#[tool]`; a [`Registry`](crate::Registry) turns it into a [`ToolDefinition`](crate::ToolDefinition).
///
/// The system adapts each pointer in constant data when a program starts, and copies the page that it stands in. So there
/// are two here, the name and the door: the rest is behind the door, where it costs nothing before somebody asks.
#[derive(Debug)]
pub struct Declaration {
    pub(crate) name: &'static str,
    pub(crate) entry: Entry,
    pub(crate) options: Option<&'static Options>,
    pub(crate) operation: Operation,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    /// A function decides about access.
    pub(crate) guarded: bool,
    /// Every input is a locator, as it is where there is none.
    pub(crate) only_locators: bool,
    /// Something is injected, or completed by a function: state may be missing.
    pub(crate) takes_state: bool,
    /// A default or a constraint may not fit the type of its input: only the schema says.
    pub(crate) check_at_build: bool,
}

impl Declaration {
    /// A declaration with the defaults of its operation.
    pub const fn new(name: &'static str, operation: Operation, entry: Entry) -> Self {
        Declaration {
            name,
            entry,
            options: None,
            operation,
            destructive: false,
            idempotent: operation.idempotent_by_default(),
            open_world: true,
            guarded: false,
            only_locators: false,
            takes_state: false,
            check_at_build: false,
        }
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

    /// A default or a constraint that the macro could not hold against the type of its input: `build()` does, by the
    /// schema.
    #[must_use]
    pub const fn check_at_build(mut self) -> Self {
        self.check_at_build = true;
        self
    }

    /// Everything that few tools say.
    #[must_use]
    pub const fn options(mut self, options: &'static Options) -> Self {
        self.options = Some(options);
        self
    }

    pub(crate) fn options_or_default(&self) -> &'static Options {
        self.options.unwrap_or(const { &Options::new() })
    }

    /// What is behind the door: nothing of the author's runs.
    pub(crate) fn metadata(&self) -> Metadata {
        let mut metadata = Metadata::default();
        (self.entry)(&mut Call::Metadata(&mut metadata));
        metadata
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
    /// Most names are told apart by their first bytes, compared as one number without a branch: a thousand take a tenth of
    /// the time.
    pub(crate) fn sorted(declarations: impl Iterator<Item = &'static Declaration>) -> Vec<Keyed> {
        let mut keyed: Vec<_> = declarations.map(Keyed::new).collect();
        // Stable, since what the linker has put side by side is often in order.
        keyed.sort_by_key(|keyed| u128::from(keyed.high) << 64 | u128::from(keyed.low));
        for alike in keyed.chunk_by_mut(|a, b| (a.high, a.low) == (b.high, b.low)) {
            if alike.len() > 1 {
                alike.sort_unstable_by(|a, b| a.declaration.cmp_by_name(b.declaration));
            }
        }
        keyed.dedup_by_key(|keyed| ptr::from_ref(keyed.declaration));
        keyed
    }

    /// By name, and those of one name by where they are declared.
    fn cmp_by_name(&'static self, other: &'static Declaration) -> Ordering {
        let by_source = || {
            Source::of(self)
                .cmp(&Source::of(other))
                .then_with(|| ptr::from_ref(self).cmp(&ptr::from_ref(other)))
        };
        self.name.cmp(other.name).then_with(by_source)
    }

    /// The crate that the tool was declared in, by the first segment of its module.
    pub(crate) fn crate_name(&self) -> &'static str {
        let Metadata { module, .. } = self.metadata();
        module.split("::").next().unwrap_or(module)
    }
}

/// A declaration with the first bytes of its name.
pub(crate) struct Keyed {
    high: u64,
    low: u64,
    pub(crate) declaration: &'static Declaration,
}

impl Keyed {
    fn new(declaration: &'static Declaration) -> Self {
        let first = |name: &[u8]| match name.first_chunk() {
            Some(key) => u64::from_be_bytes(*key),
            None => (0..8).fold(0, |key, at| key << 8 | u64::from(name.get(at).copied().unwrap_or_default())),
        };
        let name = declaration.name.as_bytes();
        Keyed { high: first(name), low: first(name.get(8..).unwrap_or_default()), declaration }
    }
}

/// What a tool may say beyond the least, and most do not.
#[derive(Debug)]
pub struct Options {
    pub(crate) title: Option<&'static str>,
    pub(crate) permission: Option<&'static str>,
    pub(crate) requires: &'static [RequireFn],
    pub(crate) tags: &'static [&'static str],
    pub(crate) path: Option<&'static str>,
    pub(crate) schema: Option<JsonFn>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cache: Option<Duration>,
    pub(crate) alias: Option<&'static str>,
    pub(crate) deprecated: Option<Deprecated>,
}

impl Options {
    /// Nothing is said.
    #[expect(clippy::new_without_default, reason = "a declaration is constant, and a default is not")]
    pub const fn new() -> Self {
        Options {
            title: None,
            permission: None,
            requires: &[],
            tags: &[],
            path: None,
            schema: None,
            timeout: None,
            cache: None,
            alias: None,
            deprecated: None,
        }
    }

    /// `title = "…"`.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// `permission = …`, in the text form of a [`Permission`](crate::Permission).
    #[must_use]
    pub const fn permission(mut self, permission: &'static str) -> Self {
        self.permission = Some(permission);
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
}

/// Module, file and line of where it stands.
#[doc(hidden)]
#[macro_export]
macro_rules! __here {
    () => {
        (::core::module_path!(), ::core::file!(), ::core::line!())
    };
}

/// What a declaration tells where it is entered: its text, and where it stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metadata {
    pub(crate) description: &'static str,
    pub(crate) module: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
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

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::Declaration;
    use crate::declare::entry::{Call, EntryOutcome};
    use crate::declare::returns::Returned;
    use crate::model::operation::Operation;

    // A thousand of them are adapted and copied whenever a program starts: what few tools say stands apart, and what only the
    // tool itself needs is told by its function.
    #[test]
    fn declaration_is_small() {
        assert!(size_of::<Declaration>() <= 6 * size_of::<usize>(), "{}", size_of::<Declaration>());
    }

    #[test]
    fn sorts_names_of_any_length() {
        fn enter(call: &mut Call<'_>) -> EntryOutcome {
            let _ = call.of("Does it.", ("m", "m.rs", 1));
            EntryOutcome::Described(Returned::Nothing)
        }
        let longest = "eighteen_letters_x";
        let names = (1..=longest.len()).flat_map(|length| [longest[..length].to_owned(), "f".repeat(length)]);
        let names: Vec<&'static str> = names.map(|name| &*name.leak()).collect();
        let declared =
            |name: &&'static str| &*Box::leak(Box::new(Declaration::new(name, Operation::Read, enter)));
        let mut declarations: Vec<_> = names.iter().map(declared).collect();
        // Each once, however often it is there.
        declarations.extend_from_within(..5);
        let ordered: Vec<&str> = Declaration::sorted(declarations.into_iter())
            .iter()
            .map(|keyed| keyed.declaration.name)
            .collect();
        let mut expected = names;
        expected.sort_unstable();
        assert_eq!(ordered, expected);
    }
}
