//! Checks that the README shows real output.

use tool_cli::{App, Buffer, Streams};

const README: &str = include_str!("../../README.md");

/// Returns the code block that follows a text.
fn block_after(text: &str) -> &'static str {
    let (_, rest) = README.split_once(text).unwrap_or_else(|| panic!("the README does not say {text:?}"));
    let (_, rest) = rest.split_once("\n```\n").unwrap();
    let (_, rest) = rest.split_once("\n```").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    rest.split_once("```").unwrap().0
}

#[tokio::test]
async fn prints_what_the_readme_shows() {
    let folder = tempfile::tempdir().unwrap();
    let command = "run get_weather location=Seattle date=2014-07-04";
    let registry = weather::registry(folder.path().join("reports.jsonl")).unwrap();
    let (stdout, stderr) = (Buffer::default(), Buffer::default());
    let streams = Streams::new(std::io::empty(), stdout.clone(), stderr.clone());
    let exit_code = App::new("weather", registry).run_with(command.split(' '), streams).await;
    assert_eq!((exit_code, &*stderr.text()), (0, ""));
    assert_eq!(stdout.text(), block_after(&format!("-p weather -- {command}")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "reading leaves no file behind");
}
