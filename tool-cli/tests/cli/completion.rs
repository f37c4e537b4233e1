//! Completions for a shell; `tests/shells.rs` tests the shells themselves.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_cli::{App, Streams};
use tool_core::{Registry, State, tool};

use crate::{Ran, on};

/// A colour.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    /// As grass.
    Green,
    /// As the sky
    /// at noon.
    Blue,
}

fn streets(typed: &str, streets: &Streets) -> Vec<String> {
    streets.0.iter().filter(|street| street.starts_with(typed)).map(|street| (*street).to_owned()).collect()
}

/// As if from a database.
async fn streets_later(typed: &str, state: &Streets) -> Vec<String> {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    streets(typed, state)
}

struct Streets(Vec<&'static str>);

/// Paints a street.
#[tool(operation = Write, destructive = false)]
fn paint(
    #[inject] streets: State<Streets>,
    /** In which colour. */
    colour: Colour,
    /** Which street. */
    #[arg(complete = streets_later)]
    street: String,
    /** Whether twice. */
    twice: Option<bool>,
    /** More colours. */
    more: Option<Vec<Colour>>,
) {
    let _ = (streets, colour, street, twice, more);
}

fn numbers(_: &str) -> Vec<String> {
    ["1", "2"].map(str::to_owned).into()
}

/// Adds numbers.
#[tool(operation = Transform)]
fn total(
    /** Which ones. */
    #[arg(complete = numbers)]
    ids: Vec<i64>,
    /** In which colours. */
    colours: Option<Vec<Colour>>,
) -> i64 {
    ids.iter().sum::<i64>() + colours.map_or(0, |colours| 100 * colours.len() as i64)
}

/// Paints nothing.
#[tool(operation = Read, permission = "pause")]
fn pause(
    /** Until when. */
    #[arg(complete = streets)]
    until: String,
) -> String {
    until
}

fn app() -> App {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    let streets = Streets(vec![
        "High Street",
        "$(touch pwned)",
        "it's",
        "Harbour",
        "tab\there",
        "\u{1b}[2J",
        "\u{202e}drawrof",
    ]);
    App::new("demo", builder.state(streets).build().unwrap())
}

async fn run(arguments: &[&str]) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

async fn lines(words: &[&str]) -> Vec<String> {
    let ran = run(&[&["__complete", "fish", "--"], words].concat()).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

async fn words(words: &[&str]) -> Vec<String> {
    lines(words).await.iter().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn completes_commands_options_and_tools() {
    assert_eq!(
        words(&[""]).await,
        ["list", "search", "info", "schema", "validate", "run", "lint", "lock", "completions", "man", "help"]
    );
    assert_eq!(
        lines(&["li"]).await,
        ["list\tList the tools", "lint\tSuggest improvements to the declarations; fails if there are any"]
    );
    assert_eq!(
        lines(&["run", ""]).await,
        ["paint\tPaints a street.", "pause\tPaints nothing.", "total\tAdds numbers."]
    );
    assert_eq!(words(&["--color", "never", "info", "pai"]).await, ["paint"]);
    assert_eq!(words(&["--color", ""]).await, ["auto", "always", "never"]);
    assert_eq!(words(&["list", "--format", "m"]).await, ["markdown"]);
    assert_eq!(words(&["list", "--format=m"]).await, ["--format=markdown"]);
    assert_eq!(words(&["list", "--op"]).await, ["--operation"]);
    assert_eq!(words(&["completions", "z"]).await, ["zsh"]);
    assert_eq!(words(&["info", "paint", "c"]).await, ["colour"]);
    assert_eq!(words(&["nope", ""]).await, Vec::<String>::new());
}

#[tokio::test]
async fn completes_inputs_and_values() {
    assert_eq!(words(&["run", "paint", ""]).await, ["colour=", "street=", "twice=", "more="]);
    assert_eq!(words(&["run", "paint", "colour=green", ""]).await, ["street=", "twice=", "more="]);
    assert_eq!(
        lines(&["run", "paint", "colour="]).await,
        ["colour=green\tAs grass.", "colour=blue\tAs the sky at noon."]
    );
    assert_eq!(words(&["run", "paint", "--colour", "b"]).await, ["blue"]);
    assert_eq!(words(&["run", "paint", "--colour=b"]).await, ["--colour=blue"]);
    assert_eq!(words(&["run", "paint", "--more", "g"]).await, ["green"]);
    assert_eq!(words(&["run", "paint", "twice="]).await, ["twice=true", "twice=false"]);
    assert_eq!(words(&["run", "paint", "street=H"]).await, ["street=High Street", "street=Harbour"]);
    assert_eq!(words(&["validate", "paint", "--st"]).await, ["--street"]);
    // Candidates with control characters or line breaks are omitted.
    assert_eq!(
        words(&["run", "paint", "--street", ""]).await,
        ["High Street", "$(touch pwned)", "it's", "Harbour"]
    );
}

/// What is completed for a list is accepted, in each way to give it.
#[tokio::test]
async fn completes_items_of_lists_that_can_be_run() {
    for (typed, completed) in [("ids=", "ids=2"), ("--ids=", "--ids=2")] {
        assert!(words(&["run", "total", typed]).await.contains(&completed.to_owned()), "{typed}");
        run(&["run", "total", completed]).await.prints("2\n");
    }
    assert_eq!(words(&["run", "total", "colours=g"]).await, ["colours=green"]);
    run(&["run", "total", "ids=2", "colours=green"]).await.prints("102\n");
    // The other forms keep their meaning.
    run(&["run", "total", "ids=[1,2]", "colours=null"]).await.prints("3\n");
    run(&["run", "total", "ids:=[1,2]"]).await.prints("3\n");
    assert_eq!(run(&["run", "total", "ids:=2"]).await.code, 5);
}

#[tokio::test]
async fn completes_options_without_a_value() {
    let options = words(&["run", "--"]).await;
    for option in ["--yes", "--dry-run", "--skeleton", "--quiet", "--verbose", "--help", "--format"] {
        assert_eq!(options.iter().filter(|word| *word == option).count(), 1, "{option}: {options:?}");
    }
    assert_eq!(words(&["run", "paint", "--dr"]).await, ["--dry-run"]);
    assert_eq!(words(&["lock", "--ch"]).await, ["--check"]);
    assert_eq!(words(&["info", "paint", "--ou"]).await, ["--output"]);
    assert_eq!(words(&["--ve"]).await, ["--verbose", "--version"]);
}

#[tokio::test]
async fn does_not_complete_values_of_denied_tools() {
    assert_eq!(words(&["run", "pause", "until=H"]).await, Vec::<String>::new());
    assert_eq!(words(&["run", "pause", "--grant", "pause", "until=Ha"]).await, ["until=Harbour"]);
}

#[tokio::test]
async fn returns_insertions_for_bash() {
    let bash = async |line: &str| {
        let ran = run(&["__complete", "bash", "--", line, " \t\n\"'><=;|&(:"]).await;
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(bash("demo run pa").await, ["paint", "pause"]);
    assert_eq!(
        bash("demo run paint street=").await,
        ["High\\ Street", "\\$\\(touch\\ pwned\\)", "it\\'s", "Harbour"]
    );
    assert_eq!(bash("demo run paint street='H").await, ["High Street", "Harbour"]);
    assert_eq!(bash("demo run paint --street High\\ ").await, ["High\\ Street"]);
}

#[tokio::test]
async fn prints_portable_scripts() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = run(&["completions", shell]).await;
        assert_eq!((script.code, script.stderr.as_str()), (0, ""));
        assert!(
            script.stdout.contains("'demo' __complete ")
                && !script.stdout.contains("@NAME")
                && !script.stdout.contains("@PRO"),
            "{}",
            script.stdout
        );
    }
    let powershell = run(&["completions", "powershell"]).await.stdout;
    assert!(powershell.contains("EscapeSingleQuotedStringContent($word)"), "{powershell}");
    let odd = App::new("o'dd $(x)", Registry::builder().allow_empty().build().unwrap());
    let script =
        on(odd, &["completions", "bash"], |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr))
            .await;
    assert!(
        script.stdout.contains(r"'o'\''dd $(x)' __complete")
            && script.stdout.contains("_o_dd___x__complete()"),
        "{}",
        script.stdout
    );
    assert_eq!(run(&["completions", "tcsh"]).await.code, 2);
}

#[tokio::test]
async fn prints_and_writes_man_pages() {
    let page = run(&["man"]).await.stdout;
    assert!(page.contains(".TH demo 1") && page.contains("demo\\-run(1)"), "{page}");
    let page = run(&["man", "run"]).await.stdout;
    assert!(page.contains(".TH demo-run 1") && page.contains("\\-\\-dry\\-run"), "{page}");
    let page = crate::cli(&["man", "run"]).await.stdout;
    assert!(page.contains("\"demo-run 1.2.3\""), "{page}");
    run(&["man", "nope"]).await.fails(2, "error: unknown command `nope`\n");
    let folder = tempfile::tempdir().unwrap();
    run(&["man", "--dir", folder.path().join("man1").to_str().unwrap()]).await.prints("");
    let mut names: Vec<_> = std::fs::read_dir(folder.path().join("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 11, "{names:?}");
    assert!(names.contains(&"demo.1".to_owned()) && names.contains(&"demo-run.1".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("__complete")), "{names:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn writes_man_pages_into_their_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (pages, elsewhere) = (folder.path().join("man1"), folder.path().join("elsewhere"));
    std::fs::create_dir(&pages).unwrap();
    std::os::unix::fs::symlink(&elsewhere, pages.join("demo.1")).unwrap();
    run(&["man", "--dir", pages.to_str().unwrap()]).await.prints("");
    assert!(!elsewhere.exists() && pages.join("demo.1").is_file());
    // Nothing but a file is replaced.
    std::os::unix::fs::symlink("/dev/null", pages.join("demo-list.1.new")).unwrap();
    std::fs::rename(pages.join("demo-list.1.new"), pages.join("demo-list.1")).unwrap();
    let ran = run(&["man", "--dir", pages.to_str().unwrap()]).await;
    assert!(ran.code == 1 && ran.stderr.contains("it is not a regular file"), "{ran:?}");
}
