//! `publish server-json`.

use std::fs;

use serde_json::{Value, json};

use crate::{app, package, plain, run, text, with_server};

/// The digest of `abc`, from FIPS 180-2.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Returns what the schema of the registry finds wrong.
fn problems(document: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(include_str!("server.schema.json")).unwrap();
    assert_eq!(schema["$id"], document["$schema"]);
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    validator.iter_errors(document).map(|error| error.to_string()).collect()
}

async fn printed(app: tool_cli::App, more: &[&str]) -> Value {
    let ran = run(app, &[&["publish", "server-json", "--output", "-"], more].concat()).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

#[tokio::test]
async fn writes_what_the_schema_of_the_registry_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("demo.mcpb");
    fs::write(&bundle, "abc").unwrap();
    let url =
        |system: &str| format!("https://github.com/ada/demo/releases/download/v1.2.3/demo-{system}.mcpb");
    let (linux, mac) = (url("linux"), url("macos"));
    let bundles = ["--mcpb", text(&bundle), &linux, "--mcpb", text(&bundle), &mac];
    let remote = ["--remote", "https://example.org/mcp"];
    let document = printed(app(), &[&bundles[..], &remote].concat()).await;
    let package = |url: &str| {
        json!({
            "registryType": "mcpb",
            "identifier": url,
            "version": "1.2.3",
            "fileSha256": ABC,
            "transport": {"type": "stdio"},
        })
    };
    let expected = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "io.github.ada/demo-mcp",
        "title": "The demo",
        "description": "Measures: lengths.",
        "repository": {"url": "https://github.com/ada/demo", "source": "github"},
        "version": "1.2.3",
        "websiteUrl": "https://example.org/demo",
        "packages": [package(&linux), package(&mac)],
        "remotes": [{"type": "streamable-http", "url": "https://example.org/mcp"}],
    });
    assert_eq!(document, expected);
    assert_eq!(problems(&document), [""; 0]);

    let least = with_server(plain()).package(tool_cli::Package::new("a/b"));
    let document = printed(least, &[]).await;
    let keys: Vec<_> = document.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["$schema", "name", "description", "version"]);
    assert_eq!(problems(&document), [""; 0]);
    let elsewhere = app().package(package_at("https://codeberg.org/ada/demo"));
    assert_eq!(printed(elsewhere, &[]).await.get("repository"), None);
}

fn package_at(repository: &str) -> tool_cli::Package {
    package().repository(repository)
}

#[tokio::test]
async fn refuses_what_the_registry_would() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("demo.zip");
    fs::write(&bundle, "abc").unwrap();
    let bundle = text(&bundle);
    let named = |name: &str| app().package(tool_cli::Package::new(name));
    for (app, more, error) in [
        (
            named("demo"),
            &[][..],
            "the name `demo` is not a namespace, a slash and a name, as `io.github.user/weather`",
        ),
        (app().about("a".repeat(101)), &[], "the description has 101 characters, and the limit is 100"),
        (
            app().package(package().title("é".repeat(101))),
            &[],
            "the title has 101 characters, and the limit is 100",
        ),
        (
            app(),
            &["--mcpb", bundle, "https://example.org/demo.zip"],
            "the address of the bundle `https://example.org/demo.zip` does not contain `mcp`, as the registry wants it",
        ),
        (
            app(),
            &["--mcpb", bundle, "demo.mcpb"],
            "the address of the bundle `demo.mcpb` is not an address that begins with `https://`",
        ),
        (
            app(),
            &["--remote", "http://example.org/mcp"],
            "the remote `http://example.org/mcp` is not an address that begins with `https://`",
        ),
    ] {
        let arguments = [&["publish", "server-json", "--output", "-"], more].concat();
        run(app, &arguments).await.fails(1, error);
    }
    let arguments = ["publish", "server-json", "--mcpb", "nowhere.mcpb", "https://example.org/demo.mcpb"];
    let ran = run(app(), &arguments).await;
    assert!(ran.code == 1 && ran.stderr.starts_with("error: cannot read `nowhere.mcpb`: "), "{ran:?}");
    // The longest that is allowed.
    let longest = app().about("a".repeat(100)).package(package().title("é".repeat(100)));
    assert_eq!(problems(&printed(longest, &[]).await), [""; 0]);
}

#[tokio::test]
async fn replaces_a_file_only_if_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("server.json");
    let file = text(&path);
    let arguments = ["publish", "server-json", "--output", file];
    run(app(), &arguments).await.is(0, "", &format!("wrote `{file}`\n"));
    let saved = fs::read_to_string(&path).unwrap();
    run(app(), &["publish", "server-json", "--output", "-"]).await.is(0, &saved, "");
    run(app(), &arguments).await.is(0, "", &format!("`{file}` is up to date\n"));

    fs::write(&path, "mine").unwrap();
    let exists = format!("`{file}` exists and differs\nhelp: add `--yes` to replace it");
    run(app(), &arguments).await.fails(1, &exists);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    run(app(), &[&arguments[..], &["--yes"]].concat()).await.is(0, "", &format!("wrote `{file}`\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), saved);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else is left behind");
}
