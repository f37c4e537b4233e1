//! Which servers the program starts, and that none of them outlives it.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tool_mcp::Server;

use crate::{serve, tools};

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the configuration of a gateway.
struct Folder(TempDir);

impl Folder {
    fn new(servers: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = json!({"mcpServers": servers}).to_string();
        std::fs::write(folder.path().join("gateway.json"), config).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command.args(arguments).current_dir(self.0.path()).env("GATEWAY_RESULTS", "off");
        command.env_remove("GATEWAY_CONFIG").env_remove("ABSTRACT_PROXY_SERVERS");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().unwrap()
    }
}

/// A server that writes a file when it is started, and never answers.
fn hung(marker: &str) -> Value {
    json!({"command": "sh", "args": ["-c", format!("touch {marker}; exec sleep 1000")]})
}

/// Waits until `found` returns a value.
fn wait_for<T>(what: &str, found: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn help_and_wrong_usage_need_no_configuration() {
    let folder = Folder::new(json!({}));
    std::fs::remove_file(folder.file("gateway.json")).unwrap();
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["run", "--help"], 0),
        (&["sign-in", "--help"], 0),
        (&["help", "serve"], 0),
        (&["lits"], 2),
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
    // What needs a server says which file is missing.
    for arguments in [
        &["list"][..],
        &["run", "web__search"],
        &["serve", "mcp"],
        &["serve", "http"],
        &["sign-in", "web"],
        &["sign-out", "web"],
    ] {
        let output = folder.run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(
            error.contains("`gateway.json` cannot be read") && error.contains("GATEWAY_CONFIG"),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn help_and_wrong_usage_start_no_server() {
    let folder = Folder::new(json!({"hung": hung("started")}));
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["run", "--help"], 0),
        (&["list", "--help"], 0),
        (&["list", "-h"], 0),
        (&["help", "info"], 0),
        (&["info", "--help"], 0),
        (&["lock", "--help"], 0),
        (&["lint", "--help"], 0),
        (&["list", "--nonsense"], 2),
        (&["list", "surplus"], 2),
        (&["run"], 2),
        (&["serve"], 2),
        (&["lits"], 2),
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        assert!(!folder.file("started").exists(), "{arguments:?}");
    }
    // Its tools are needed here.
    let listed = folder.run(&["list"]);
    assert!(listed.status.success() && folder.file("started").exists(), "{listed:?}");
}

#[test]
fn a_command_about_a_tool_asks_only_its_server() {
    let runtime = Runtime::new().unwrap();
    let good = runtime.block_on(serve(Server::new(tools(&["search"])).name("good")));
    let folder = Folder::new(json!({"good": {"url": good}, "hung": hung("started")}));
    for (arguments, expected) in [
        (&["run", "good__search", "what=seals"][..], "seals"),
        (&["run", "good__search", "--what", "seals"], "seals"),
        (&["--quiet", "run", "good__search", "--what=seals"], "seals"),
        (&["run", "good__search", "--help"], "--what"),
        (&["validate", "good__search", "what=seals"], ""),
        (&["info", "good__search"], "Will search."),
        (&["schema", "good__search"], "\"what\""),
    ] {
        let output = folder.run(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(expected), "{arguments:?}: {output:?}");
        assert!(!folder.file("started").exists(), "{arguments:?}");
    }
}

/// Returns `true` if a process runs and is not a zombie.
#[cfg(target_os = "linux")]
fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_servers_end_with_sigterm() {
    let empty = Folder::new(json!({}));
    let program = env!("CARGO_BIN_EXE_gateway");
    let script = format!("sleep 1000 & echo $! > child.new; mv child.new child; exec {program} serve mcp");
    for arguments in [
        &["serve", "http", "--addr", "127.0.0.1:0"][..],
        &["serve", "mcp", "--addr", "127.0.0.1:0"],
        &["serve", "mcp"],
    ] {
        let env = json!({"GATEWAY_CONFIG": empty.file("gateway.json"), "GATEWAY_RESULTS": "off"});
        let folder = Folder::new(json!({"one": {"command": "sh", "args": ["-c", script], "env": env}}));
        let mut gateway = folder
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let child = wait_for("the server starts", || std::fs::read_to_string(folder.file("child")).ok());
        if arguments.contains(&"--addr") {
            let mut line = String::new();
            BufReader::new(gateway.stderr.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.contains("127.0.0.1"), "{line}");
        }
        assert!(is_running(child.trim()), "{arguments:?}");
        let kill = Command::new("kill").args(["-TERM", &gateway.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(gateway.wait().unwrap().code(), Some(0), "{arguments:?}");
        wait_for(&format!("{arguments:?}: the child ends"), || (!is_running(child.trim())).then_some(()));
    }
}
