//! Differences between the tools of two locks, except for their schemas.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Display;

use crate::declare::returns::Untyped;
use crate::definition::promise::Promise;
use crate::lock::difference::{Difference, DifferenceKind as Kind};
use crate::lock::schemas;
use crate::model::operation::Operation;
use crate::model::permission::Permission;
use crate::model::task::TaskSupport;
use crate::schema::normal::Side;

type Tools = BTreeMap<String, Promise>;

pub(super) fn compare(old: &Tools, new: &Tools) -> Vec<Difference> {
    let mut found = Vec::new();
    let renamed = renamed(old, new);
    for (name, before) in old {
        match (new.get(name), renamed.get(name.as_str())) {
            (Some(after), _) => {
                found.extend(ToolComparison { name, found: Vec::new() }.compare(before, after));
            }
            (None, Some(&after)) => {
                let (kind, text) = if new[after].alias.as_ref() == Some(name) {
                    (Kind::ToolRenamedKept, format!("it was named `{name}`, which is now its alias"))
                } else {
                    (
                        Kind::ToolRenamed,
                        format!("it was named `{name}`: `alias = \"{name}\"` would keep that"),
                    )
                };
                found.push(Difference::new(kind, after, "", text));
                if [before, &new[after]].iter().all(|entry| entry.path.is_none() && entry.has_address()) {
                    let text = format!("it began with `{name}`, and begins with `{after}`");
                    found.push(Difference::new(Kind::AddressChanged, after, "path", text));
                }
                let mut tool = ToolComparison { name: after, found: Vec::new() };
                tool.lost_alias(before, &new[after]);
                found.extend(tool.compare_all_but_alias(before, &new[after]));
            }
            (None, None) => found.push(Difference::new(Kind::ToolRemoved, name, "", "the tool is gone")),
        }
    }
    let targets: BTreeSet<&str> = renamed.values().copied().collect();
    for name in new.keys().filter(|name| !old.contains_key(*name) && !targets.contains(name.as_str())) {
        found.push(Difference::new(Kind::ToolAdded, name, "", "the tool is new"));
    }
    // A stable sort keeps the differences of one tool in the order in which they were found.
    found.sort_by(|a, b| a.tool.cmp(&b.tool));
    found
}

/// Returns the new names of renamed tools, by their old names: the old name is an alias now, or nothing but the name changed.
fn renamed<'l>(old: &'l Tools, new: &'l Tools) -> HashMap<&'l str, &'l str> {
    let added = || new.iter().filter(|(name, _)| !old.contains_key(*name));
    let by_alias: HashMap<&str, &str> =
        added().filter_map(|(name, entry)| Some((entry.alias.as_deref()?, name.as_str()))).collect();
    // By the digest without a name. Equal tools are paired in their order.
    let mut by_promise: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, entry) in added().filter(|(name, _)| !by_alias.values().any(|taken| taken == name)) {
        by_promise.entry(entry.digest("").to_string()).or_default().push(name);
    }
    let mut renamed = HashMap::new();
    for (name, entry) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let same = || {
            let names = by_promise.get_mut(&entry.digest("").to_string())?;
            (!names.is_empty()).then(|| names.remove(0))
        };
        if let Some(after) = by_alias.get(name.as_str()).copied().or_else(same) {
            renamed.insert(name.as_str(), after);
        }
    }
    renamed
}

struct ToolComparison<'l> {
    name: &'l str,
    found: Vec<Difference>,
}

impl ToolComparison<'_> {
    fn compare(mut self, old: &Promise, new: &Promise) -> Vec<Difference> {
        if old.alias != new.alias {
            self.lost_alias(old, new);
            if let Some(alias) = &new.alias {
                self.push(Kind::AliasAdded, "alias", format!("`{alias}` is new"));
            }
        }
        self.compare_all_but_alias(old, new)
    }

    fn lost_alias(&mut self, old: &Promise, new: &Promise) {
        if let Some(alias) = old.alias.as_ref().filter(|alias| new.alias.as_ref() != Some(alias)) {
            // The tool may be renamed to its old alias.
            if alias != self.name {
                self.push(Kind::AliasRemoved, "alias", format!("`{alias}` is gone"));
            }
        }
    }

    fn compare_all_but_alias(mut self, old: &Promise, new: &Promise) -> Vec<Difference> {
        self.texts(old, new);
        self.operation(old.operation, new.operation);
        self.hints(old, new);
        self.access(old, new);
        self.task(old.task, new.task);
        self.address(old, new);
        self.schemas(old, new);
        self.found
    }

    fn push(&mut self, kind: Kind, location: &str, text: impl Into<String>) {
        self.found.push(Difference::new(kind, self.name, location, text));
    }

    fn texts(&mut self, old: &Promise, new: &Promise) {
        if old.title != new.title {
            self.push(Kind::TextChanged, "title", was_is(old.title.as_deref(), new.title.as_deref()));
        }
        if old.description != new.description {
            self.push(Kind::TextChanged, "description", "it reads differently");
        }
        if old.tags != new.tags {
            self.push(Kind::TagsChanged, "tags", were_are(&old.tags, &new.tags));
        }
        if old.meta != new.meta {
            self.push(Kind::MetaChanged, "meta", "it is another");
        }
        if old.ui != new.ui {
            self.push(Kind::UiChanged, "ui", "the page is another, or what it may do");
        }
        if old.deprecated != new.deprecated {
            let text = match (&old.deprecated, &new.deprecated) {
                (None, _) => "it is deprecated now",
                (_, None) => "it is not deprecated any more",
                _ => "the note of its deprecation reads differently",
            };
            self.push(Kind::DeprecationChanged, "deprecated", text);
        }
    }

    fn operation(&mut self, old: Option<Operation>, new: Option<Operation>) {
        if old == new {
            return;
        }
        let kind =
            if promises_less(old, new) { Kind::OperationWeakened } else { Kind::OperationStrengthened };
        self.push(kind, "operation", was_is(old, new));
    }

    /// Compares hints. A missing hint has the default of MCP, which is the worst case.
    fn hints(&mut self, old: &Promise, new: &Promise) {
        let (old, new) = (old.annotations.clone(), new.annotations.clone());
        if old == new {
            return;
        }
        let before = self.found.len();
        let is_operation_changed = self.found.iter().any(|found| found.location == "operation");
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let mut hint = |location, worst, old: Option<bool>, new: Option<bool>, gained, lost| match (
            old.unwrap_or(worst),
            new.unwrap_or(worst),
        ) {
            (false, true) => self.push(gained, location, "was false, is true"),
            (true, false) => self.push(lost, location, "was true, is false"),
            _ => {}
        };
        let (gained, lost) = (Kind::DestructiveGained, Kind::DestructiveLost);
        hint("destructiveHint", true, old.destructive_hint, new.destructive_hint, gained, lost);
        let (gained, lost) = (Kind::IdempotentGained, Kind::IdempotentLost);
        hint("idempotentHint", false, old.idempotent_hint, new.idempotent_hint, gained, lost);
        let (gained, lost) = (Kind::OpenWorldGained, Kind::OpenWorldLost);
        hint("openWorldHint", true, old.open_world_hint, new.open_world_hint, gained, lost);
        // An operation implies this hint, so that it is reported only if the operation is unchanged.
        if !is_operation_changed {
            let (gained, lost) = (Kind::OperationStrengthened, Kind::OperationWeakened);
            hint("readOnlyHint", false, old.read_only_hint, new.read_only_hint, gained, lost);
        }
        if self.found.len() == before && !is_operation_changed {
            let text = "a hint is said that was implied, or the other way round";
            self.push(Kind::TextChanged, "annotations", text);
        }
    }

    fn access(&mut self, old: &Promise, new: &Promise) {
        let (before, after) = (old.permission.as_deref(), new.permission.as_deref());
        if before != after {
            let relaxed = match (before, after) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(before), Some(after)) => implies(before, after),
            };
            let kind = if relaxed { Kind::PermissionRelaxed } else { Kind::PermissionTightened };
            self.push(kind, "permission", was_is(before, after));
        }
        if old.requires != new.requires {
            let kind =
                if old.requires < new.requires { Kind::RequirementAdded } else { Kind::RequirementRemoved };
            self.push(kind, "requires", was_is(Some(old.requires), Some(new.requires)));
        }
        match (old.guarded, new.guarded) {
            (false, true) => self.push(Kind::GuardAdded, "access", "a function decides now"),
            (true, false) => self.push(Kind::GuardRemoved, "access", "no function decides any more"),
            _ => {}
        }
    }

    fn task(&mut self, old: Option<TaskSupport>, new: Option<TaskSupport>) {
        let kind = match (old, new) {
            _ if old == new => return,
            (_, Some(TaskSupport::Required)) => Kind::TaskBecameRequired,
            (None, Some(TaskSupport::Optional)) => Kind::TaskAdded,
            (Some(_), Some(TaskSupport::Optional)) => Kind::TaskBecameOptional,
            (_, None) => Kind::TaskRemoved,
        };
        self.push(kind, "task", was_is(old.map(TaskSupport::as_str), new.map(TaskSupport::as_str)));
    }

    fn address(&mut self, old: &Promise, new: &Promise) {
        if old.path != new.path {
            self.push(Kind::AddressChanged, "path", was_is(old.path.as_deref(), new.path.as_deref()));
        }
        if old.locators != new.locators {
            self.push(Kind::AddressChanged, "locators", were_are(&old.locators, &new.locators));
        }
        // A changed operation is reported already.
        let is_lost = old.has_address() && new.is_read() && !new.has_address();
        if is_lost && old.path == new.path && old.locators == new.locators {
            let text = "an input that is no locator leaves its result without an address";
            self.push(Kind::AddressChanged, "path", text);
        }
    }

    fn schemas(&mut self, old: &Promise, new: &Promise) {
        let mut add = |(kind, location, text): (Kind, String, String)| self.push(kind, &location, text);
        schemas::compare(Side::Input, &old.input_schema, &new.input_schema).into_iter().for_each(&mut add);
        match (&old.output_schema, &new.output_schema) {
            (Some(old), Some(new)) => {
                schemas::compare(Side::Output, old, new).into_iter().for_each(&mut add);
            }
            (None, Some(_)) => self.push(Kind::OutputSchemaAdded, "output", "the output has a schema now"),
            (Some(_), None) => {
                self.push(Kind::OutputSchemaRemoved, "output", "the output has no schema any more");
            }
            (None, None) => self.returns(old.returns, new.returns),
        }
    }

    fn returns(&mut self, old: Option<Untyped>, new: Option<Untyped>) {
        let kind = match (old, new) {
            _ if old == new => return,
            // A lock of an earlier version, or a dynamic tool.
            (None, _) | (_, None) => Kind::TextChanged,
            (Some(_), Some(_)) => Kind::ReturnsChanged,
        };
        self.push(kind, "output", was_is(old.map(Untyped::as_str), new.map(Untyped::as_str)));
    }
}

/// Returns `true` if a caller that agreed to `old` has not agreed to `new`.
fn promises_less(old: Option<Operation>, new: Option<Operation>) -> bool {
    use Operation::{Explain, Read, Transform, Trigger, Write};
    match (old, new) {
        // A tool without an operation counts as modifying.
        (None, _) => false,
        (_, None) => true,
        // `Explain` and `Read` have an address as a resource; a computed value has none.
        (Some(Explain | Read), Some(new)) => !matches!(new, Explain | Read),
        (Some(Transform), Some(new)) => new.modifies(),
        // Writing state and triggering an action need separate consent.
        (Some(Trigger), Some(new)) => new == Write,
        (Some(Write), Some(new)) => new == Trigger,
    }
}

/// Returns `true` if everybody who has the permission `old` has `new`. Returns `false` for text that does not parse.
fn implies(old: &str, new: &str) -> bool {
    let read = |text: &str| text.parse::<Permission>().ok();
    read(old).zip(read(new)).is_some_and(|(old, new)| old.implies(&new))
}

fn was_is<T: Display>(old: Option<T>, new: Option<T>) -> String {
    match (old, new) {
        (Some(old), Some(new)) => format!("was `{old}`, is `{new}`"),
        (None, Some(new)) => format!("was none, is `{new}`"),
        (Some(old), None) => format!("was `{old}`, is none"),
        (None, None) => String::new(),
    }
}

fn were_are(old: &[String], new: &[String]) -> String {
    format!("was [{}], is [{}]", old.join(", "), new.join(", "))
}
