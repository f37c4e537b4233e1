//! Elicitation, answered on a terminal or with `--answer`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_cli::{App, Streams};
use tool_core::elicitation::{Elicited, Sample};
use tool_core::{Context, Failure, Registry, tool};

use crate::{Ran, on};

#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    /// For whom it is.
    name: String,
    /// How many scoops.
    #[schemars(range(min = 1, max = 4))]
    scoops: u8,
    flavour: Flavour,
    #[serde(default)]
    toppings: Vec<Topping>,
    #[serde(default = "yes")]
    cone: bool,
    note: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Flavour {
    #[schemars(title = "As from the pod")]
    Vanilla,
    #[schemars(title = "As from the tree")]
    Lemon,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Topping {
    Nuts,
    Cream,
}

/// Sells ice.
#[tool(operation = Trigger, destructive = false)]
async fn sell_ice(#[inject] context: Context) -> Result<String, Failure> {
    Ok(match context.elicit::<Order>("What may it be?").key("order").await? {
        Elicited::Accepted(Order { name, scoops, flavour, toppings, cone, note }) => {
            format!("{name}: {scoops} {flavour:?} {toppings:?} {cone} {note:?}")
        }
        Elicited::Declined => "nothing".to_owned(),
        Elicited::Cancelled => "gone".to_owned(),
    })
}

#[derive(Deserialize, JsonSchema)]
struct Password {
    #[schemars(extend("writeOnly" = true), length(min = 4))]
    password: String,
}

/// Unlocks.
#[tool(operation = Read)]
async fn unlock(#[inject] context: Context) -> Result<usize, Failure> {
    Ok(context.elicit::<Password>("The password?").await?.required()?.password.len())
}

/// Asks two things at once.
#[tool(operation = Read)]
async fn both(#[inject] context: Context) -> Result<String, Failure> {
    let (password, went) = tokio::join!(
        context.elicit::<Password>("The password?").key("first"),
        context.elicit_url("Sign in", "https://example.com/\u{1b}in").key("second"),
    );
    Ok(format!("{} {}", password?.required()?.password, went?.accepted().is_some()))
}

/// Where one is.
#[tool(operation = Read)]
async fn workplace(#[inject] context: Context) -> Result<Vec<String>, Failure> {
    Ok(context.roots().await?.into_iter().map(|root| root.uri).collect())
}

/// What a model says.
#[tool(operation = Read)]
async fn muse(#[inject] context: Context) -> Result<String, Failure> {
    Ok(context.sample(Sample::new(10).user("Say something")).await?.as_text())
}

fn app() -> App {
    let registry =
        Registry::builder().linked().select(|tool| tool.source().module == module_path!()).build().unwrap();
    App::new("ice", registry)
}

async fn typed(tool: &[&str], lines: &'static str) -> Ran {
    let arguments = [&["run"], tool].concat();
    on(app(), &arguments, |stdout, stderr| Streams::new(lines.as_bytes(), stdout, stderr).interactive()).await
}

async fn scripted(arguments: &[&str]) -> Ran {
    let arguments = [&["run"], arguments].concat();
    on(app(), &arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn asks_each_field_until_valid() {
    let ran = typed(&["sell_ice"], "\nAda\nmany\n9\n2\nlime\n2\n1, cream\n\n\n").await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "Ada: 2 Lemon [Nuts, Cream] true None\n"),
        "{}",
        ran.stderr
    );
    let expected = "\
What may it be?
(`:no` declines, Ctrl-D dismisses)
name: For whom it is.
name: an answer is required
name: scoops: How many scoops.
scoops (a whole number, 1 to 4): expected an integer from 1 to 4, got the string `many`
scoops (a whole number, 1 to 4): expected at most 4, got `9`
scoops (a whole number, 1 to 4):   1) vanilla  As from the pod
  2) lemon  As from the tree
flavour (1-2): expected one of `vanilla`, `lemon`, got the string `lime`
flavour (1-2):   1) nuts
  2) cream
toppings (of 1-2, with commas; may be left empty): cone (y/n) [y]: note (may be left empty): ";
    assert_eq!(strip_bar(&ran.stderr), expected);
}

/// Removes the output of the progress bar.
fn strip_bar(text: &str) -> String {
    text.replace("\r\u{1b}[2K", "")
}

#[tokio::test]
async fn allows_declining_and_dismissing() {
    for (lines, expected) in [
        (":no\n", "nothing\n"),
        ("Ada\n2\n :no \n", "nothing\n"),
        ("", "gone\n"),
        ("Ada\n2\n", "gone\n"),
        ("::no\n2\n1\n\nn\nquick", ":no: 2 Vanilla [] false Some(\"quick\")\n"),
    ] {
        let ran = typed(&["sell_ice"], lines).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{lines}: {}", ran.stderr);
    }
}

#[tokio::test]
async fn asks_questions_in_sequence() {
    let ran = typed(&["both"], "abc\nabcd\n\n").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "abcd true\n"), "{}", ran.stderr);
    let text = strip_bar(&ran.stderr);
    let (first, second) = text.split_once("Sign in\n").expect("both questions are shown");
    assert!(first.starts_with("The password?\n"), "{text}");
    assert!(!first.contains("abc"), "a secret is not repeated: {text}");
    assert!(second.starts_with("https://example.com/\\u001bin\nPress Enter"), "{text}");
}

#[tokio::test]
async fn answers_from_options() {
    let ran = scripted(&[
        "sell_ice",
        "--answer",
        "name=Ada",
        "--answer",
        "scoops=2",
        "--answer",
        "scoops=3",
        "--answer",
        "order.flavour=lemon",
        "--answer",
        "toppings:=[\"nuts\"]",
    ])
    .await;
    ran.prints("Ada: 3 Lemon [Nuts] true None\n");
    scripted(&["sell_ice", "--answer", "order=:no"]).await.prints("nothing\n");
    scripted(&["sell_ice", "--answer", "name=Ada", "--answer", "flavour=lime", "--answer", "scoops=9"])
        .await
        .fails(
            9,
            "error: the values of --answer are invalid:\n- /scoops: expected at most 4, got `9`\n\
         - /flavour: expected one of `vanilla`, `lemon`, got the string `lime`\n",
        );
    scripted(&["sell_ice", "--answer", "name=Ada"]).await.fails(
        9,
        "error: no terminal to answer \"What may it be?\": answer with --answer name=… --answer scoops=… \
         --answer flavour=…, or decline with --answer order=:no\n",
    );
    for (given, why) in [
        ("name", "expected KEY=VALUE or KEY:=JSON"),
        ("=5", "expected KEY=VALUE or KEY:=JSON"),
        ("n:={", "`n:=` expects JSON"),
    ] {
        scripted(&["sell_ice", "--answer", given]).await.fails(2, &format!("error: --answer: {why}\n"));
    }
    // Missing answers are requested on a terminal.
    let ran = typed(&["unlock", "--answer", "nope=1"], "abcd\n").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "4\n"), "{}", ran.stderr);
}

#[tokio::test]
async fn reports_unsupported_questions() {
    let ran = scripted(&["unlock", "--format", "json"]).await;
    assert_eq!((ran.code, &ran.json()["error_type"]), (9, &json!("unsupported")));
    scripted(&["muse"]).await.fails(
        9,
        "error: this caller has no model: call the tool over MCP, with a client that supports sampling\n",
    );
    let ran = scripted(&["workplace", "--format", "json"]).await;
    let uri = ran.json()["output"][0].as_str().unwrap().to_owned();
    let folder = std::env::current_dir().unwrap();
    assert!(
        uri.starts_with("file:///") && uri.ends_with(folder.file_name().unwrap().to_str().unwrap()),
        "{uri}"
    );
}

/// Set for a process in which [`child`] is the command line.
const ARGUMENTS: &str = "TOOL_CLI_TEST_ELICITATION";

/// No test, but the process that the one below starts.
#[test]
fn child() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let arguments: Vec<String> = serde_json::from_str(&arguments).unwrap();
    let code = tokio::runtime::Runtime::new().unwrap().block_on(app().run_from(arguments));
    std::process::exit(code.into());
}

#[cfg(unix)]
mod terminal {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command};

    use nix::sys::termios::{LocalFlags, tcgetattr};
    use serde_json::json;

    use super::ARGUMENTS;

    /// A process with a terminal.
    struct Sitting {
        child: Child,
        /// What the person at the terminal has.
        side: File,
        /// What the process has, so that it can be looked at.
        terminal: OwnedFd,
        seen: String,
    }

    fn sit(arguments: &[&str]) -> Sitting {
        let pair = nix::pty::openpty(None, None).unwrap();
        let end = || pair.slave.try_clone().unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "elicitation::child", "--nocapture", "--test-threads", "1"])
            .env(ARGUMENTS, json!([&["ice"], arguments].concat()).to_string())
            .env("TERM", "dumb")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        Sitting { child, side: File::from(pair.master), terminal: pair.slave, seen: String::new() }
    }

    impl Sitting {
        /// Reads until this text appears.
        fn wait_for(&mut self, text: &str) {
            let mut bytes = [0; 1024];
            while !self.seen.contains(text) {
                let count = self.side.read(&mut bytes).unwrap();
                assert_ne!(count, 0, "{}", self.seen);
                self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        }

        fn type_in(&mut self, text: &str) {
            self.side.write_all(text.as_bytes()).unwrap();
        }

        fn shows_what_is_typed(&self) -> bool {
            tcgetattr(&self.terminal).unwrap().local_flags.contains(LocalFlags::ECHO)
        }
    }

    #[test]
    fn hides_typed_secrets() {
        let mut sitting = sit(&["run", "both"]);
        sitting.wait_for("password: ");
        assert!(!sitting.shows_what_is_typed());
        sitting.type_in("swordfish\n");
        sitting.wait_for("Press Enter");
        assert!(sitting.shows_what_is_typed());
        assert!(!sitting.seen.contains("swordfish"), "{}", sitting.seen);
        sitting.type_in("\n");
        sitting.wait_for("swordfish true");
        assert_eq!(sitting.child.wait().unwrap().code(), Some(0));
    }

    #[test]
    fn restores_the_terminal_after_dismissal_and_interrupt() {
        let mut sitting = sit(&["run", "sell_ice"]);
        sitting.wait_for("name: For whom it is.\r\nname: ");
        sitting.type_in("\u{4}");
        sitting.wait_for("gone");
        assert_eq!(sitting.child.wait().unwrap().code(), Some(0));

        let mut sitting = sit(&["run", "unlock"]);
        sitting.wait_for("password: ");
        assert!(!sitting.shows_what_is_typed());
        let pid = nix::unistd::Pid::from_raw(sitting.child.id().try_into().unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
        assert_eq!(sitting.child.wait().unwrap().code(), Some(130));
        assert!(sitting.shows_what_is_typed());
    }
}
