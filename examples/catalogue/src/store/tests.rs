//! Round trips, rejection of invalid descriptions, and recovery from file errors.

use std::fs;
use std::sync::Barrier;
use std::thread;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use tool_core::FailureKind;
use tool_core::failure::Reason;

use super::*;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("deep/inside/catalogue.sqlite"));
    (folder, store)
}

fn demo() -> Description {
    serde_json::from_str(include_str!("../../seed/demo.json")).unwrap()
}

fn public() -> Description {
    serde_json::from_str(include_str!("../../seed/public.json")).unwrap()
}

/// Runs SQL statements on the file, past the store.
fn execute_sql(store: &Store, sql: &str) {
    Connection::open(store.reader().path()).unwrap().execute_batch(sql).unwrap();
}

fn tool(code: &str) -> Tool {
    let tool = json!({"code": code, "provider": "library", "description": "Does.", "path": "/books"});
    serde_json::from_value(tool).unwrap()
}

#[test]
fn round_trips_repeated_imports() {
    let (_folder, store) = store();
    for description in [demo(), public(), demo()] {
        store.0.writer.import(&description).unwrap();
    }
    let mut both = demo();
    both.providers.extend(public().providers);
    both.tools.extend(public().tools);
    both.providers.sort_by(|a, b| a.code.cmp(&b.code));
    both.tools.sort_by(|a, b| a.code.cmp(&b.code));
    assert_eq!(store.reader().description().unwrap(), both);
}

#[test]
fn round_trips_every_kind_of_value() {
    let (_folder, store) = store();
    let mut all = tool("all");
    all.tags = Vec::new();
    all.parameters = serde_json::from_value(json!([
        {"name": "null", "schema": {"type": ["string", "null"]}, "default": ""},
        {"name": "words", "type": "array", "items": "string", "default": []},
        {"name": "things", "type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
        {"name": "big", "type": "integer", "default": 9_007_199_254_740_993_i64, "enum": [9_007_199_254_740_993_i64, 2]},
        {"name": "yes", "type": "boolean", "default": false, "secret": true, "lists": "comma", "sent_as": "\u{1f600}"},
    ]))
    .unwrap();
    all.output_schema = Some(json!({"type": "object"}));
    (all.enabled, all.destructive) = (false, Some(false));
    let description = Description { providers: demo().providers, tools: vec![all] };
    store.0.writer.import(&description).unwrap();
    assert_eq!(store.reader().description().unwrap(), description);
}

#[test]
fn rejects_invalid_changes_atomically() {
    let (_folder, store) = store();
    let writer = &store.0.writer;
    writer.import(&demo()).unwrap();
    let before = (store.reader().description().unwrap(), store.reader().revision().unwrap());
    let assert_refused = |error: StoreError, expected: &str| {
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(
            (store.reader().description().unwrap(), store.reader().revision().unwrap()),
            before,
            "{expected}"
        );
    };
    assert_refused(writer.add_tool(&tool("find_books")).unwrap_err(), "there is a tool `find_books` already");
    assert_refused(
        writer.add_provider(&demo().providers[0]).unwrap_err(),
        "there is a provider `library` already",
    );
    assert_refused(writer.edit_tool("nope", |_| {}).unwrap_err(), "there is no tool `nope`");
    assert_refused(writer.remove_tool("nope").unwrap_err(), "there is no tool `nope`");
    assert_refused(writer.remove_provider("library").unwrap_err(), "provider `library` has tools");
    assert_refused(writer.remove_provider("nope").unwrap_err(), "there is no provider `nope`");
    assert_refused(
        writer.edit_tool("get_book", |tool| tool.path = "/books".to_owned()).unwrap_err(),
        "nothing was changed: tool `get_book`: input `isbn` has the place `path`, and `path` has no `{isbn}`",
    );
    assert_refused(
        writer
            .edit_provider("library", |provider| provider.base_url = "http://example.org".to_owned())
            .unwrap_err(),
        "provider `library`: `base_url` begins with `http://`",
    );
    let mut orphan = tool("homeless");
    orphan.provider = "nowhere".to_owned();
    assert_refused(writer.add_tool(&orphan).unwrap_err(), "there is no provider `nowhere`");
    // If one is invalid, neither is stored. Disabled tools must be valid, too.
    let mut bad = Tool { path: "books".to_owned(), enabled: false, ..tool("bad") };
    let both = Description { tools: vec![tool("good"), bad.clone()], ..Description::default() };
    assert_refused(writer.import(&both).unwrap_err(), "tool `bad`: `path` does not begin with `/`");
    bad.path = "/books".to_owned();
    bad.parameters =
        serde_json::from_value(json!([{"name": "a", "type": "string"}, {"name": "a", "type": "integer"}]))
            .unwrap();
    assert_refused(writer.add_tool(&bad).unwrap_err(), "there are two inputs of the name `a`");
}

#[test]
fn skips_invalid_rows_and_accepts_other_changes() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    execute_sql(
        &store,
        "UPDATE tool SET method = 'FETCH' WHERE code = 'get_book';
         UPDATE tool SET tags = '[' WHERE code = 'get_cover';
         UPDATE parameter SET type = 'text' WHERE tool = 'borrow_book' AND name = 'reader';
         INSERT INTO provider (code, base_url) VALUES ('odd', 'nowhere');
         INSERT INTO tool (code, provider, description, path) VALUES ('lost', 'odd', 'Does.', '/');",
    );
    let rows = store.reader().rows().unwrap();
    let invalid: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Tool(code, Err(reason)) => Some(format!("{code}: {reason}")),
            _ => None,
        })
        .collect();
    assert_eq!(invalid.len(), 3, "{invalid:?}");
    assert!(invalid[0].starts_with("borrow_book: its input `reader`: unknown variant `text`"), "{invalid:?}");
    assert!(invalid[1].starts_with("get_book: unknown variant `FETCH`"), "{invalid:?}");
    assert!(invalid[2].starts_with("get_cover: its `tags` is no JSON"), "{invalid:?}");

    let endpoints = crate::catalogue::endpoints(rows);
    let served: Vec<_> = endpoints.iter().flatten().map(|endpoint| endpoint.tool.code.as_str()).collect();
    assert_eq!(served, ["find_books"]);
    assert!(endpoints.iter().any(|endpoint| {
        endpoint
            .as_ref()
            .is_err_and(|error| error.to_string().starts_with("tool `lost`: its provider `odd`: `base_url`"))
    }));
    store.0.writer.add_tool(&tool("another")).unwrap();
    store.0.writer.remove_tool("get_book").unwrap();
}

#[test]
fn reports_missing_and_newer_files() {
    let (_folder, store) = store();
    for _ in 0..2 {
        assert!(matches!(store.reader().rows(), Err(StoreError::Missing(_))));
        assert!(matches!(store.reader().revision(), Err(StoreError::Missing(_))));
    }
    assert!(!store.reader().path().exists());
    store.0.writer.import(&demo()).unwrap();
    // A file without tables is not a catalogue yet.
    fs::write(store.reader().path(), "").unwrap();
    assert!(matches!(store.reader().rows(), Err(StoreError::Missing(_))));
    execute_sql(&store, "PRAGMA user_version = 99;");
    assert!(matches!(store.reader().rows(), Err(StoreError::Newer { found: 99, newest: 1 })));
    assert!(matches!(store.0.writer.import(&demo()), Err(StoreError::Newer { .. })));
}

#[test]
fn recovers_from_a_damaged_file() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    let path = store.reader().path();
    let intact = fs::read(path).unwrap();
    let mut torn = intact.clone();
    torn[100..].fill(0xff);
    for damaged in [b"this is no database at all, and long enough to be taken for one".to_vec(), torn] {
        fs::write(path, damaged).unwrap();
        assert!(matches!(store.reader().rows(), Err(StoreError::Sqlite(_))));
        let error = ToolError::from(store.0.writer.import(&demo()).unwrap_err());
        assert_eq!(error.to_string(), "the catalogue cannot be read or written at the moment");
    }
    fs::write(path, intact).unwrap();
    assert_eq!(store.reader().description().unwrap(), demo());
}

#[test]
fn gives_every_change_a_new_revision() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    let mut seen = vec![store.reader().revision().unwrap()];
    assert_eq!(store.reader().revision().unwrap(), seen[0], "nothing has changed");
    let mut assert_new_revision = |what: &str| {
        let now = store.reader().revision().unwrap();
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    };
    store.0.writer.edit_tool("get_book", |tool| tool.enabled = false).unwrap();
    assert_new_revision("this program");
    execute_sql(&store, "UPDATE parameter SET description = 'x' WHERE name = 'limit'");
    assert_new_revision("direct SQL");
    let copy = store.reader().path().with_extension("copy");
    fs::copy(store.reader().path(), &copy).unwrap();
    fs::rename(copy, store.reader().path()).unwrap();
    assert_new_revision("replaced file");
}

#[test]
fn loses_no_concurrent_writes() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for writer in 0..8 {
            let (store, barrier) = (&store, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for number in 0..5 {
                    store.0.writer.add_tool(&tool(&format!("tool_{writer}_{number}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(store.reader().description().unwrap().tools.len(), 44);
}

#[test]
fn waits_for_locks_to_write_but_not_to_read() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    let holder = Connection::open(store.reader().path()).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE; DELETE FROM tool WHERE code = 'get_cover'").unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| store.0.writer.add_tool(&tool("another")));
        assert!(matches!(store.reader().rows(), Err(StoreError::Busy)));
        assert!(!writer.is_finished(), "the writer waits for the lock");
        holder.execute_batch("COMMIT").unwrap();
        writer.join().unwrap().unwrap();
    });
    let codes: Vec<String> =
        store.reader().description().unwrap().tools.into_iter().map(|tool| tool.code).collect();
    assert_eq!(codes, ["another", "borrow_book", "find_books", "get_book"]);
    assert_eq!(ToolError::from(StoreError::Busy).kind(), FailureKind::Failed(Reason::Unavailable));
}

#[test]
fn ignores_inputs_of_deleted_tools() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    let get_book = |store: &Store| {
        let mut tools = store.reader().description().unwrap().tools;
        tools.retain(|tool| tool.code == "get_book");
        tools
    };
    let before = get_book(&store);
    // The SQLite shell does not enforce foreign keys by default.
    execute_sql(
        &store,
        "PRAGMA foreign_keys = OFF; DELETE FROM tool WHERE code IN ('borrow_book', 'find_books');",
    );
    assert_eq!(get_book(&store), before);
    // A new tool with the same name has only its own inputs.
    store.0.writer.add_tool(&tool("find_books")).unwrap();
    assert_eq!(
        rows::tool(&database::open(store.reader().path(), Mode::Read).unwrap(), "find_books").unwrap(),
        tool("find_books")
    );
}

#[test]
fn reports_numbers_that_would_be_rounded() {
    for value in ["100000000000000000000000001", "[1, {\"a\": -9223372036854775809}]", "18446744073709551616"]
    {
        let (_folder, store) = store();
        store.0.writer.import(&demo()).unwrap();
        execute_sql(
            &store,
            &format!("UPDATE tool SET examples = '[{{\"isbn\": {value}}}]' WHERE code = 'get_book'"),
        );
        let faults = crate::catalogue::faults(store.reader().rows().unwrap());
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(fault.starts_with("tool `get_book`: its `examples` has the number "), "{fault}");
    }
    let (_folder, store) = store();
    store.0.writer.import(&demo()).unwrap();
    for value in
        ["18446744073709551615", "-9223372036854775808", "1.5", "1e300", "\"100000000000000000000000001\""]
    {
        execute_sql(
            &store,
            &format!("UPDATE tool SET output_schema = '{{\"const\": {value}}}' WHERE code = 'get_book'"),
        );
        let faults = crate::catalogue::faults(store.reader().rows().unwrap());
        assert!(!faults.iter().any(|fault| fault.contains("has the number")), "{faults:?}");
    }
}
