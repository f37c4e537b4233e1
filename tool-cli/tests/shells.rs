//! The scripts of `completions` in real shells, which must be installed. `cargo xtask test shells` runs these tests, and
//! plain `cargo test` does not.
//!
//! Called as `demo`, this program is the application to complete, with tools, values and descriptions that an unsafe script
//! would execute; otherwise, it is the test.

#![allow(clippy::print_stdout, reason = "this is a harness of its own, and its report is its output")]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use schemars::JsonSchema;
use serde::Deserialize;
use tool_cli::App;
use tool_core::{Registry, tool};

/// A colour.
#[derive(Deserialize, JsonSchema)]
enum Colour {
    /// As grass; $(touch pwned) `touch pwned` "quoted" 'single'
    #[serde(rename = "green")]
    Green,
    /// As the sky.
    #[serde(rename = "dark blue")]
    DarkBlue,
    /// As blood.
    #[serde(rename = "$(touch pwned)")]
    Red,
}

/// Paints; $(touch pwned) `touch pwned` 'a' "b" \n ${HOME} ; touch pwned
#[tool(operation = Write, destructive = false)]
fn paint(
    /** In which colour. */
    colour: Colour,
    /** Which street. */
    #[arg(complete = streets)]
    street: String,
) {
    let _ = (colour, street);
}

fn streets(_: &str) -> Vec<String> {
    ["it's; touch pwned", "High Street", "a:b", "*", "line\nbreak"].map(str::to_owned).into()
}

/// Is named as a command is.
#[tool(operation = Read, name = "help")]
fn named_help() {}

/// Is named as an option is.
#[tool(operation = Read, name = "-x")]
fn named_option() {}

/// Has dots.
#[tool(operation = Read, name = "pa.in-t_2")]
fn named_dotted() {}

/// A line before the tab key, and the expected proposals in order.
struct Case {
    line: &'static str,
    words: &'static [&'static str],
}

/// The expected proposals of every shell.
const CASES: &[Case] = &[
    Case { line: "demo li", words: &["list", "lint"] },
    Case { line: "demo run pa", words: &["pa.in-t_2", "paint"] },
    Case { line: "demo run he", words: &["help"] },
    Case { line: "demo run ", words: &["help", "pa.in-t_2", "paint"] },
    Case { line: "demo run -- -", words: &["-x"] },
    Case { line: "demo run paint ", words: &["colour=", "street="] },
    Case { line: "demo run paint --colour ", words: &["green", "dark blue", "$(touch pwned)"] },
    Case { line: "demo run paint colour=g", words: &["colour=green"] },
    Case { line: "demo run paint street=H", words: &["street=High Street"] },
    Case { line: "demo run paint --street ", words: &["it's; touch pwned", "High Street", "a:b", "*"] },
    Case { line: "demo list --format=m", words: &["--format=markdown"] },
    Case { line: "demo completions z", words: &["zsh"] },
    Case { line: "demo nonsense x", words: &[] },
];

/// The expected line after the tab key with a single candidate.
const TYPED: &[(&str, &str)] = &[
    ("demo run paint colour=d", r"demo run paint colour=dark\ blue "),
    ("demo run paint street=i", r"demo run paint street=it\'s\;\ touch\ pwned "),
    ("demo run paint --street 'H", "demo run paint --street 'High Street' "),
    ("demo run paint --street '*", "demo run paint --street '*' "),
    ("demo run paint --street a:", "demo run paint --street a:b "),
    ("demo run paint str", "demo run paint street="),
    ("demo run pai", "demo run paint "),
];

fn main() -> ExitCode {
    let called = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    if called.file_name().is_some_and(|name| name == "demo") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(App::new("demo", Registry::collect().unwrap()).run());
    }
    let tests: &[(&str, fn(&Place))] = &[
        ("bash_proposes", |place| proposes(place, "bash", &["--norc", "--noprofile"])),
        ("zsh_proposes", |place| proposes(place, "zsh", &["-f"])),
        ("fish_proposes", |place| proposes(place, "fish", &["--no-config"])),
        ("zsh_autoloads", autoloads),
        ("bash_inserts", |place| inserts(place, "bash")),
        ("zsh_inserts", |place| inserts(place, "zsh")),
    ];
    let failed = tests.iter().filter(|(name, test)| !holds(name, *test)).count();
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out",
        tests.len() - failed
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one test in its own folder.
fn holds(name: &str, test: fn(&Place)) -> bool {
    let held = std::panic::catch_unwind(|| {
        let place = Place::new();
        test(&place);
        assert!(!place.path("pwned").exists(), "something was executed");
    })
    .is_ok();
    println!("test row_122_{name} ... {}", if held { "ok" } else { "FAILED" });
    held
}

/// Creates a folder in which `demo` is this program.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        let program = env::current_exe().unwrap();
        std::os::unix::fs::symlink(program, place.path("demo")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns a shell that finds `demo` on its path, without the environment of the user.
    fn shell(&self, shell: &str) -> Command {
        let mut path = self.0.path().as_os_str().to_owned();
        path.push(":");
        path.push(env::var_os("PATH").unwrap());
        let mut command = Command::new(shell);
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.0.path())
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a script and returns its output.
    fn output(&self, shell: &str, options: &[&str], script: &str, arguments: &[&str]) -> String {
        let file = self.path("script");
        fs::write(&file, script).unwrap();
        let output = self.shell(shell).args(options).arg(&file).args(arguments).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && stderr.is_empty(), "{shell} {arguments:?}: {stdout}\n{stderr}");
        stdout.into_owned()
    }
}

/// Returns the proposals of a shell.
fn proposes(place: &Place, shell: &str, options: &[&str]) {
    let script = match shell {
        "bash" => include_str!("shells/propose.bash"),
        "zsh" => include_str!("shells/propose.zsh"),
        _ => include_str!("shells/propose.fish"),
    };
    for Case { line, words } in CASES {
        let output = place.output(shell, options, script, &[line]);
        assert_eq!(output.lines().collect::<Vec<_>>(), *words, "{shell}: {line}");
    }
}

/// Installs the script for zsh in a folder, as packages do.
fn autoloads(place: &Place) {
    let script = include_str!("shells/autoload.zsh");
    for Case { line, words } in CASES {
        let output = place.output("zsh", &["-f"], script, &[line]);
        assert_eq!(output.lines().collect::<Vec<_>>(), *words, "{line}");
    }
}

/// Presses the tab key in an interactive shell and returns the line.
fn inserts(place: &Place, shell: &str) {
    for (typed, becomes) in TYPED {
        let output = place.output("zsh", &["-f"], include_str!("shells/insert.zsh"), &[shell, typed]);
        assert_eq!(output.trim_end_matches('\n'), *becomes, "{shell}: {typed}");
    }
}
