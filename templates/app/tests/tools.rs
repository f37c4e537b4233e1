//! The tools without a server.

use serde_json::json;
use tool_core::{Registry, State};

use {{crate_name}}::notes::Notes;
use {{crate_name}}::tools::{Note, add_note, find_notes};

fn registry() -> Registry {
    let builder = Registry::builder().linked().state(Notes::default());
    builder.build().unwrap()
}

#[tokio::test]
async fn a_tool_is_a_function() {
    let notes = State::new(Notes::default());
    assert_eq!(add_note(notes.clone(), "Buy apples".to_owned()).await, 1);
    let found = find_notes(notes, "apples".to_owned()).await;
    let text = "Buy apples".to_owned();
    assert_eq!(found, [Note { number: 1, text }]);
}

#[tokio::test]
async fn a_missing_note_is_not_found() {
    let registry = registry();
    let called = registry.call("get_note", json!({"number": 7})).await;
    assert_eq!(called.unwrap_err().text(), "there is no note 7");
}

#[test]
fn the_declarations_agree_with_their_types() {
    registry().check().unwrap();
}
