//! The guides show the real output of the program.

use trycmd::TestCases;

#[test]
fn matches_the_guides() {
    TestCases::new()
        .register_bin("weather", trycmd::cargo::cargo_bin!("weather"))
        .env("COLUMNS", "100")
        .case("../../docs/src/errors.md")
        .run();
}
