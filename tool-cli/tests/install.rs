//! `serve mcp --install CLIENT` as a user sees it: output, files and exit codes.
//!
//! The configuration of a client is found by the environment, so that each command is a child process: this test binary, which
//! runs only [`child`].

#[path = "install/files.rs"]
mod files;
#[path = "install/printing.rs"]
mod printing;
#[path = "install/refusals.rs"]
mod refusals;
#[path = "install/writing.rs"]
mod writing;

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use tool_cli::{App, Server};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

/// The arguments of the child, as JSON.
const ARGUMENTS: &str = "TOOL_CLI_TEST_ARGUMENTS";

/// The line after which all output belongs to the child.
const READY: &str = "-- ready\n";

/// A client, its file below the folder of the user, and its file below that of a project.
const CLIENTS: [(&str, &str, Option<&str>); 5] = [
    ("claude-code", ".claude.json", Some(".mcp.json")),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", None),
    ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json")),
    ("vscode", ".config/Code/User/mcp.json", Some(".vscode/mcp.json")),
    ("codex", ".codex/config.toml", Some(".codex/config.toml")),
];

/// Runs the command line of a process, where the parent asks for it.
#[test]
fn child() {
    let Ok(arguments) = env::var(ARGUMENTS) else { return };
    let arguments: Vec<String> = serde_json::from_str(&arguments).unwrap();
    write!(std::io::stdout(), "\n{READY}").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = runtime.block_on(app().run_from(std::iter::once("demo".to_owned()).chain(arguments)));
    std::process::exit(code.into());
}

fn app() -> App {
    let definition = ToolDefinition::builder("measure", "Measures the length of something in metres.")
        .operation(Operation::Read)
        .input_schema(json!({"type": "object"}))
        .build()
        .unwrap();
    let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let server = || Server::new(async |_| Err("it was served".into()));
    let mcp = server().optional_addr().mcp_stdio();
    App::new("demo", registry)
        .server("http", server())
        .server("mcp", mcp.choice("surfaces", ["all", "few"], "Which").text("label", "TEXT", "What to say"))
        .server("own", server().mcp_stdio().text("project", "ID", "Which project"))
}

/// The folders of a user and of a project.
struct Sandbox {
    user: TempDir,
    project: TempDir,
}

/// What a command left behind.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Sandbox {
    fn new() -> Self {
        Sandbox { user: tempfile::tempdir().unwrap(), project: tempfile::tempdir().unwrap() }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs a command, and replaces paths that differ between runs by words.
    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let program = env::current_exe().unwrap();
        let output = Command::new(&program)
            .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
            .env(ARGUMENTS, serde_json::to_string(arguments).unwrap())
            .env("HOME", self.user.path())
            .env("NO_COLOR", "1")
            .env_remove("COLUMNS")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CODEX_HOME")
            .envs(variables.iter().copied())
            .current_dir(self.project.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| self.neutral(&String::from_utf8(bytes).unwrap());
        let stdout = text(output.stdout);
        Ran {
            code: output.status.code().unwrap(),
            stdout: stdout.split_once(READY).unwrap().1.to_owned(),
            stderr: text(output.stderr),
        }
    }

    fn neutral(&self, text: &str) -> String {
        let program = env::current_exe().unwrap();
        let project = fs::canonicalize(self.project.path()).unwrap();
        text.replace(program.to_str().unwrap(), "PROGRAM")
            .replace(project.to_str().unwrap(), "PROJECT")
            .replace(self.user.path().to_str().unwrap(), "USER")
    }

    /// Writes a file below the folder of the user.
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.user.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file below the folder of the user.
    fn read(&self, path: &str) -> String {
        self.neutral(&fs::read_to_string(self.user.path().join(path)).unwrap())
    }

    /// Returns all files of the user, by path.
    fn files(&self) -> Vec<String> {
        files_below(self.user.path())
    }
}

fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    files.sort();
    files
}

impl Ran {
    /// Asserts that nothing but this went to stderr.
    #[track_caller]
    fn says(&self, code: i32, stderr: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, "", stderr));
    }
}
