//! What is listed, and when: whatever the database says now, and what it said last while it is not there.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Place, Served};
use crate::service::Library;

const ALL: [&str; 4] = ["borrow_book", "find_books", "get_book", "get_cover"];

/// The answer of the seed when the tools cannot be found out.
fn unavailable() -> Value {
    json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "Internal error discovering tools"}})
}

fn until_listed(served: &Served, what: &str, names: &[&str]) {
    served.until(what, |listed| listed.as_ref().is_ok_and(|listed| listed == names));
}

#[test]
fn the_list_is_that_of_the_seed_and_tells_every_input_whole() {
    let place = Place::new().with_library("http://127.0.0.1:1");
    let served = place.http();
    let (status, list) = served.get("/mcp/tools/list");
    assert_eq!((status, &list["jsonrpc"]), (200, &json!("2.0")));
    assert!(list.get("id").is_none() && list.get("error").is_none());
    assert_eq!(
        list["result"]["tools"][1],
        json!({
            "name": "find_books",
            "description": "Finds books of the lending library by their subjects.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "subjects": {
                        "type": "array",
                        "items": {
                            "type": "string",
                            "enum": ["humour", "manners", "novel", "science", "sea", "travel"],
                        },
                        "description": "Subjects, of which a book must have one; all books unless given.",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 50,
                        "description": "The most books.",
                        "default": 10,
                    },
                },
                "additionalProperties": false,
            },
        })
    );
    assert_eq!(served.names().unwrap(), ALL, "administration is not offered");
    let (_, detail) = served.get("/tools/borrow_book");
    assert_eq!((&detail["operation"], &detail["tags"]), (&json!("trigger"), &json!(["library"])));
    assert_eq!(served.get("/tools/add_tool").0, 404);
}

#[test]
fn a_change_is_listed_without_a_restart_long_before_the_list_is_old() {
    let library = Library::start();
    let place = Place::new().with_library(&library.origin).with("CATALOGUE_TTL", "3600");
    let served = place.http();
    assert_eq!(served.names().unwrap(), ALL);
    place.done("disable_tool", &json!({"code": "get_cover"}));
    until_listed(&served, "without the one that was disabled", &ALL[..3]);
    assert_eq!(served.call("get_cover", &json!({"isbn": "1"})).0, 404);
    let tool = json!({"code": "a_card", "provider": "library", "description": "Whether the card is valid.", "path": "/card"});
    place.done("add_tool", &tool);
    until_listed(
        &served,
        "with the one that was added",
        &["a_card", "borrow_book", "find_books", "get_book"],
    );
    let (status, answer) = served.call("a_card", &json!({}));
    assert_eq!((status, &answer["content"][0]["text"]), (200, &json!("a valid card")));
    // Whoever writes by hand is noticed as well.
    let by_hand = Connection::open(place.database()).unwrap();
    by_hand.execute_batch("DELETE FROM tool WHERE code <> 'get_book'").unwrap();
    until_listed(&served, "with the one that is left", &["get_book"]);
}

#[test]
fn a_catalogue_that_is_gone_serves_its_last_list_for_its_time_and_comes_back() {
    let library = Library::start();
    let place = Place::new().with_library(&library.origin).with("CATALOGUE_TTL", "2");
    let served = place.http();
    assert_eq!(served.names().unwrap(), ALL);
    let away = place.database().with_extension("away");
    for _ in 0..2 {
        fs::rename(place.database(), &away).unwrap();
        served.until("the last list is too old", |names| *names == Err(unavailable()));
        assert_eq!(served.get("/tools"), (500, json!({"error": "Internal error discovering tools"})));
        assert_eq!(served.call("find_books", &json!({})).0, 500);
        fs::rename(&away, place.database()).unwrap();
        until_listed(&served, "it is back", &ALL);
        assert_eq!(served.call("find_books", &json!({})).0, 200);
    }
    // The cause is in the log, and nowhere else.
    assert!(served.log().contains("there is no catalogue at "), "{}", served.log());
}

#[test]
fn a_catalogue_that_is_gone_goes_on_for_its_time_calls_included() {
    let library = Library::start();
    let place = Place::new().with_library(&library.origin).with("CATALOGUE_TTL", "3600");
    let served = place.http();
    assert_eq!(served.names().unwrap(), ALL);
    fs::remove_file(place.database()).unwrap();
    for _ in 0..3 {
        assert_eq!(served.names().unwrap(), ALL);
        assert_eq!(served.call("get_book", &json!({"isbn": "9780142437247"})).0, 200);
    }
    // Another file in its place is another catalogue.
    place.done("add_provider", &json!({"code": "shelf", "base_url": library.origin}));
    place.done(
        "add_tool",
        &json!({"code": "look", "provider": "shelf", "description": "Looks.", "path": "/books"}),
    );
    until_listed(&served, "the new one", &["look"]);
}

#[test]
fn a_server_that_is_started_before_there_is_a_catalogue_finds_it_later() {
    let place = Place::new().with("CATALOGUE_TTL", "3600");
    let served = place.http();
    assert_eq!(served.names(), Err(unavailable()));
    let place = place.with_library("http://127.0.0.1:1");
    until_listed(&served, "what was imported", &ALL);
    drop(place);
}

#[test]
fn a_catalogue_that_is_damaged_or_held_serves_its_last_list_and_recovers() {
    let place = Place::new().with_library("http://127.0.0.1:1").with("CATALOGUE_TTL", "3600");
    let served = place.http();
    assert_eq!(served.names().unwrap(), ALL);
    let whole = fs::read(place.database()).unwrap();
    fs::write(place.database(), "this is no database, and long enough to be taken for one".repeat(20))
        .unwrap();
    assert_eq!(served.names().unwrap(), ALL);
    let other = place.http();
    assert_eq!(other.names(), Err(unavailable()), "who has no list yet has nothing to serve");
    fs::write(place.database(), whole).unwrap();
    until_listed(&other, "it is whole again", &ALL);

    let holder = Connection::open(place.database()).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE; DELETE FROM tool WHERE code = 'get_cover'").unwrap();
    for _ in 0..3 {
        assert_eq!(served.names().unwrap(), ALL);
    }
    holder.execute_batch("COMMIT").unwrap();
    until_listed(&served, "what the holder has left", &ALL[..3]);
}

#[test]
fn one_bad_row_is_left_out_and_reported_and_the_others_are_served() {
    let place = Place::new().with_library("http://127.0.0.1:1");
    let by_hand = Connection::open(place.database()).unwrap();
    by_hand
        .execute_batch(
            "UPDATE tool SET output_schema = '{\"type\": \"object\", \"$ref\": \"https://evil.example.org/\"}' WHERE code = 'get_book';
             UPDATE tool SET path = '/books/{isbn}/{page}' WHERE code = 'get_cover';
             UPDATE parameter SET default_value = 'many' WHERE tool = 'find_books' AND name = 'limit';
             INSERT INTO tool (code, provider, description, path) VALUES ('not a name', 'library', 'Does.', '/');",
        )
        .unwrap();
    let served = place.http();
    assert_eq!(served.names().unwrap(), ["borrow_book"]);
    let log = served.log();
    for reported in [
        "tool `find_books`: one of its inputs: its `default_value` is no JSON",
        "tool `get_book`: its output schema was refused",
        "tool `get_cover`: `{page}` in `path` is no required input",
        "tool `not a name`: its name is not made of",
    ] {
        assert!(log.contains(reported), "{reported}\n{log}");
    }
    let lines = place.done("list_stored_tools", &json!({}));
    let state = |code: &str| {
        let line = lines.as_array().unwrap().iter().find(|line| line["code"] == code).unwrap();
        line["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("borrow_book"), "listed");
    assert!(state("get_cover").starts_with("left out: `{page}` in `path`"), "{lines}");
    // One of them is mended, and nothing is started again.
    place.done("edit_tool", &json!({"code": "get_cover", "path": "/books/{isbn}/cover"}));
    until_listed(&served, "with the one that was mended", &["borrow_book", "get_cover"]);
}
