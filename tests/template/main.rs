//! The template of an application, rendered with the language that `cargo generate` uses: what comes out is formatted, builds without
//! a warning and passes its tests, for each answer to the question of the template.

mod rendered;

use std::fs;
use std::path::{Path, PathBuf};

use crate::rendered::Template;

/// The libraries that are not published yet, which the applications take from this repository.
const LIBRARIES: [&str; 6] =
    ["tool-cli", "tool-core", "tool-core-macros", "tool-http", "tool-mcp", "tool-serve"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the name of the folder of a library.
fn folder_name(library: &str) -> &str {
    if library == "tool-core-macros" { "tool-macros" } else { library }
}

/// Writes a workspace with an application for each choice, and returns its folder.
fn workspace(template: &Template) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("template");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let choices = template.choices();
    for choice in &choices {
        for (path, text) in template.rendered(choice, &name_of(choice)) {
            let path = folder.join(choice).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let patches = LIBRARIES.map(|name| format!("{name} = {{ path = {:?} }}", root().join(folder_name(name))));
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {choices:?}\n\n[patch.crates-io]\n{}\n",
        patches.join("\n")
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // Those of rustfmt, and not those of this repository.
    fs::write(folder.join("rustfmt.toml"), "").unwrap();
    // The versions that all other tests use, which are on this machine.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}

fn name_of(choice: &str) -> String {
    format!("notes-{choice}")
}

/// Runs cargo in the workspace, and returns all that it prints. It must succeed without a warning.
fn cargo(folder: &Path, arguments: &[&str]) -> String {
    let mut cargo = fixture_cargo::cargo();
    // What other tests have compiled for the same features is used again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = cargo.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && !text.contains("warning"), "cargo {}: {text}", arguments.join(" "));
    text
}

#[test]
fn applications_build_without_a_warning_and_pass_their_tests() {
    let template = Template::read(&root().join("templates/app"));
    assert_eq!(template.choices(), ["all", "mcp", "http", "command-line"]);
    let folder = workspace(&template);
    cargo(&folder, &["fmt", "--all", "--check"]);
    let output = cargo(&folder, &["test", "--workspace", "--offline"]);
    let passed =
        |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<usize>().ok();
    // For each three tests of tools and one of the command line, and for two of them one over MCP and four over HTTP.
    assert_eq!(output.lines().filter_map(passed).sum::<usize>(), 4 * (3 + 1) + 2 * (1 + 4), "{output}");
}

#[test]
fn the_readme_shows_how_to_use_libraries_that_are_not_published() {
    let template = Template::read(&root().join("templates/app"));
    let files = template.rendered("all", "notes");
    let (_, block) = files[Path::new("README.md")].split_once("```toml\n").unwrap();
    let block: toml::Table = block.split_once("```").unwrap().0.parse().unwrap();
    let patches = block["patch"]["crates-io"].as_table().unwrap();
    let shown = patches.iter().map(|(name, patch)| (&**name, patch["path"].as_str().unwrap().to_owned()));
    let expected = LIBRARIES.map(|name| (name, format!("../CLONE/{}", folder_name(name))));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn only_servers_have_a_container() {
    let template = Template::read(&root().join("templates/app"));
    for choice in template.choices() {
        let files = template.rendered(&choice, "notes");
        assert_eq!(files.contains_key(Path::new("Dockerfile")), choice != "command-line", "{choice}");
        for (path, text) in files {
            assert!(!text.contains("{%") && !text.contains("{{"), "{choice}: {}: {text}", path.display());
        }
    }
}
