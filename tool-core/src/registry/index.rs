//! The positions of tools by name.
//!
//! The tools are ordered by name, so that the first lookups are binary searches: a command line exits before a table would pay
//! off. After some lookups, a hash table of positions is built: a thousand tools take ten kilobytes.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::registry::registered_tool::RegisteredTool;

/// The number of lookups before the table is built.
const FEW: u32 = 8;

/// The positions of tools by name and alias, which are unique.
#[derive(Default)]
pub(super) struct Positions {
    table: OnceLock<NameTable>,
    /// The number of lookups without the table.
    lookups: AtomicU32,
}

struct NameTable {
    table: HashTable<NamePosition>,
    keys: Keys,
}

/// How names are hashed.
enum Keys {
    /// With a fixed hash: all names come from the application.
    Own,
    /// With a random key, which prevents chosen collisions: names may come from others.
    Foreign(RandomState),
}

/// The position of a tool, for its name or for its alias.
#[derive(Clone, Copy)]
struct NamePosition {
    of: u32,
    by_alias: bool,
}

impl Positions {
    /// Returns the position of the tool of this name or alias among `members`, which must be the same for every call.
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
        self.table.get_or_init(|| NameTable::of(members)).get(name, members)
    }
}

/// Returns the position of the tool of this name.
pub(super) fn by_name(name: &str, members: &[RegisteredTool]) -> Option<usize> {
    members.binary_search_by(|member| member.definition.name().cmp(name)).ok()
}

impl NameTable {
    fn of(members: &[RegisteredTool]) -> Self {
        // The name of a dynamic tool may come from another party.
        let is_foreign = members.iter().any(RegisteredTool::is_dynamic);
        let keys = if is_foreign { Keys::Foreign(RandomState::new()) } else { Keys::Own };
        let aliases = members.iter().filter(|member| member.definition.alias().is_some()).count();
        let mut table = HashTable::with_capacity(members.len() + aliases);
        // More tools than `u32::MAX` do not fit into memory.
        for (of, member) in (0..u32::MAX).zip(members) {
            let names = [(Some(member.definition.name()), false), (member.definition.alias(), true)];
            for (name, by_alias) in names {
                let Some(name) = name else { continue };
                // The capacity is sufficient, so nothing is hashed again.
                table.insert_unique(keys.hash(name), NamePosition { of, by_alias }, |_| 0);
            }
        }
        NameTable { table, keys }
    }

    #[inline]
    fn get(&self, name: &str, members: &[RegisteredTool]) -> Option<usize> {
        let is_it = |position: &NamePosition| {
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

    use super::{FEW, Keys, NameTable};
    use crate::call::tool::{DynamicTool, Tool};
    use crate::definition::ToolDefinition;
    use crate::model::output::Output;
    use crate::registry::Registry;

    fn tool(name: &str) -> impl Tool + 'static {
        let definition = ToolDefinition::builder(name, "Does something.").build().unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    }

    #[test]
    fn hashes_foreign_names_with_a_random_key() {
        let keys = |registry: &Registry| NameTable::of(&registry.inner.members).keys;
        let own = Registry::builder().allow_empty().build().unwrap();
        assert!(matches!(keys(&own), Keys::Own));
        let with = Registry::builder().tool(tool("foreign")).build().unwrap();
        assert!(matches!(keys(&with), Keys::Foreign(_)));
        let joined = own.toolset([Ok(Arc::new(tool("foreign")) as Arc<dyn Tool>)]).into_registry();
        assert!(matches!(keys(&joined), Keys::Foreign(_)));
        assert!(joined.get("foreign").is_some() && with.get("foreign").is_some());
    }

    #[test]
    fn builds_the_table_after_some_lookups() {
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
