//! The documentation shows the real output of the program.

use trycmd::TestCases;

/// Runs the cases of these files on a new site.
fn compare(files: &str) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("museum.sqlite");
    TestCases::new()
        .register_bin("content", trycmd::cargo::cargo_bin!("content"))
        .env("CONTENT_DATABASE", database.to_str().unwrap())
        .env("COLUMNS", "100")
        .case(files)
        .run();
}

#[test]
fn matches_the_page_about_foreign_tools() {
    compare("../../tool-cli/docs/not-yours.md");
}

#[test]
fn matches_the_page_about_callers() {
    compare("tests/cmd/callers.md");
}

#[test]
fn matches_the_page_about_the_key() {
    compare("tests/cmd/key.md");
}

#[test]
fn matches_the_page_about_search() {
    compare("tests/cmd/search.md");
}

#[test]
fn matches_the_guides() {
    compare("../../docs/src/access.md");
}
