//! Lists follow the database; while it is unavailable, the last list is served until its TTL ends.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Fixture, Server};
use crate::service::Library;

const ALL: [&str; 4] = ["borrow_book", "find_books", "get_book", "get_cover"];

/// Returns the response to a list request when discovery fails.
fn unavailable() -> Value {
    json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "Internal error discovering tools"}})
}

fn wait_until_listed(server: &Server, what: &str, names: &[&str]) {
    server.wait_until(what, |listed| listed.as_ref().is_ok_and(|listed| listed == names));
}

#[test]
fn lists_the_seed_with_complete_inputs() {
    let fixture = Fixture::new().with_library("http://127.0.0.1:1");
    let server = fixture.http();
    let (status, list) = server.get("/mcp/tools/list");
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
    assert_eq!(server.names().unwrap(), ALL, "administration tools are not listed");
    let (_, detail) = server.get("/tools/borrow_book");
    assert_eq!((&detail["operation"], &detail["tags"]), (&json!("trigger"), &json!(["library"])));
    assert_eq!(server.get("/tools/add_tool").0, 404);
}

#[test]
fn lists_changes_without_a_restart() {
    lists_changes(Fixture::new());
}

pub(crate) fn lists_changes(fixture: Fixture) {
    let library = Library::start();
    let fixture = fixture.with_library(&library.origin).with("CATALOGUE_TTL", "3600");
    let server = fixture.http();
    assert_eq!(server.names().unwrap(), ALL);
    fixture.run_ok("disable_tool", &json!({"code": "get_cover"}));
    wait_until_listed(&server, "without the disabled tool", &ALL[..3]);
    assert_eq!(server.call("get_cover", &json!({"isbn": "1"})).0, 404);
    let tool = json!({"code": "a_card", "provider": "library", "description": "Whether the card is valid.", "path": "/card"});
    fixture.run_ok("add_tool", &tool);
    wait_until_listed(&server, "with the added tool", &["a_card", "borrow_book", "find_books", "get_book"]);
    let (status, answer) = server.call("a_card", &json!({}));
    assert_eq!((status, &answer["content"][0]["text"]), (200, &json!("a valid card")));
    // Direct changes to the database are noticed, too.
    fixture.sql().execute("DELETE FROM tool WHERE code <> 'get_book'");
    wait_until_listed(&server, "with the remaining tool", &["get_book"]);
}

#[test]
fn fails_after_the_ttl_until_the_file_returns() {
    let library = Library::start();
    let fixture = Fixture::new().with_library(&library.origin).with("CATALOGUE_TTL", "2");
    let server = fixture.http();
    assert_eq!(server.names().unwrap(), ALL);
    let backup = fixture.database().with_extension("away");
    for _ in 0..2 {
        fs::rename(fixture.database(), &backup).unwrap();
        server.wait_until("the last list is too old", |names| *names == Err(unavailable()));
        assert_eq!(server.get("/tools"), (500, json!({"error": "Internal error discovering tools"})));
        assert_eq!(server.call("find_books", &json!({})).0, 500);
        fs::rename(&backup, fixture.database()).unwrap();
        wait_until_listed(&server, "it is back", &ALL);
        assert_eq!(server.call("find_books", &json!({})).0, 200);
    }
    // The cause is in the log, and nowhere else.
    assert!(server.log().contains("there is no catalogue at "), "{}", server.log());
}

#[test]
fn serves_the_cached_list_within_the_ttl() {
    let library = Library::start();
    let fixture = Fixture::new().with_library(&library.origin).with("CATALOGUE_TTL", "3600");
    let server = fixture.http();
    assert_eq!(server.names().unwrap(), ALL);
    fs::remove_file(fixture.database()).unwrap();
    for _ in 0..3 {
        assert_eq!(server.names().unwrap(), ALL);
        assert_eq!(server.call("get_book", &json!({"isbn": "9780142437247"})).0, 200);
    }
    // A new file at the same path is a new catalogue.
    fixture.run_ok("add_provider", &json!({"code": "shelf", "base_url": library.origin}));
    fixture.run_ok(
        "add_tool",
        &json!({"code": "look", "provider": "shelf", "description": "Looks.", "path": "/books"}),
    );
    wait_until_listed(&server, "the new one", &["look"]);
}

#[test]
fn finds_a_catalogue_created_after_the_start() {
    let fixture = Fixture::new().with("CATALOGUE_TTL", "3600");
    let server = fixture.http();
    assert_eq!(server.names(), Err(unavailable()));
    let fixture = fixture.with_library("http://127.0.0.1:1");
    wait_until_listed(&server, "after the import", &ALL);
    drop(fixture);
}

#[test]
fn serves_the_cached_list_while_damaged_or_locked() {
    let fixture = Fixture::new().with_library("http://127.0.0.1:1").with("CATALOGUE_TTL", "3600");
    let server = fixture.http();
    assert_eq!(server.names().unwrap(), ALL);
    let intact = fs::read(fixture.database()).unwrap();
    fs::write(fixture.database(), "this is no database, and long enough to be taken for one".repeat(20))
        .unwrap();
    assert_eq!(server.names().unwrap(), ALL);
    let other = fixture.http();
    assert_eq!(other.names(), Err(unavailable()), "a server without a cached list has nothing to serve");
    fs::write(fixture.database(), intact).unwrap();
    wait_until_listed(&other, "it is whole again", &ALL);

    let mut holder = fixture.sql();
    holder.execute("BEGIN EXCLUSIVE; DELETE FROM tool WHERE code = 'get_cover'");
    for _ in 0..3 {
        assert_eq!(server.names().unwrap(), ALL);
    }
    holder.execute("COMMIT");
    wait_until_listed(&server, "after the lock is released", &ALL[..3]);
}

#[test]
fn skips_and_reports_invalid_rows() {
    skips_invalid_rows(Fixture::new());
}

pub(crate) fn skips_invalid_rows(fixture: Fixture) {
    let fixture = fixture.with_library("http://127.0.0.1:1");
    fixture.sql().execute(
        "UPDATE tool SET output_schema = '{\"type\": \"object\", \"$ref\": \"https://evil.example.org/\"}' WHERE code = 'get_book';
         UPDATE tool SET path = '/books/{isbn}/{page}' WHERE code = 'get_cover';
         UPDATE parameter SET default_value = 'many' WHERE tool = 'find_books' AND name = 'limit';
         INSERT INTO tool (code, provider, description, path) VALUES ('not a name', 'library', 'Does.', '/');
         INSERT INTO tool (code, provider, description, path) VALUES ('\u{1b}[2J', 'library', 'Does.', '/');",
    );
    let server = fixture.http();
    assert_eq!(server.names().unwrap(), ["borrow_book"]);
    let log = server.log();
    for reported in [
        "tool `find_books`: one of its inputs: its `default_value` is no JSON",
        "tool `get_book`: its output schema was refused",
        "tool `get_cover`: `{page}` in `path` is no required input",
        "tool `not a name`: its name is not made of",
    ] {
        assert!(log.contains(reported), "{reported}\n{log}");
    }
    let lines = fixture.run_ok("list_stored_tools", &json!({}));
    let state = |code: &str| {
        let line = lines.as_array().unwrap().iter().find(|line| line["code"] == code).unwrap();
        line["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("borrow_book"), "listed");
    assert!(state("\u{1b}[2J").starts_with("left out: its name is not made of"), "{lines}");
    assert!(state("get_cover").starts_with("left out: `{page}` in `path`"), "{lines}");
    // A repaired row is listed without a restart.
    fixture.run_ok("edit_tool", &json!({"code": "get_cover", "path": "/books/{isbn}/cover"}));
    wait_until_listed(&server, "with the repaired tool", &["borrow_book", "get_cover"]);
}
