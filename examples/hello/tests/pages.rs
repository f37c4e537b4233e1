//! The guides show the real output of the program.

use trycmd::TestCases;

#[test]
fn matches_the_guides() {
    let folder = tempfile::tempdir().unwrap();
    TestCases::new()
        .register_bin("hello", trycmd::cargo::cargo_bin!("hello"))
        .env("COLUMNS", "100")
        .env("HOME", folder.path().to_str().unwrap())
        .case("../../docs/src/start.md")
        .run();
}
