//! Tools of several crates in one program, with and without optimization, using the programs of `fixtures/linking`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use cargo_metadata::Message;

use crate::workspace;

/// A build of the fixture, shared by all tests.
struct Build(HashMap<String, PathBuf>);

const PROGRAMS: [&str; 4] = ["collected", "duplicates", "forgotten", "remembered"];

// Everything is already built with the features of all tests. With those of the fixture alone, much would be built again.
const DEBUG: [&str; 3] = ["--workspace", "--test", "house"];

// Third-party code is built without optimization, which halves the build time; our crates are fully optimized.
const RELEASE: [&str; 7] = [
    "--package",
    "fixture-linking",
    "--release",
    "--config",
    "profile.release.package.'*'.opt-level = 0",
    "--config",
    "profile.release.package.inventory.opt-level = 3",
];

impl Build {
    fn new(choice: &[&str]) -> Self {
        let mut cargo = workspace::cargo();
        cargo.arg("build").args(choice).args(PROGRAMS.iter().flat_map(|program| ["--bin", program]));
        let output = cargo.args(["--locked", "--offline", "--message-format", "json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let executables =
            Message::parse_stream(output.stdout.as_slice()).filter_map(|message| match message {
                Ok(Message::CompilerArtifact(artifact)) => {
                    Some((artifact.target.name, artifact.executable?.into_std_path_buf()))
                }
                _ => None,
            });
        Build(executables.collect())
    }

    /// Returns the output of one of its programs.
    fn stdout_of(&self, program: &str) -> String {
        let output = Command::new(&self.0[program]).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

static NOT_OPTIMIZED: LazyLock<Build> = LazyLock::new(|| Build::new(&DEBUG));
static OPTIMIZED: LazyLock<Build> = LazyLock::new(|| Build::new(&RELEASE));

/// Checks that both builds print these lines.
#[track_caller]
fn assert_printed(program: &str, expected: &[&str]) {
    for (build, case) in [(&NOT_OPTIMIZED, "without optimization"), (&OPTIMIZED, "with optimization")] {
        let stdout = build.stdout_of(program);
        assert_eq!(stdout.lines().collect::<Vec<_>>(), expected, "{case}");
    }
}

#[test]
fn collects_tools_of_every_linked_crate() {
    assert_printed(
        "collected",
        &[
            r#"absolute (tests/fixtures/numbers/src/private.rs:7, module fixture_numbers::private): {"number":1} gives 1"#,
            r#"double (tests/fixtures/numbers/src/lib.rs:9, module fixture_numbers): {"number":1} gives 2"#,
            r#"letters.count (tests/fixtures/letters/src/lib.rs:18, module fixture_letters::counted): {"text":"text"} gives 4"#,
            r#"shout (tests/fixtures/letters/src/lib.rs:7, module fixture_letters): {"text":"text"} gives "TEXT""#,
            r#"version (tests/fixtures/linking/src/bin/collected.rs:9, module collected): {} gives "fixture 1""#,
        ],
    );
}

#[test]
fn reports_expected_crates_that_are_not_linked() {
    assert_printed(
        "forgotten",
        &[
            "no tool of the crate `fixture_forgotten` is linked",
            "help: name it in the application, as in `use fixture_forgotten as _;`",
            "",
            "no tool of the crate `fixture_numbers` is linked",
            "help: name it in the application, as in `use fixture_numbers as _;`",
        ],
    );
}

#[test]
fn links_named_crates() {
    assert_printed(
        "remembered",
        &[
            r#"double (tests/fixtures/forgotten/src/lib.rs:7, module fixture_forgotten): {"text":"text"} gives "texttext""#,
        ],
    );
}

#[test]
fn reports_both_places_of_tools_with_one_name() {
    assert_printed(
        "duplicates",
        &[
            "two tools are named `double`",
            "  first:  tests/fixtures/forgotten/src/lib.rs:7, module fixture_forgotten",
            "  second: tests/fixtures/linking/src/bin/duplicates.rs:12, module duplicates::own",
            r#"help: give one of them `#[tool(name = "…")]`"#,
            "",
            "two tools are named `double`",
            "  first:  tests/fixtures/linking/src/bin/duplicates.rs:12, module duplicates::own",
            "  second: tests/fixtures/numbers/src/lib.rs:9, module fixture_numbers",
            r#"help: give one of them `#[tool(name = "…")]`"#,
        ],
    );
}
