//! What the pages of documentation show is what the program prints.

use trycmd::TestCases;

/// The cases of these files, on a site of their own.
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
fn the_page_about_tools_of_others_shows_what_the_program_prints() {
    compare("../../tool-cli/docs/not-yours.md");
}

#[test]
fn who_calls_decides_what_is_answered() {
    compare("tests/cmd/callers.md");
}

#[test]
fn what_signs_needs_a_key() {
    compare("tests/cmd/key.md");
}

#[test]
fn what_is_stored_can_be_found_and_shown() {
    compare("tests/cmd/search.md");
}
