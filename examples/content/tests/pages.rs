//! What the pages of documentation show is what the program prints.

#[test]
fn the_pages_show_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("museum.sqlite");
    trycmd::TestCases::new()
        .register_bin("content", trycmd::cargo::cargo_bin!("content"))
        .env("CONTENT_DATABASE", database.to_str().unwrap())
        .env("COLUMNS", "100")
        .case("../../tool-cli/docs/not-yours.md");
}
