//! Definitions of declared tools, created in bulk.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::declare::declaration::Declaration;
use crate::definition::DefinitionData;

/// A declaration, and the table cell for the rest of its definition, which is created on first use.
///
/// Most of a thousand tools are never used, and must not slow down the start of a program that runs one of them. So all
/// definitions share one table of lazily created cells, and nothing is called or copied before.
#[derive(Clone)]
pub(super) struct DeclaredDefinition {
    pub(super) declaration: &'static Declaration,
    table: Arc<CellTable>,
    row: u32,
}

/// The cells, in groups that are allocated when the first one is needed.
#[derive(Debug)]
struct CellTable(Box<[OnceLock<Box<Cells>>]>);

/// The number of cells per group.
const TOGETHER: usize = 16;

type Cells = [OnceLock<Box<DefinitionData>>; TOGETHER];

impl CellTable {
    fn cell(&self, row: u32) -> &OnceLock<Box<DefinitionData>> {
        let row = row as usize;
        &self.0[row / TOGETHER].get_or_init(Box::default)[row % TOGETHER]
    }
}

impl DeclaredDefinition {
    /// Creates one definition per declaration, in order.
    pub(super) fn all(
        declarations: impl ExactSizeIterator<Item = &'static Declaration>,
    ) -> impl ExactSizeIterator<Item = Self> {
        let cells = declarations.len().div_ceil(TOGETHER);
        let table = Arc::new(CellTable((0..cells).map(|_| OnceLock::new()).collect()));
        // More tools would not fit into memory.
        declarations.enumerate().map(move |(row, declaration)| DeclaredDefinition {
            declaration,
            table: Arc::clone(&table),
            row: row as u32,
        })
    }

    /// Identifies a definition and its clones.
    pub(super) fn address(&self) -> (usize, u32) {
        (Arc::as_ptr(&self.table).addr(), self.row)
    }

    pub(super) fn whole(&self) -> &DefinitionData {
        self.table.cell(self.row).get_or_init(|| DefinitionData::declared(self.declaration))
    }
}

impl fmt::Debug for DeclaredDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declared")
            .field("declaration", &self.declaration)
            .field("whole", &self.table.cell(self.row).get())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::declare::declaration::Declaration;
    use crate::declare::declared::declared;
    use crate::declare::entry::{Call, EntryOutcome};
    use crate::declare::returns::Returned;
    use crate::definition::ToolDefinition;
    use crate::model::operation::Operation;
    use crate::registry::Registry;

    static ENTERED: AtomicUsize = AtomicUsize::new(0);

    fn enter(call: &mut Call<'_>) -> EntryOutcome {
        let _ = call.of("Does it.", ("m", "m.rs", 1));
        ENTERED.fetch_add(1, Ordering::Relaxed);
        EntryOutcome::Described(Returned::Nothing)
    }

    const TOOL: Declaration = Declaration::new("first", Operation::Trigger, enter).takes(true, false);
    static FIRST: Declaration = TOOL;
    static OTHER: Declaration = Declaration { name: "other", ..TOOL };
    static BOTH: [&Declaration; 2] = [&OTHER, &FIRST];

    #[test]
    fn enters_a_declaration_once_and_lazily() {
        let registry = Registry::builder().tools(declared(&BOTH)).build().unwrap();
        let names: Vec<&str> = registry.definitions().map(ToolDefinition::name).collect();
        assert_eq!((names, ENTERED.load(Ordering::Relaxed)), (vec!["first", "other"], 0));
        let tool = registry.get("other").unwrap();
        assert!(tool.ptr_eq(&tool.clone()) && !tool.ptr_eq(registry.get("first").unwrap()));
        assert!(std::ptr::eq(tool.clone().input_schema(), tool.input_schema()));
        // Once for the metadata, and once for the inputs.
        assert_eq!(ENTERED.load(Ordering::Relaxed), 2);
    }
}
