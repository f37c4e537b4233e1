//! The tools. Each is an ordinary function.

use tool_core::{State, ToolError, tool};

use crate::notes::{MissingNote, Notes};

impl From<MissingNote> for ToolError {
    fn from(missing: MissingNote) -> Self {
        Self::not_found(missing.to_string())
    }
}

/// A note and its number.
#[derive(Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Note {
    /// What `get_note` takes.
    pub number: u32,
    /// The whole text.
    pub text: String,
}

/// Adds a note.
#[tool(operation = Write, destructive = false, open_world = false)]
pub async fn add_note(
    #[inject] notes: State<Notes>,
    /// The text of the note.
    #[arg(length(min = 1, max = 10_000), example = "Buy apples")]
    text: String,
) -> u32 {
    notes.add(text).await
}

/// Gets the text of a note.
#[tool(operation = Read, open_world = false)]
pub async fn get_note(
    #[inject] notes: State<Notes>,
    /// The number of the note.
    number: u32,
) -> Result<String, ToolError> {
    Ok(notes.get(number).await?)
}

/// Finds notes by a part of their text.
#[tool(operation = Read, open_world = false)]
pub async fn find_notes(
    #[inject] notes: State<Notes>,
    /// What the text contains, in the same case. All notes contain the empty text.
    #[arg(default = "", example = "apples")]
    text: String,
) -> Vec<Note> {
    let found = notes.find(&text).await.into_iter();
    found.map(|(number, text)| Note { number, text }).collect()
}
