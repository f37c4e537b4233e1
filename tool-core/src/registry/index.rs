//! Where each tool stands, by its name.
//!
//! The tools stand in the order of their names, which finds one without a table. A process that looks up a few, as the
//! command line does, ends before a table would be of use; one that calls on makes it, and then a lookup costs the same
//! however many there are. The table holds numbers and no names, which stand in the tools: a thousand tools take ten
//! kilobytes.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::registry::RegisteredTool;

/// How many names are looked up without a table.
const FEW: u32 = 8;

/// Positions of tools by their names and aliases, of which no two are one.
#[derive(Default)]
pub(super) struct Positions {
    table: OnceLock<Table>,
    /// How often a name was looked up without it.
    lookups: AtomicU32,
}

struct Table {
    table: HashTable<Position>,
    keys: Keys,
}

/// How names are told apart.
enum Keys {
    /// Every name comes from the application, and nobody chooses one to collide.
    Own,
    /// Names may come from elsewhere: a key that nobody knows keeps them apart.
    Foreign(RandomState),
}

/// Where a tool stands, and by which of its two names it is known here.
#[derive(Clone, Copy)]
struct Position {
    of: u32,
    by_alias: bool,
}

impl Positions {
    /// The position of the tool of this name or alias among these, which are always the same ones.
    #[inline]
    pub(super) fn get(&self, name: &str, members: &[RegisteredTool]) -> Option<usize> {
        match self.table.get() {
            Some(table) => table.get(name, members),
            None => self.search(name, members),
        }
    }

    #[cold]
    fn search(&self, name: &str, members: &[RegisteredTool]) -> Option<usize> {
        if self.lookups.fetch_add(1, Ordering::Relaxed) < FEW {
            let alias = || members.iter().position(|member| member.definition.alias() == Some(name));
            return by_name(name, members).or_else(alias);
        }
        self.table.get_or_init(|| Table::of(members)).get(name, members)
    }
}

/// The position of the tool of this name.
pub(super) fn by_name(name: &str, members: &[RegisteredTool]) -> Option<usize> {
    members.binary_search_by(|member| member.definition.name().cmp(name)).ok()
}

impl Table {
    fn of(members: &[RegisteredTool]) -> Self {
        // Tools that are written by hand may be somebody else's, and so may their names.
        let is_foreign = members.iter().any(RegisteredTool::is_dynamic);
        let keys = if is_foreign { Keys::Foreign(RandomState::new()) } else { Keys::Own };
        let aliases = members.iter().filter(|member| member.definition.alias().is_some()).count();
        let mut table = HashTable::with_capacity(members.len() + aliases);
        // More tools than that do not fit into memory.
        for (of, member) in (0..u32::MAX).zip(members) {
            let names = [(Some(member.definition.name()), false), (member.definition.alias(), true)];
            for (name, by_alias) in names {
                let Some(name) = name else { continue };
                // There is room: nothing is moved, and so nothing needs to be hashed again.
                table.insert_unique(keys.hash(name), Position { of, by_alias }, |_| 0);
            }
        }
        Table { table, keys }
    }

    #[inline]
    fn get(&self, name: &str, members: &[RegisteredTool]) -> Option<usize> {
        let is_it = |position: &Position| {
            let tool = &members[position.of as usize].definition;
            if position.by_alias { tool.alias() == Some(name) } else { tool.name() == name }
        };
        self.table.find(self.keys.hash(name), is_it).map(|position| position.of as usize)
    }
}

impl Keys {
    #[inline]
    fn hash(&self, name: &str) -> u64 {
        match self {
            Keys::Own => FixedState::default().hash_one(name),
            Keys::Foreign(key) => key.hash_one(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::{FEW, Keys, Table};
    use crate::call::tool::{DynamicTool, Tool};
    use crate::definition::ToolDefinition;
    use crate::model::output::Output;
    use crate::registry::Registry;

    fn tool(name: &str) -> impl Tool + 'static {
        let definition = ToolDefinition::builder(name, "Does something.").build().unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    }

    #[test]
    fn names_that_others_choose_are_kept_apart_by_a_key() {
        let keys = |registry: &Registry| Table::of(&registry.inner.members).keys;
        let own = Registry::builder().allow_empty().build().unwrap();
        assert!(matches!(keys(&own), Keys::Own));
        let with = Registry::builder().tool(tool("foreign")).build().unwrap();
        assert!(matches!(keys(&with), Keys::Foreign(_)));
        let joined = own.toolset([Ok(Arc::new(tool("foreign")) as Arc<dyn Tool>)]).into_registry();
        assert!(matches!(keys(&joined), Keys::Foreign(_)));
        assert!(joined.get("foreign").is_some() && with.get("foreign").is_some());
    }

    #[test]
    fn a_table_is_made_for_whoever_looks_up_many_and_finds_the_same() {
        let registry = Registry::builder().tool(tool("b")).tool(tool("a")).tool(tool("c")).build().unwrap();
        assert!(registry.inner.positions.table.get().is_none());
        let found = || ["a", "b", "c", "d"].map(|name| registry.position(name).map(|(position, _)| position));
        let first = found();
        assert_eq!(first, [Some(0), Some(1), Some(2), None]);
        assert!(registry.inner.positions.table.get().is_none());
        for _ in 0..FEW {
            assert_eq!(found(), first);
        }
        assert!(registry.inner.positions.table.get().is_some());
    }
}
