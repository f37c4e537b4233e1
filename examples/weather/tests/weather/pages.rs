//! The guides and the README show the real output of the program.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use anstyle_svg::Term;
use trycmd::TestCases;

/// What the README shows as a picture.
const SHOWN: [&str; 3] =
    ["list", "run get_weather location=Seatle", "run get_weather location=Seattle date=2014-07-04"];

#[test]
fn matches_the_guides() {
    TestCases::new()
        .register_bin("weather", trycmd::cargo::cargo_bin!("weather"))
        .env("COLUMNS", "100")
        .case("../../docs/src/errors.md")
        .run();
}

#[test]
fn matches_the_picture_of_the_readme() {
    let mut screen = String::new();
    for line in SHOWN {
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_weather"));
        command.args(arguments).env("COLUMNS", "100").env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        screen += &format!("\x1b[32m$\x1b[0m weather {line}\n{}\n", String::from_utf8(text).unwrap());
    }
    let picture = Term::new().render_svg(&screen);
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/commands.svg");
    if fs::read_to_string(&shown).is_ok_and(|shown| shown == picture) {
        return;
    }
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands.svg");
    fs::write(&new, picture).unwrap();
    panic!("the picture is another one: compare {} with {}", new.display(), shown.display());
}
