//! Compares the public API of each library with the text that is checked in, so that a change of it shows in a diff.
//!
//! `cargo xtask test api` compares. `cargo run --package api -- --write` writes the texts again.

#![allow(clippy::print_stdout, reason = "the report is this program's output")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs};

use public_api::PublicApi;

const LIBRARIES: [&str; 9] = [
    "tool-core-macros",
    "tool-core",
    "tool-serve",
    "tool-http",
    "tool-mcp",
    "tool-cli",
    "tool-oauth",
    "tool-tasks",
    "tool-replicas",
];

/// The real `rustdoc`, if cargo runs this program in its place.
const RUSTDOC: &str = "API_RUSTDOC";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if let Some(rustdoc) = env::var_os(RUSTDOC) {
        // The flags of JSON are unstable. Set here and not for all of cargo, this variable builds no dependency again.
        let status =
            Command::new(rustdoc).args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status()?;
        return Ok(exit_code(status));
    }
    let write = env::args().any(|argument| argument == "--write");
    let folder = document()?;
    let mut changed = Vec::new();
    for library in LIBRARIES {
        let text = render(&folder.join(library.replace('-', "_")).with_extension("json"))?;
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("text").join(library).with_extension("txt");
        if write {
            fs::write(path, text)?;
        } else if let Some(difference) = difference(&fs::read_to_string(path)?, &text) {
            changed.push(library);
            print!(
                "the public API of `{library}` is not the one in `tests/api/text/{library}.txt`\n{difference}"
            );
        }
    }
    if changed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("if the change is intended, run `cargo run --package api -- --write` and commit the texts");
    Ok(ExitCode::FAILURE)
}

/// Documents all libraries of the workspace as JSON, with all features, and returns the folder of the documents.
///
/// The published ones alone would need most dependencies checked again, with fewer features than clippy checks them with.
fn document() -> Result<PathBuf, Box<dyn Error>> {
    // This program stands in a profile of the target folder, wherever that was put.
    let program = env::current_exe()?;
    let target = program.ancestors().nth(2).ok_or("this program is not in a target folder")?;
    let mut doc = fixture_cargo::cargo();
    doc.args(["doc", "--workspace", "--no-deps", "--all-features", "--lib", "--examples", "--locked"]);
    doc.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
    doc.env(RUSTDOC, env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()))
        .env("RUSTDOC", program.as_os_str());
    // As docs.rs does, so that what depends on its flag compiles.
    let docs_rs = "--cfg docsrs";
    doc.env("RUSTDOCFLAGS", format!("-Z unstable-options --output-format json --cap-lints allow {docs_rs}"));
    let status = doc.status()?;
    if !status.success() {
        return Err(format!("`cargo doc` failed: {status}").into());
    }
    Ok(target.join("doc"))
}

/// Returns the public API in a JSON document of `rustdoc` as text, one item a line.
fn render(document: &Path) -> Result<String, public_api::Error> {
    let api: PublicApi = public_api::Builder::from_rustdoc_json(document)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    Ok(api.to_string())
}

/// Returns the lines that were added and removed, or `None` if there are none.
fn difference(old: &str, new: &str) -> Option<String> {
    let lacks = |text: &str, line: &str| !text.lines().any(|other| other == line);
    let removed = old.lines().filter(|line| lacks(new, line)).map(|line| format!("- {line}\n"));
    let added = new.lines().filter(|line| lacks(old, line)).map(|line| format!("+ {line}\n"));
    (old != new).then(|| removed.chain(added).collect())
}

fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn difference_names_added_and_removed_lines() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n").as_deref(), Some("- b\n+ c\n"));
        assert_eq!(difference("a\nb\n", "b\na\n").as_deref(), Some(""));
    }
}
