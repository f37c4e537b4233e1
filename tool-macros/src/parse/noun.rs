//! What a function is declared as.

use std::fmt;

use syn::Attribute;

/// What a function is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    Tool,
    Prompt,
}

impl Noun {
    /// What an attribute declares, by whatever path it is named.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let last = attribute.path().segments.last()?;
        [Noun::Tool, Noun::Prompt].into_iter().find(|noun| last.ident == noun.to_string())
    }
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Noun::Tool => "tool",
            Noun::Prompt => "prompt",
        })
    }
}
