//! `publish` as a user sees it: output, files and exit codes.

#[path = "publish/bundle.rs"]
mod bundle;
#[path = "publish/server_json.rs"]
mod server_json;
#[path = "publish/skill.rs"]
mod skill;

use std::path::Path;

use serde_json::json;
use tool_cli::{App, Buffer, Package, Server, Streams};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition, prompt, prompts};

/// Asks for a forecast.
#[prompt]
fn forecast(
    /** The city. */
    city: String,
    /** How many days. */
    days: Option<u8>,
) -> String {
    format!("How is the weather in {city} for {days:?} days?")
}

fn registry() -> Registry {
    let tool = |name: &str, description: &str, operation| {
        let definition = ToolDefinition::builder(name.to_owned(), description.to_owned())
            .operation(operation)
            .permission(tool_core::Permission::all(["length"]))
            .input_schema(json!({
                "type": "object",
                "properties": {"of": {"type": "string", "description": "What to measure."}},
                "required": ["of"],
            }))
            .build()
            .unwrap();
        DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
    };
    Registry::builder()
        .tool(tool(
            "measure",
            "Measures the length of something in metres.\n\nTakes a | while.",
            Operation::Read,
        ))
        .tool(tool("cut_off", "Cuts something to a length.", Operation::Write))
        .prompts(prompts![forecast])
        .build()
        .unwrap()
}

fn package() -> Package {
    Package::new("io.github.ada/demo-mcp")
        .title("The demo")
        .author("Ada \"A.\" Lovelace")
        .license("MIT OR Apache-2.0")
        .homepage("https://example.org/demo")
        .repository("https://github.com/ada/demo")
}

fn plain() -> App {
    App::new("demo", registry()).version("1.2.3").about("Measures: lengths.")
}

fn app() -> App {
    with_server(plain()).package(package())
}

fn with_server(app: App) -> App {
    app.server("http", Server::new(async |_| Ok(()))).server("mcp", Server::new(async |_| Ok(())).mcp_stdio())
}

/// What a command left behind.
#[derive(Debug)]
struct Ran {
    code: u8,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn is(&self, code: u8, stdout: &str, stderr: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, stdout, stderr));
    }

    /// Asserts that the command printed only this error.
    #[track_caller]
    fn fails(&self, code: u8, error: &str) {
        self.is(code, "", &format!("error: {error}\n"));
    }
}

async fn run(app: App, arguments: &[&str]) -> Ran {
    let (stdout, stderr) = (Buffer::default(), Buffer::default());
    let streams = Streams::new(std::io::empty(), stdout.clone(), stderr.clone());
    let code = app.run_with(arguments, streams).await;
    Ran { code, stdout: stdout.text(), stderr: stderr.text() }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn explains_the_commands() {
    for (arguments, expected) in [
        (&["publish", "--help"][..], include_str!("publish/help/publish.txt")),
        (&["publish", "server-json", "--help"], include_str!("publish/help/server-json.txt")),
        (&["publish", "mcpb", "--help"], include_str!("publish/help/mcpb.txt")),
        (&["publish", "skill", "--help"], include_str!("publish/help/skill.txt")),
    ] {
        run(app(), arguments).await.is(0, expected, "");
    }
    let help = run(with_server(plain()), &["--help"]).await;
    assert!(!help.stdout.contains("publish"), "{help:?}");
    assert_eq!(run(with_server(plain()), &["publish", "skill"]).await.code, 2);
    let pages = run(app(), &["man"]).await;
    assert!(pages.stdout.contains("demo\\-publish(1)"), "{pages:?}");
    let names = run(app(), &["__complete", "fish", "--", "publish", "s"]).await;
    assert!(names.stdout.starts_with("server-json\t") && names.stdout.contains("\nskill\t"), "{names:?}");
}

#[tokio::test]
async fn needs_what_the_format_needs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let nowhere = text(&file);
    let missing = |what, method| format!("the application has no {what}\nhelp: set it with `{method}`");
    let bare = || App::new("demo", registry());
    for command in ["server-json", "mcpb"] {
        let arguments = ["publish", command, "--output", nowhere];
        for (app, what, method) in [
            (plain().package(package()), "server that speaks MCP over stdio", "Server::mcp_stdio"),
            (with_server(bare().about("A")).package(package()), "version", "App::version"),
            (with_server(bare().version("1.0.0")).package(package()), "description", "App::about"),
        ] {
            run(app, &arguments).await.fails(1, &missing(what, method));
        }
        let range = with_server(bare().about("A").version("^1.0")).package(package());
        run(range, &arguments)
            .await
            .fails(1, "the version `^1.0` is not the number of a release, as `1.2.3`");
        let insecure = app().package(package().homepage("http://example.org"));
        run(insecure, &arguments)
            .await
            .fails(1, "the homepage `http://example.org` is not an address that begins with `https://`");
    }
    let anonymous = app().package(Package::new("io.github.ada/demo"));
    let arguments = ["publish", "mcpb", "--output", nowhere];
    run(anonymous, &arguments).await.fails(1, &missing("author", "Package::author"));
    let mute = App::new("demo", registry()).package(package());
    run(mute, &["publish", "skill", "--dir", nowhere]).await.fails(1, &missing("description", "App::about"));
    assert!(!file.exists());
}
