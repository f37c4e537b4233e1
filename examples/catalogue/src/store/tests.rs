//! Round trips, rejection of invalid descriptions, and recovery from errors of the database.

use std::fs;

use fixture_postgres::PostgresServer;
use serde_json::json;
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tempfile::TempDir;
use tool_core::FailureKind;
use tool_core::failure::Reason;

use super::*;
use crate::model::Auth;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("deep/inside/catalogue.sqlite"));
    (folder, store)
}

/// Runs a test with a file of SQLite, and with PostgreSQL.
async fn on_both(test: impl AsyncFn(Store)) {
    let (_folder, file) = store();
    test(file).await;
    let server = PostgresServer::start();
    test(Store::postgres(&server.url()).unwrap()).await;
}

fn demo() -> Description {
    serde_json::from_str(include_str!("../../seed/demo.json")).unwrap()
}

fn public() -> Description {
    serde_json::from_str(include_str!("../../seed/public.json")).unwrap()
}

fn path(store: &Store) -> &std::path::Path {
    match store.reader().database() {
        Database::File(path) => path,
        Database::Postgres(_) => panic!("it is no file"),
    }
}

/// Connects past the store.
async fn connect(store: &Store) -> AnyConnection {
    sqlx::any::install_default_drivers();
    let url = match store.reader().database() {
        Database::File(path) => format!("sqlite:{}", path.display()),
        Database::Postgres(postgres) => postgres.url().to_owned(),
    };
    AnyConnection::connect(&url).await.unwrap()
}

/// Runs SQL statements past the store.
async fn execute_sql(store: &Store, sql: impl Into<String>) {
    let mut connection = connect(store).await;
    connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(sql.into()))).await.unwrap();
    connection.close().await.unwrap();
}

fn tool(code: &str) -> Tool {
    let tool = json!({"code": code, "provider": "library", "description": "Does.", "path": "/books"});
    serde_json::from_value(tool).unwrap()
}

#[cfg(unix)]
#[tokio::test]
async fn creates_files_that_only_the_user_can_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = path(&store);
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    // The permissions of an existing file are kept.
    fs::set_permissions(file, fs::Permissions::from_mode(0o640)).unwrap();
    store.0.writer.import(&public()).await.unwrap();
    assert_eq!(mode(file), 0o640);
    // Behind a symbolic link, too.
    let elsewhere = file.with_file_name("on-another-disk.sqlite");
    fs::remove_file(file).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file).unwrap();
    store.0.writer.import(&public()).await.unwrap();
    assert_eq!(mode(&elsewhere), 0o600);
}

#[tokio::test]
async fn round_trips_repeated_imports() {
    on_both(async |store: Store| {
        for description in [demo(), public(), demo()] {
            store.0.writer.import(&description).await.unwrap();
        }
        let mut both = demo();
        both.providers.extend(public().providers);
        both.tools.extend(public().tools);
        both.providers.sort_by(|a, b| a.code.cmp(&b.code));
        both.tools.sort_by(|a, b| a.code.cmp(&b.code));
        assert_eq!(store.reader().description().await.unwrap(), both);
    })
    .await;
}

#[tokio::test]
async fn a_variable_is_of_one_origin() {
    on_both(async |store: Store| {
        let writer = &store.0.writer;
        writer.import(&demo()).await.unwrap();
        let library = demo().providers.remove(0);
        let of_another_origin = |code: &str, variable: &str| Provider {
            code: code.to_owned(),
            base_url: "https://thief.example.org".to_owned(),
            secret_variable: Some(variable.to_owned()),
            ..library.clone()
        };
        let thief = of_another_origin("a_thief", "CATALOGUE_KEY_LIBRARY");
        let only = |provider| Description { providers: vec![provider], tools: Vec::new() };
        for error in [
            writer.add_provider(&thief).await.unwrap_err(),
            writer.import(&only(thief.clone())).await.unwrap_err(),
        ] {
            let expected =
                "provider `a_thief`: `CATALOGUE_KEY_LIBRARY` is also the variable of provider `library`";
            assert!(error.to_string().contains(expected), "{error}");
        }
        // An import does not move a provider away from its key either.
        let moved = Provider { base_url: thief.base_url.clone(), ..library.clone() };
        let error = writer.import(&only(moved)).await.unwrap_err().to_string();
        assert!(error.contains("provider `library`: `base_url` has another origin than before"), "{error}");
        assert_eq!(store.reader().description().await.unwrap().providers, std::slice::from_ref(&library));

        // Providers of the same origin may share one.
        let branch = Provider { code: "branch".to_owned(), ..library.clone() };
        writer.add_provider(&branch).await.unwrap();
        writer.remove_provider("branch").await.unwrap();

        // Which row was first is not stored: in a row written by hand, nobody gets the key.
        writer.add_provider(&of_another_origin("a_thief", "CATALOGUE_KEY_THIEF")).await.unwrap();
        let sql = "UPDATE provider SET secret_variable = 'CATALOGUE_KEY_LIBRARY' WHERE code = 'a_thief'";
        execute_sql(&store, sql).await;
        assert_eq!(store.reader().description().await.unwrap().providers, []);
        let endpoints = crate::catalogue::endpoints(store.reader().rows().await.unwrap());
        assert!(endpoints.len() == 4 && endpoints.iter().all(Result::is_err), "{endpoints:?}");
        writer.remove_provider("a_thief").await.unwrap();
        assert_eq!(store.reader().description().await.unwrap().providers, [library]);
    })
    .await;
}

#[tokio::test]
async fn an_import_does_not_move_a_key_to_another_origin() {
    on_both(async |store: Store| {
        let writer = &store.0.writer;
        writer.import(&demo()).await.unwrap();
        let library = demo().providers.remove(0);
        let keyless = Provider { auth: Auth::None, secret_variable: None, ..library.clone() };
        let moved = Provider { base_url: "https://thief.example.org".to_owned(), ..library.clone() };
        let thief = Provider { code: "thief".to_owned(), ..moved.clone() };
        let before = store.reader().description().await.unwrap();
        let assert_refused = async |providers: Vec<Provider>, expected: &str| {
            let error = writer.import(&Description { providers, tools: Vec::new() }).await.unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(store.reader().description().await.unwrap(), before, "{expected}");
        };
        // The last entry of a code would win, compared with the first one.
        assert_refused(vec![keyless.clone(), moved], "there are two providers of the code `library`").await;
        // One entry takes the variable from its provider, and another one has it: in either order.
        let taken = "provider `thief`: `CATALOGUE_KEY_LIBRARY` is also the variable of provider `library`";
        assert_refused(vec![keyless.clone(), thief.clone()], taken).await;
        assert_refused(vec![thief.clone(), keyless.clone()], taken).await;
        // Without its key, it does not move either: the key would be free for the next import.
        let away = Provider { base_url: thief.base_url.clone(), ..keyless.clone() };
        assert_refused(
            vec![away.clone()],
            "provider `library`: `base_url` has another origin than before, which would get the secret",
        )
        .await;

        // At the same origin, the variable may go from one provider to another one.
        let branch = Provider { code: "branch".to_owned(), ..library.clone() };
        let shared = Description { providers: vec![keyless, branch], tools: Vec::new() };
        writer.import(&shared).await.unwrap();

        // A row that is invalid for another reason keeps its key, too.
        writer.import(&demo()).await.unwrap();
        writer.remove_provider("branch").await.unwrap();
        execute_sql(&store, "UPDATE provider SET auth = 'bear' WHERE code = 'library'").await;
        for providers in [vec![away], vec![thief]] {
            let refused = writer.import(&Description { providers, tools: Vec::new() }).await;
            assert!(matches!(refused, Err(StoreError::Faults(_))), "{refused:?}");
        }
        writer.import(&demo()).await.unwrap();
        assert_eq!(store.reader().description().await.unwrap(), before);
    })
    .await;
}

#[tokio::test]
async fn an_import_has_each_tool_once() {
    on_both(async |store: Store| {
        let writer = &store.0.writer;
        writer.import(&demo()).await.unwrap();
        let twice = Description { tools: vec![tool("new"), tool("new")], ..Description::default() };
        let error = writer.import(&twice).await.unwrap_err().to_string();
        assert_eq!(error, "nothing was changed: there are two tools of the code `new`");
        assert_eq!(store.reader().description().await.unwrap(), demo());
    })
    .await;
}

#[tokio::test]
async fn round_trips_every_kind_of_value() {
    on_both(async |store: Store| {
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
    store.0.writer.import(&description).await.unwrap();
    assert_eq!(store.reader().description().await.unwrap(), description);
    })
    .await;
}

#[tokio::test]
async fn rejects_invalid_changes_atomically() {
    on_both(async |store: Store| {
        let writer = &store.0.writer;
        writer.import(&demo()).await.unwrap();
        let before = store.reader().description().await.unwrap();
        let assert_refused = async |error: StoreError, expected: &str| {
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(store.reader().description().await.unwrap(), before, "{expected}");
        };
        assert_refused(
            writer.add_tool(&tool("find_books")).await.unwrap_err(),
            "there is a tool `find_books` already",
        )
        .await;
        assert_refused(
            writer.add_provider(&demo().providers[0]).await.unwrap_err(),
            "there is a provider `library` already",
        )
        .await;
        assert_refused(writer.edit_tool("nope", |_| {}).await.unwrap_err(), "there is no tool `nope`").await;
        assert_refused(writer.remove_tool("nope").await.unwrap_err(), "there is no tool `nope`").await;
        assert_refused(writer.remove_provider("library").await.unwrap_err(), "provider `library` has tools")
            .await;
        assert_refused(writer.remove_provider("nope").await.unwrap_err(), "there is no provider `nope`")
            .await;
        assert_refused(
        writer.edit_tool("get_book", |tool| tool.path = "/books".to_owned()).await.unwrap_err(),
        "nothing was changed: tool `get_book`: input `isbn` has the place `path`, and `path` has no `{isbn}`",
    ).await;
        assert_refused(
            writer
                .edit_provider("library", |provider| provider.base_url = "http://example.org".to_owned())
                .await
                .unwrap_err(),
            "provider `library`: `base_url` begins with `http://`",
        )
        .await;
        let mut orphan = tool("homeless");
        orphan.provider = "nowhere".to_owned();
        assert_refused(writer.add_tool(&orphan).await.unwrap_err(), "there is no provider `nowhere`").await;
        // If one is invalid, neither is stored. Disabled tools must be valid, too.
        let mut bad = Tool { path: "books".to_owned(), enabled: false, ..tool("bad") };
        let both = Description { tools: vec![tool("good"), bad.clone()], ..Description::default() };
        assert_refused(writer.import(&both).await.unwrap_err(), "tool `bad`: `path` does not begin with `/`")
            .await;
        bad.path = "/books".to_owned();
        bad.parameters = serde_json::from_value(
            json!([{"name": "a", "type": "string"}, {"name": "a", "type": "integer"}]),
        )
        .unwrap();
        assert_refused(writer.add_tool(&bad).await.unwrap_err(), "there are two inputs of the name `a`")
            .await;
    })
    .await;
}

#[tokio::test]
async fn skips_invalid_rows_and_accepts_other_changes() {
    on_both(async |store: Store| {
        store.0.writer.import(&demo()).await.unwrap();
        execute_sql(
            &store,
            "UPDATE tool SET method = 'FETCH' WHERE code = 'get_book';
             UPDATE tool SET tags = '[' WHERE code = 'get_cover';
             UPDATE parameter SET type = 'text' WHERE tool = 'borrow_book' AND name = 'reader';
             INSERT INTO provider (code, base_url) VALUES ('odd', 'nowhere');
             INSERT INTO tool (code, provider, description, path) VALUES ('lost', 'odd', 'Does.', '/');",
        )
        .await;
        let rows = store.reader().rows().await.unwrap();
        let invalid: Vec<_> = rows
            .iter()
            .filter_map(|row| match row {
                Row::Tool(code, Err(reason)) => Some(format!("{code}: {reason}")),
                _ => None,
            })
            .collect();
        assert_eq!(invalid.len(), 3, "{invalid:?}");
        assert!(
            invalid[0].starts_with("borrow_book: its input `reader`: unknown variant `text`"),
            "{invalid:?}"
        );
        assert!(invalid[1].starts_with("get_book: unknown variant `FETCH`"), "{invalid:?}");
        assert!(invalid[2].starts_with("get_cover: its `tags` is no JSON"), "{invalid:?}");

        let endpoints = crate::catalogue::endpoints(rows);
        let served: Vec<_> = endpoints.iter().flatten().map(|endpoint| endpoint.tool.code.as_str()).collect();
        assert_eq!(served, ["find_books"]);
        assert!(endpoints.iter().any(|endpoint| {
            endpoint.as_ref().is_err_and(|error| {
                error.to_string().starts_with("tool `lost`: its provider `odd`: `base_url`")
            })
        }));
        store.0.writer.add_tool(&tool("another")).await.unwrap();
        store.0.writer.remove_tool("get_book").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn reports_missing_and_newer_files() {
    let (_folder, store) = store();
    for _ in 0..2 {
        assert!(matches!(store.reader().rows().await, Err(StoreError::Missing(_))));
        assert!(matches!(Revision::of(path(&store)).await, Err(StoreError::Missing(_))));
    }
    assert!(!path(&store).exists());
    store.0.writer.import(&demo()).await.unwrap();
    // A file without tables is not a catalogue yet.
    fs::write(path(&store), "").unwrap();
    assert!(matches!(store.reader().rows().await, Err(StoreError::Missing(_))));
    execute_sql(&store, "PRAGMA user_version = 99;").await;
    assert!(matches!(store.reader().rows().await, Err(StoreError::Newer { found: 99, newest: 1 })));
    assert!(matches!(store.0.writer.import(&demo()).await, Err(StoreError::Newer { .. })));
}

#[tokio::test]
async fn recovers_from_a_damaged_file() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let path = path(&store);
    let intact = fs::read(path).unwrap();
    let mut torn = intact.clone();
    torn[100..].fill(0xff);
    for damaged in [b"this is no database at all, and long enough to be taken for one".to_vec(), torn] {
        fs::write(path, damaged).unwrap();
        assert!(matches!(store.reader().rows().await, Err(StoreError::Database(_))));
        let error = ToolError::from(store.0.writer.import(&demo()).await.unwrap_err());
        assert_eq!(error.to_string(), "the catalogue cannot be read or written at the moment");
    }
    fs::write(path, intact).unwrap();
    assert_eq!(store.reader().description().await.unwrap(), demo());
}

#[tokio::test]
async fn gives_every_change_a_new_revision() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let mut seen = vec![Revision::of(path(&store)).await.unwrap()];
    assert_eq!(Revision::of(path(&store)).await.unwrap(), seen[0], "nothing has changed");
    let mut assert_new_revision = async |what: &str| {
        let now = Revision::of(path(&store)).await.unwrap();
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    };
    store.0.writer.edit_tool("get_book", |tool| tool.enabled = false).await.unwrap();
    assert_new_revision("this program").await;
    execute_sql(&store, "UPDATE parameter SET description = 'x' WHERE name = 'limit'").await;
    assert_new_revision("direct SQL").await;
    let copy = path(&store).with_extension("copy");
    fs::copy(path(&store), &copy).unwrap();
    fs::rename(copy, path(&store)).unwrap();
    assert_new_revision("replaced file").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loses_no_concurrent_writes() {
    on_both(async |store: Store| {
        store.0.writer.import(&demo()).await.unwrap();
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..8 {
            // A store of its own, as in another process.
            let store = match store.reader().database() {
                Database::File(path) => Store::at(path),
                Database::Postgres(postgres) => Store::postgres(postgres.url()).unwrap(),
            };
            writers.spawn(async move {
                for number in 0..5 {
                    store.0.writer.add_tool(&tool(&format!("tool_{writer}_{number}"))).await.unwrap();
                }
                // Each edit begins with what the one before has stored.
                let edit = |tool: &mut Tool| tool.tags.push(format!("tag_{writer}"));
                store.0.writer.edit_tool("get_book", edit).await.unwrap();
            });
        }
        writers.join_all().await;
        let tools = store.reader().description().await.unwrap().tools;
        assert_eq!(tools.len(), 44);
        let edited = tools.iter().find(|tool| tool.code == "get_book").unwrap();
        assert_eq!(edited.tags.iter().filter(|tag| tag.starts_with("tag_")).count(), 8, "{:?}", edited.tags);
    })
    .await;
}

#[tokio::test]
async fn waits_for_locks_to_write_but_not_to_read() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let mut holder = connect(&store).await;
    let lock = "BEGIN EXCLUSIVE; DELETE FROM tool WHERE code = 'get_cover'";
    holder.execute(sqlx::raw_sql(lock)).await.unwrap();
    let another = tool("another");
    let released = async {
        assert!(matches!(store.reader().rows().await, Err(StoreError::Busy)));
        holder.execute("COMMIT").await.unwrap();
    };
    let (added, ()) = tokio::join!(store.0.writer.add_tool(&another), released);
    added.unwrap();
    let tools = store.reader().description().await.unwrap().tools;
    let codes: Vec<String> = tools.into_iter().map(|tool| tool.code).collect();
    assert_eq!(codes, ["another", "borrow_book", "find_books", "get_book"]);
    assert_eq!(ToolError::from(StoreError::Busy).kind(), FailureKind::Failed(Reason::Unavailable));
}

#[tokio::test]
async fn writers_of_postgres_wait_and_readers_do_not() {
    let server = PostgresServer::start();
    let store = Store::postgres(&server.url()).unwrap();
    store.0.writer.import(&demo()).await.unwrap();
    let mut holder = connect(&store).await;
    let change = "BEGIN; DELETE FROM tool WHERE code = 'get_cover'";
    holder.execute(sqlx::raw_sql(change)).await.unwrap();
    let another = tool("another");
    let released = async {
        assert_eq!(store.reader().description().await.unwrap(), demo(), "the last state is read");
        holder.execute("COMMIT").await.unwrap();
    };
    let (added, ()) = tokio::join!(store.0.writer.add_tool(&another), released);
    added.unwrap();
    assert_eq!(store.reader().description().await.unwrap().tools.len(), 4);
}

#[tokio::test]
async fn creates_the_tables_of_postgres_once() {
    let server = PostgresServer::start();
    let store = || Store::postgres(&server.url()).unwrap();
    assert!(matches!(store().reader().rows().await, Err(StoreError::Missing(_))));
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let store = store();
        starts.spawn(async move { store.prepare().await });
    }
    for started in starts.join_all().await {
        started.unwrap();
    }
    assert!(!store().prepare().await.unwrap(), "there is nothing left to create");
    assert_eq!(store().reader().description().await.unwrap(), Description::default());
    let mut connection = server.connect().await;
    let applied: i64 = sqlx::query_scalar("SELECT count(*) FROM catalogue_migrations")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(applied, 1);
    // Another program may have migrations in the same database, and a newer version of this one more of them.
    let newer = "INSERT INTO catalogue_migrations SELECT 99, description, installed_on, success, checksum, execution_time FROM catalogue_migrations";
    sqlx::raw_sql(newer).execute(&mut connection).await.unwrap();
    assert!(matches!(store().reader().rows().await, Err(StoreError::Newer { found: 99, newest: 1 })));
    let imported = store().0.writer.import(&demo()).await;
    assert!(matches!(imported, Err(StoreError::Newer { found: 99, newest: 1 })), "{imported:?}");
    assert!(matches!(store().prepare().await, Err(StoreError::Newer { .. })));
    // A program whose migration fails does not keep others from theirs.
    let failing = Store::postgres(&server.create_database("of_others").await).unwrap();
    execute_sql(&failing, "CREATE TABLE tool (code TEXT)").await;
    assert!(matches!(failing.prepare().await, Err(StoreError::Database(_))));
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    let released = async {
        while sqlx::query_scalar::<_, i64>(locks).fetch_one(&mut connection).await.unwrap() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), released).await.expect("the lock is released");
    drop(failing);
}

#[test]
fn shows_no_password() {
    let url = "postgres://catalogue:hunter2@127.0.0.1:1/catalogue";
    let store = Store::postgres(url).unwrap();
    let error = StoreError::Missing(store.reader().database().to_string());
    let invalid = Store::postgres("postgres://catalogue:hunter2@127.0.0.1:port/").unwrap_err();
    assert!(matches!(invalid, StoreError::InvalidUrl), "{invalid}");
    let shown = format!("{store:?} {error} {error:?} {invalid} {invalid:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[tokio::test]
async fn ignores_inputs_of_deleted_tools() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let get_book = async || {
        let mut tools = store.reader().description().await.unwrap().tools;
        tools.retain(|tool| tool.code == "get_book");
        tools
    };
    let before = get_book().await;
    // The SQLite shell does not enforce foreign keys by default.
    execute_sql(
        &store,
        "PRAGMA foreign_keys = OFF; DELETE FROM tool WHERE code IN ('borrow_book', 'find_books');",
    )
    .await;
    assert_eq!(get_book().await, before);
    // A new tool with the same name has only its own inputs.
    store.0.writer.add_tool(&tool("find_books")).await.unwrap();
    let mut transaction = store.reader().database().read().await.unwrap();
    assert_eq!(rows::tool(&mut transaction, "find_books").await.unwrap(), tool("find_books"));
}

#[tokio::test]
async fn reports_numbers_that_would_be_rounded() {
    for value in ["100000000000000000000000001", "[1, {\"a\": -9223372036854775809}]", "18446744073709551616"]
    {
        let (_folder, store) = store();
        store.0.writer.import(&demo()).await.unwrap();
        execute_sql(
            &store,
            format!("UPDATE tool SET examples = '[{{\"isbn\": {value}}}]' WHERE code = 'get_book'"),
        )
        .await;
        let faults = crate::catalogue::faults(store.reader().rows().await.unwrap());
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(fault.starts_with("tool `get_book`: its `examples` has the number "), "{fault}");
    }
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    for value in
        ["18446744073709551615", "-9223372036854775808", "1.5", "1e300", "\"100000000000000000000000001\""]
    {
        execute_sql(
            &store,
            format!("UPDATE tool SET output_schema = '{{\"const\": {value}}}' WHERE code = 'get_book'"),
        )
        .await;
        let faults = crate::catalogue::faults(store.reader().rows().await.unwrap());
        assert!(!faults.iter().any(|fault| fault.contains("has the number")), "{faults:?}");
    }
}

#[tokio::test]
async fn keeps_temporary_files_of_sqlite_in_memory() {
    let (_folder, store) = store();
    store.0.writer.import(&demo()).await.unwrap();
    let database = store.reader().database();
    for mut transaction in [database.read().await.unwrap(), database.write().await.unwrap()] {
        let place: i64 = sqlx::query_scalar("PRAGMA temp_store").fetch_one(&mut *transaction).await.unwrap();
        assert_eq!(place, 2, "2 is memory");
        transaction.rollback().await.unwrap();
    }
}
