//! Administration of services on the command line.

use serde_json::{Value, json};

use crate::program::Fixture;
use crate::service::Library;

#[test]
fn adds_calls_edits_disables_and_removes_tools() {
    administers(&Fixture::new());
}

pub(crate) fn administers(fixture: &Fixture) {
    let library = Library::start();
    fixture.run_ok(
        "add_provider",
        &json!({"code": "shelf", "base_url": library.origin, "health_path": "/health"}),
    );
    let parameters = json!([
        {"name": "subjects", "type": "array", "items": "string", "sent_as": "subject"},
        {"name": "limit", "type": "integer", "default": 1},
    ]);
    let tool = json!({"code": "look", "provider": "shelf", "description": "Looks.", "path": "/books", "parameters": parameters});
    assert_eq!(fixture.run_ok("add_tool", &tool), json!({"code": "look", "state": "added"}));

    // The next process has the tool, with its own flags.
    let output =
        fixture.output(&["run", "look", "--subjects", "sea", "--subjects", "humour", "--limit", "5"]);
    let books: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(books.as_array().unwrap().len(), 2, "{books}");
    assert_eq!(fixture.run_ok("look", &json!({})).as_array().unwrap().len(), 1, "the default is sent");

    fixture.run_ok(
        "edit_tool",
        &json!({"code": "look", "path": "/books?limit=2", "parameters": [], "title": "Look"}),
    );
    assert_eq!(fixture.run_ok("look", &json!({})).as_array().unwrap().len(), 2);
    let stored = fixture.run_ok("show_stored_tool", &json!({"code": "look"}));
    assert_eq!(
        (&stored["title"], &stored["description"]),
        (&json!("Look"), &json!("Looks.")),
        "omitted properties stay unchanged"
    );

    let current_state =
        || fixture.run_ok("list_stored_tools", &json!({}))[0]["state"].as_str().unwrap().to_owned();
    assert_eq!(current_state(), "listed");
    for (tool, code, state) in [
        ("disable_tool", "look", "disabled"),
        ("enable_tool", "look", "listed"),
        ("disable_provider", "shelf", "disabled with its provider"),
        ("enable_provider", "shelf", "listed"),
    ] {
        fixture.run_ok(tool, &json!({"code": code}));
        assert_eq!(current_state(), state);
        let called = fixture.run("look", &json!({}));
        assert_eq!(called.is_ok(), state == "listed", "{state}: {called:?}");
    }
    assert!(fixture.run("remove_provider", &json!({"code": "shelf"})).unwrap_err().contains("has tools"));
    fixture.run_ok("remove_tool", &json!({"code": "look"}));
    fixture.run_ok("remove_provider", &json!({"code": "shelf"}));
    assert_eq!(fixture.run_ok("export_catalogue", &json!({})), json!({"providers": [], "tools": []}));
}

#[test]
fn exports_catalogues_without_secrets() {
    let (first, second) = (Fixture::new().with_library("http://127.0.0.1:1"), Fixture::new());
    let secret = json!({"name": "pin", "type": "string", "secret": true, "default": "hunter2"});
    let tool = json!({"code": "open", "provider": "library", "description": "Opens.", "path": "/", "parameters": [secret]});
    first.run_ok("add_tool", &tool);
    let exported = first.run_ok("export_catalogue", &json!({}));
    let text = exported.to_string();
    assert!(!text.contains("hunter2") && !text.contains(catalogue::demo::TOKEN), "{text}");
    assert!(text.contains("CATALOGUE_KEY_LIBRARY"));
    assert!(!first.run_ok("show_stored_tool", &json!({"code": "open"})).to_string().contains("hunter2"));
    // Nor does the file itself hold the key.
    let file = std::fs::read(first.database()).unwrap();
    assert!(!String::from_utf8_lossy(&file).contains(catalogue::demo::TOKEN));

    assert_eq!(second.run_ok("import_catalogue", &exported), json!({"providers": 1, "tools": 5}));
    assert_eq!(second.run_ok("export_catalogue", &json!({})), exported);
    let one = second.run_ok("export_catalogue", &json!({"provider": "library"}));
    assert_eq!(one, exported);
    assert_eq!(
        second.run("export_catalogue", &json!({"provider": "nope"})),
        Err("there is no provider `nope`".to_owned())
    );
}

#[test]
fn one_import_does_not_move_a_key_to_another_origin() {
    let fixture = Fixture::new();
    let victim = json!({
        "code": "victim", "base_url": "http://127.0.0.1:54881", "auth": "bearer",
        "secret_variable": "CATALOGUE_KEY_OTHER",
    });
    fixture.run_ok("add_provider", &victim);
    let before = fixture.run_ok("export_catalogue", &json!({}));
    for (code, expected) in [
        ("victim", "there are two providers of the code `victim`"),
        ("thief", "provider `thief`: `CATALOGUE_KEY_OTHER` is also the variable of provider `victim`"),
    ] {
        let providers = json!([
            {"code": "victim", "base_url": "http://127.0.0.1:54881"},
            {"code": code, "base_url": "https://evil.example", "auth": "bearer", "secret_variable": "CATALOGUE_KEY_OTHER"},
        ]);
        let error = fixture.run("import_catalogue", &json!({"providers": providers})).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert_eq!(fixture.run_ok("export_catalogue", &json!({})), before);
    }
}

#[test]
fn rejects_invalid_descriptions_before_storing() {
    let fixture = Fixture::new().with_library("http://127.0.0.1:1");
    let add =
        |path: &str| json!({"code": "new", "provider": "library", "description": "Does.", "path": path});
    for (tool, arguments, expected) in [
        ("add_tool", add("books"), "nothing was changed: tool `new`: `path` does not begin with `/`"),
        ("add_tool", add("/{id}"), "`{id}` in `path` is no required input"),
        ("edit_tool", json!({"code": "get_book", "operation": "sometimes"}), "sometimes"),
        (
            "add_provider",
            json!({"code": "x", "base_url": "https://x.example.org", "auth": "bearer", "secret_variable": "hunter2"}),
            "`secret_variable` is no name such as `CATALOGUE_KEY_WEATHER`",
        ),
    ] {
        let error = fixture.run(tool, &arguments).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{error}");
    }
}

#[test]
fn reports_the_health_of_each_provider() {
    let library = Library::start();
    let fixture = Fixture::new().with_library(&library.origin);
    fixture.run_ok("add_provider", &json!({"code": "away", "base_url": "http://127.0.0.1:1"}));
    fixture.run_ok("add_provider", &json!({"code": "inside", "base_url": "http://169.254.169.254"}));
    let keyless = json!({
        "code": "keyless", "base_url": library.origin, "auth": "bearer", "secret_variable": "CATALOGUE_KEY_NONE"
    });
    fixture.run_ok("add_provider", &keyless);
    fixture.run_ok(
        "add_provider",
        &json!({"code": "lost", "base_url": library.origin, "health_path": "/nowhere"}),
    );
    let health = fixture.run_ok("check_providers", &json!({}));
    let health_of = |index: usize| {
        let (entry, text) = (&health[index], |value: &Value| value.as_str().unwrap_or_default().to_owned());
        (text(&entry["provider"]), entry["healthy"] == true, text(&entry["fault"]))
    };
    let owned =
        |(provider, healthy, fault): (&str, bool, &str)| (provider.to_owned(), healthy, fault.to_owned());
    assert_eq!(health_of(0), owned(("away", false, "it cannot be reached: nobody listens there")));
    assert_eq!(
        health_of(1),
        owned(("inside", false, "`169.254.169.254` is an address that must not be connected to"))
    );
    assert_eq!(
        health_of(2),
        owned(("keyless", false, "the variable `CATALOGUE_KEY_NONE` of the environment is not set"))
    );
    assert_eq!(health_of(3), owned(("library", true, "")));
    assert_eq!(health_of(4), owned(("lost", false, "it answered 404")));
    let lines = fixture.run_ok("list_providers", &json!({}));
    assert_eq!(lines[2]["secret"], "CATALOGUE_KEY_NONE, not set");
    assert_eq!(lines[3]["secret"], "CATALOGUE_KEY_LIBRARY, set");
    // Loopback addresses are reached only if allowed.
    let without_loopback = fixture
        .with("CATALOGUE_LOOPBACK", "refuse")
        .run_ok("check_providers", &json!({"provider": "library"}));
    assert_eq!(without_loopback[0]["fault"], "`127.0.0.1` is an address that must not be connected to");
}

#[test]
fn accepts_the_public_seed_without_lint_findings() {
    let fixture = Fixture::new();
    let public: Value = include_str!("../../seed/public.json").parse().unwrap();
    assert_eq!(fixture.run_ok("import_catalogue", &public), json!({"providers": 4, "tools": 4}));
    let lines = fixture.run_ok("list_stored_tools", &json!({}));
    assert!(lines.as_array().unwrap().iter().all(|line| line["state"] == "listed"), "{lines}");
    let linted = fixture.output(&["lint"]);
    assert!(linted.status.success(), "{}", String::from_utf8_lossy(&linted.stdout));
}

#[test]
fn reports_an_invalid_variable_at_once() {
    for (name, value, expected) in [
        ("CATALOGUE_TTL", "soon", "error: CATALOGUE_TTL: expected seconds, from 1 to 86400\n"),
        ("CATALOGUE_TTL", "0", "error: CATALOGUE_TTL: expected seconds, from 1 to 86400\n"),
        ("CATALOGUE_LOOPBACK", "yes", "error: CATALOGUE_LOOPBACK is \"yes\": expected `allow` or `refuse`\n"),
    ] {
        let output = Fixture::new().with(name, value).output(&["list"]);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(1), expected)
        );
    }
}
