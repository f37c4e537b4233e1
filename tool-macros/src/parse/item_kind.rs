//! The kinds of declarations.

use std::fmt;

use syn::Attribute;

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Tool,
    Prompt,
}

impl ItemKind {
    /// Returns the kind that an attribute declares, whatever path it is named by.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let last = attribute.path().segments.last()?;
        [ItemKind::Tool, ItemKind::Prompt].into_iter().find(|item_kind| last.ident == item_kind.to_string())
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ItemKind::Tool => "tool",
            ItemKind::Prompt => "prompt",
        })
    }
}
