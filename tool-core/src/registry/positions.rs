//! Where each tool stands, by its name.
//!
//! The table holds numbers and no names, which stand in the tools: a thousand tools take ten kilobytes, and nothing is
//! copied when a registry is built.

use std::hash::{BuildHasher as _, RandomState};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::definition::ToolDefinition;

/// Positions of tools by their names and aliases.
pub(super) struct Positions {
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

impl Position {
    fn name<'t>(self, tool: impl FnOnce(usize) -> &'t ToolDefinition) -> Option<&'t str> {
        let tool = tool(self.of as usize);
        if self.by_alias { tool.alias() } else { Some(tool.name()) }
    }
}

impl Positions {
    pub(super) fn own(tools: usize) -> Self {
        Positions { table: HashTable::with_capacity(tools), keys: Keys::Own }
    }

    /// The positions of these names, which stand in the order of their tools, and of which no two are one.
    pub(super) fn foreign<'t>(names: impl ExactSizeIterator<Item = &'t str>) -> Self {
        let mut positions = Positions::none_foreign(names.len());
        let Positions { table, keys } = &mut positions;
        // More tools than that do not fit into memory.
        for (of, name) in (0..u32::MAX).zip(names) {
            // There is room: nothing is moved, and so nothing needs to be hashed again.
            table.insert_unique(keys.hash(name), Position { of, by_alias: false }, |_| 0);
        }
        positions
    }

    /// The same for names that are noted later.
    pub(super) fn none_foreign(tools: usize) -> Self {
        Positions { table: HashTable::with_capacity(tools), keys: Keys::Foreign(RandomState::new()) }
    }

    /// The position of the tool of this name or alias, among the tools that were noted.
    #[inline]
    pub(super) fn get<'t>(&self, name: &str, tool: impl Fn(usize) -> &'t ToolDefinition) -> Option<usize> {
        let found = self.table.find(self.keys.hash(name), |position| position.name(&tool) == Some(name));
        found.map(|position| position.of as usize)
    }

    /// Notes a position under the name of its tool, which no other has: of those that do, one is found.
    pub(super) fn insert_name<'t>(&mut self, position: usize, tool: impl Fn(usize) -> &'t ToolDefinition) {
        let Positions { table, keys } = self;
        // More tools than that do not fit into memory.
        let Ok(of) = u32::try_from(position) else { return };
        let noted = Position { of, by_alias: false };
        let hash = |known: &Position| keys.hash(known.name(&tool).unwrap_or_default());
        table.insert_unique(hash(&noted), noted, hash);
    }

    /// Notes a position under the alias of its tool, if it has one; the position that this name had before.
    pub(super) fn insert_alias<'t>(
        &mut self,
        position: usize,
        tool: impl Fn(usize) -> &'t ToolDefinition,
    ) -> Option<usize> {
        let Positions { table, keys } = self;
        let noted = Position { of: u32::try_from(position).ok()?, by_alias: true };
        let name = noted.name(&tool)?;
        let entry = table.entry(
            keys.hash(name),
            |known| known.name(&tool) == Some(name),
            |known| keys.hash(known.name(&tool).unwrap_or_default()),
        );
        match entry {
            Entry::Occupied(mut known) => Some(std::mem::replace(known.get_mut(), noted).of as usize),
            Entry::Vacant(free) => {
                free.insert(noted);
                None
            }
        }
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

    use super::Keys;
    use crate::definition::ToolDefinition;
    use crate::output::Output;
    use crate::registry::Registry;
    use crate::tool::{DynamicTool, Tool};

    fn tool() -> impl Tool + 'static {
        let definition = ToolDefinition::builder("foreign", "Does something.").build().unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    }

    #[test]
    fn names_that_others_choose_are_kept_apart_by_a_key() {
        let own = Registry::builder().allow_empty().build().unwrap();
        assert!(matches!(own.inner.positions.keys, Keys::Own));
        let with = Registry::builder().tool(tool()).build().unwrap();
        assert!(matches!(with.inner.positions.keys, Keys::Foreign(_)));
        let joined = own.toolset([Ok(Arc::new(tool()) as Arc<dyn Tool>)]).into_registry();
        assert!(matches!(joined.inner.positions.keys, Keys::Foreign(_)));
        assert!(joined.get("foreign").is_some() && with.get("foreign").is_some());
    }
}
