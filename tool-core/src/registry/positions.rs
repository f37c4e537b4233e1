//! Where each tool stands, by its name.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Positions of tools by their names.
pub(super) enum Positions {
    /// Every name comes from the application, and nobody chooses one to collide.
    Own(HashMap<String, usize, BuildHasherDefault<NameHasher>>),
    /// Names may come from elsewhere: a key that nobody knows keeps them apart.
    Foreign(HashMap<String, usize>),
}

impl Positions {
    pub(super) fn own() -> Self {
        Positions::Own(HashMap::default())
    }

    pub(super) fn foreign() -> Self {
        Positions::Foreign(HashMap::new())
    }

    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        match self {
            Positions::Own(positions) => positions.get(name).copied(),
            Positions::Foreign(positions) => positions.get(name).copied(),
        }
    }

    /// Notes a position; the one that the name had before.
    pub(super) fn insert(&mut self, name: &str, position: usize) -> Option<usize> {
        match self {
            Positions::Own(positions) => positions.insert(name.to_owned(), position),
            Positions::Foreign(positions) => positions.insert(name.to_owned(), position),
        }
    }
}

/// FNV-1a, for which short texts are cheap.
#[derive(Debug)]
pub(super) struct NameHasher(u64);

impl Default for NameHasher {
    fn default() -> Self {
        NameHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::Positions;
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
        assert!(matches!(own.inner.positions, Positions::Own(_)));
        let with = Registry::builder().tool(tool()).build().unwrap();
        assert!(matches!(with.inner.positions, Positions::Foreign(_)));
        let joined = own.toolset([Ok(Arc::new(tool()) as Arc<dyn Tool>)]).into_registry();
        assert!(matches!(joined.inner.positions, Positions::Foreign(_)));
        assert!(joined.get("foreign").is_some() && with.get("foreign").is_some());
    }
}
