//! A tool on the command line.

use std::process::Command;

#[test]
fn adds_a_note() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_{{project-name}}"));
    program.args(["run", "add_note", "text=Buy apples"]);
    let output = program.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1\n");
    assert!(output.status.success());
}
