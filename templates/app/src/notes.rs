//! The notes that the tools work on. They are in memory: a pool of a database goes in place of the map.

use std::collections::BTreeMap;

use tokio::sync::Mutex;

/// All notes, by their numbers.
#[derive(Debug, Default)]
pub struct Notes {
    notes: Mutex<BTreeMap<u32, String>>,
}

/// There is no note with this number.
#[derive(Debug, thiserror::Error)]
#[error("there is no note {0}")]
pub struct MissingNote(pub u32);

impl Notes {
    /// Opens the store of notes. A pool of a database is made here, inside of the runtime.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened.
    pub async fn open() -> std::io::Result<Self> {
        Ok(Self::default())
    }

    /// Adds a note, and returns its number.
    pub async fn add(&self, text: String) -> u32 {
        let mut notes = self.notes.lock().await;
        let number = notes.last_key_value().map_or(1, |(last, _)| last + 1);
        notes.insert(number, text);
        number
    }

    /// Returns the text of a note.
    ///
    /// # Errors
    ///
    /// [`MissingNote`] if there is none with this number.
    pub async fn get(&self, number: u32) -> Result<String, MissingNote> {
        let notes = self.notes.lock().await;
        notes.get(&number).cloned().ok_or(MissingNote(number))
    }

    /// Returns the numbers and texts of the notes that contain a text.
    pub async fn find(&self, text: &str) -> Vec<(u32, String)> {
        let notes = self.notes.lock().await;
        let copies = notes.iter().map(|(number, note)| (*number, note.clone()));
        copies.filter(|(_, note)| note.contains(text)).collect()
    }
}
