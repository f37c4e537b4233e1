//! Describing services on the command line.

use serde_json::{Value, json};

use crate::program::Place;
use crate::service::Library;

#[test]
fn a_service_is_described_called_changed_switched_off_and_removed() {
    let library = Library::start();
    let place = Place::new();
    place.done(
        "add_provider",
        &json!({"code": "shelf", "base_url": library.origin, "health_path": "/health"}),
    );
    let parameters = json!([
        {"name": "subjects", "type": "array", "items": "string", "sent_as": "subject"},
        {"name": "limit", "type": "integer", "default": 1},
    ]);
    let tool = json!({"code": "look", "provider": "shelf", "description": "Looks.", "path": "/books", "parameters": parameters});
    assert_eq!(place.done("add_tool", &tool), json!({"code": "look", "state": "added"}));

    // The next one to start has the tool, with flags of its own.
    let output = place.output(&["run", "look", "--subjects", "sea", "--subjects", "humour", "--limit", "5"]);
    let books: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(books.as_array().unwrap().len(), 2, "{books}");
    assert_eq!(place.done("look", &json!({})).as_array().unwrap().len(), 1, "the default is sent");

    place.done(
        "edit_tool",
        &json!({"code": "look", "path": "/books?limit=2", "parameters": [], "title": "Look"}),
    );
    assert_eq!(place.done("look", &json!({})).as_array().unwrap().len(), 2);
    let stored = place.done("show_stored_tool", &json!({"code": "look"}));
    assert_eq!(
        (&stored["title"], &stored["description"]),
        (&json!("Look"), &json!("Looks.")),
        "what was not given stays"
    );

    let line = || place.done("list_stored_tools", &json!({}))[0]["state"].as_str().unwrap().to_owned();
    assert_eq!(line(), "listed");
    for (tool, code, state) in [
        ("disable_tool", "look", "disabled"),
        ("enable_tool", "look", "listed"),
        ("disable_provider", "shelf", "disabled with its provider"),
        ("enable_provider", "shelf", "listed"),
    ] {
        place.done(tool, &json!({"code": code}));
        assert_eq!(line(), state);
        let called = place.run("look", &json!({}));
        assert_eq!(called.is_ok(), state == "listed", "{state}: {called:?}");
    }
    assert!(place.run("remove_provider", &json!({"code": "shelf"})).unwrap_err().contains("has tools"));
    place.done("remove_tool", &json!({"code": "look"}));
    place.done("remove_provider", &json!({"code": "shelf"}));
    assert_eq!(place.done("export_catalogue", &json!({})), json!({"providers": [], "tools": []}));
}

#[test]
fn what_is_exported_can_be_imported_elsewhere_and_holds_no_secret() {
    let (first, second) = (Place::new().with_library("http://127.0.0.1:1"), Place::new());
    let secret = json!({"name": "pin", "type": "string", "secret": true, "default": "hunter2"});
    let tool = json!({"code": "open", "provider": "library", "description": "Opens.", "path": "/", "parameters": [secret]});
    first.done("add_tool", &tool);
    let exported = first.done("export_catalogue", &json!({}));
    let text = exported.to_string();
    assert!(!text.contains("hunter2") && !text.contains(catalogue::demo::TOKEN), "{text}");
    assert!(text.contains("CATALOGUE_KEY_LIBRARY"));
    assert!(!first.done("show_stored_tool", &json!({"code": "open"})).to_string().contains("hunter2"));
    // Nor does the file itself hold the key.
    let file = std::fs::read(first.database()).unwrap();
    assert!(!String::from_utf8_lossy(&file).contains(catalogue::demo::TOKEN));

    assert_eq!(second.done("import_catalogue", &exported), json!({"providers": 1, "tools": 5}));
    assert_eq!(second.done("export_catalogue", &json!({})), exported);
    let one = second.done("export_catalogue", &json!({"provider": "library"}));
    assert_eq!(one, exported);
    assert_eq!(
        second.run("export_catalogue", &json!({"provider": "nope"})),
        Err("there is no provider `nope`".to_owned())
    );
}

#[test]
fn a_description_that_would_not_do_is_refused_before_it_is_stored() {
    let place = Place::new().with_library("http://127.0.0.1:1");
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
        let error = place.run(tool, &arguments).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{error}");
    }
}

#[test]
fn reports_the_health_of_each_provider() {
    let library = Library::start();
    let place = Place::new().with_library(&library.origin);
    place.done("add_provider", &json!({"code": "away", "base_url": "http://127.0.0.1:1"}));
    place.done("add_provider", &json!({"code": "inside", "base_url": "http://169.254.169.254"}));
    let keyless = json!({
        "code": "keyless", "base_url": library.origin, "auth": "bearer", "secret_variable": "CATALOGUE_KEY_NONE"
    });
    place.done("add_provider", &keyless);
    place.done(
        "add_provider",
        &json!({"code": "lost", "base_url": library.origin, "health_path": "/nowhere"}),
    );
    let health = place.done("check_providers", &json!({}));
    let line = |at: usize| {
        let (line, text) = (&health[at], |value: &Value| value.as_str().unwrap_or_default().to_owned());
        (text(&line["provider"]), line["healthy"] == true, text(&line["fault"]))
    };
    let owned =
        |(provider, healthy, fault): (&str, bool, &str)| (provider.to_owned(), healthy, fault.to_owned());
    assert_eq!(line(0), owned(("away", false, "it cannot be reached: nobody listens there")));
    assert_eq!(
        line(1),
        owned(("inside", false, "`169.254.169.254` is an address that must not be connected to"))
    );
    assert_eq!(
        line(2),
        owned(("keyless", false, "the variable `CATALOGUE_KEY_NONE` of the environment is not set"))
    );
    assert_eq!(line(3), owned(("library", true, "")));
    assert_eq!(line(4), owned(("lost", false, "it answered 404")));
    let lines = place.done("list_providers", &json!({}));
    assert_eq!(lines[2]["secret"], "CATALOGUE_KEY_NONE, not set");
    assert_eq!(lines[3]["secret"], "CATALOGUE_KEY_LIBRARY, set");
    // This machine is reached only where that is allowed.
    let shut =
        place.with("CATALOGUE_LOOPBACK", "refuse").done("check_providers", &json!({"provider": "library"}));
    assert_eq!(shut[0]["fault"], "`127.0.0.1` is an address that must not be connected to");
}

#[test]
fn the_public_services_are_described_as_the_program_wants_it() {
    let place = Place::new();
    let public: Value = include_str!("../../seed/public.json").parse().unwrap();
    assert_eq!(place.done("import_catalogue", &public), json!({"providers": 4, "tools": 4}));
    let lines = place.done("list_stored_tools", &json!({}));
    assert!(lines.as_array().unwrap().iter().all(|line| line["state"] == "listed"), "{lines}");
    let linted = place.output(&["lint"]);
    assert!(linted.status.success(), "{}", String::from_utf8_lossy(&linted.stdout));
}

#[test]
fn reports_an_invalid_variable_at_once() {
    for (name, value, expected) in [
        ("CATALOGUE_TTL", "soon", "error: CATALOGUE_TTL: expected seconds, from 1 to 86400\n"),
        ("CATALOGUE_TTL", "0", "error: CATALOGUE_TTL: expected seconds, from 1 to 86400\n"),
        ("CATALOGUE_LOOPBACK", "yes", "error: CATALOGUE_LOOPBACK is \"yes\": expected `allow` or `refuse`\n"),
    ] {
        let output = Place::new().with(name, value).output(&["list"]);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(1), expected)
        );
    }
}
