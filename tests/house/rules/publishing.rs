//! What crates.io and docs.rs need of each published crate.

use std::collections::BTreeSet;
use std::process::Command;

use cargo_metadata::Package;

use crate::workspace::{self, LIBRARIES};

/// The categories of our crates. crates.io ignores one that it does not have: the list is <https://crates.io/category_slugs>.
const CATEGORIES: [&str; 7] = [
    "api-bindings",
    "asynchronous",
    "authentication",
    "command-line-interface",
    "database",
    "web-programming",
    "web-programming::http-server",
];

/// The most keywords and categories, and the longest keyword, that crates.io accepts.
const MOST_KEYWORDS: usize = 5;
const LONGEST_KEYWORD: usize = 20;

/// The licenses, which are files of every package. In the workspace they are links to those at the root.
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

#[test]
fn published_crates_have_all_metadata() {
    let found: Vec<String> = LIBRARIES.iter().flat_map(|name| faults(workspace::member(name))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is expected to be reported, and the change of a complete package that causes it.
type Fault = (&'static str, fn(&mut Package));

#[test]
fn each_missing_part_of_the_metadata_is_found() {
    let complete = workspace::member("tool-core");
    let cases: [Fault; 13] = [
        ("description", |package| package.description = None),
        ("documentation", |package| package.documentation = None),
        ("documentation", |package| package.documentation = Some("https://docs.rs/serde".to_owned())),
        ("license", |package| package.license = None),
        ("readme", |package| package.readme = None),
        ("keywords", |package| package.keywords.clear()),
        ("keywords", |package| package.keywords = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec()),
        ("keyword `model-context-protocol`", |package| {
            package.keywords = vec!["model-context-protocol".to_owned()];
        }),
        ("keyword `two words`", |package| package.keywords = vec!["two words".to_owned()]),
        ("keyword `tool` twice", |package| package.keywords = vec!["tool".to_owned(), "tool".to_owned()]),
        ("categories", |package| package.categories.clear()),
        ("category `tools`", |package| package.categories = vec!["tools".to_owned()]),
        ("metadata of docs.rs", |package| package.metadata = serde_json::json!({ "docs": { "rs": {} } })),
    ];
    assert_eq!(faults(complete), [""; 0]);
    for (expected, change) in cases {
        let mut package = complete.clone();
        change(&mut package);
        assert_eq!(faults(&package), [format!("`tool-core`: {expected}")]);
    }
}

/// Returns what is missing or wrong in the manifest of a package.
fn faults(package: &Package) -> Vec<String> {
    let mut found = Vec::new();
    let mut require = |holds: bool, what: &str| {
        if !holds {
            found.push(format!("`{}`: {what}", package.name));
        }
    };
    require(package.description.as_deref().is_some_and(|text| text.contains(' ')), "description");
    let documentation = format!("https://docs.rs/{}", package.name);
    require(package.documentation.as_ref() == Some(&documentation), "documentation");
    require(package.license.as_deref() == Some("MIT OR Apache-2.0"), "license");
    require(package.readme().is_some_and(|readme| readme.exists()), "readme");
    require((1..=MOST_KEYWORDS).contains(&package.keywords.len()), "keywords");
    let mut different = BTreeSet::new();
    for keyword in &package.keywords {
        require(is_keyword(keyword), &format!("keyword `{keyword}`"));
        require(different.insert(keyword), &format!("keyword `{keyword}` twice"));
    }
    require((1..=MOST_KEYWORDS).contains(&package.categories.len()), "categories");
    for category in &package.categories {
        require(CATEGORIES.contains(&&**category), &format!("category `{category}`"));
    }
    let docs = &package.metadata["docs"]["rs"];
    let shows_features = docs["all-features"] == true
        && docs["rustdoc-args"].as_array().is_some_and(|it| it.iter().any(|word| word == "docsrs"));
    require(shows_features, "metadata of docs.rs");
    found
}

/// Returns `true` if crates.io accepts a keyword.
fn is_keyword(word: &str) -> bool {
    word.len() <= LONGEST_KEYWORD
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c))
}

/// docs.rs documents with a nightly compiler and `--cfg docsrs`; `cargo xtask test api` documents with this flag as well.
#[test]
fn crates_with_features_show_them_on_docs_rs() {
    for name in LIBRARIES {
        let package = workspace::member(name);
        let root = package.targets.iter().find(|target| target.is_lib() || target.is_proc_macro()).unwrap();
        let source = workspace::read(&root.src_path);
        let shows = source.contains("#![cfg_attr(docsrs, feature(doc_cfg))]");
        assert!(shows || package.features.is_empty(), "{} does not turn on `doc_cfg`", root.src_path);
    }
}

#[test]
fn packages_contain_their_licenses_and_readme() {
    for name in LIBRARIES {
        let package = workspace::member(name);
        let folder = package.manifest_path.parent().unwrap();
        let files = packaged(name);
        for license in LICENSES {
            assert!(files.contains(license), "the package `{name}` is without {license}");
            assert_eq!(workspace::read(folder.join(license)), workspace::read(license), "{name}/{license}");
        }
        assert!(files.contains("README.md"), "the package `{name}` is without README.md");
    }
}

/// Returns the files of a package.
fn packaged(name: &str) -> BTreeSet<String> {
    let list = ["package", "--list", "--allow-dirty", "--locked", "--offline", "--package", name];
    let output = workspace::cargo().args(list).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Packages outside of this workspace as well: applications that tests build, and peers of benchmarks.
#[test]
fn every_other_package_of_the_repository_is_never_published() {
    let mut git = Command::new("git");
    let output = git.args(["ls-files", "--", "*Cargo.toml"]).current_dir(workspace::root()).output().unwrap();
    let files = String::from_utf8(output.stdout).unwrap();
    let mut unpublished = 0;
    for file in files.lines() {
        if file.starts_with("templates/") {
            // It is TOML once it is rendered.
            let is_private = workspace::read(file).lines().any(|line| line == "publish = false");
            assert!(is_private, "{file}: `publish = false`");
            continue;
        }
        let manifest = workspace::toml(file);
        let Some(package) = manifest.get("package") else { continue };
        let name = package["name"].as_str().unwrap();
        let is_private = package.get("publish").and_then(toml::Value::as_bool) == Some(false);
        assert_eq!(is_private, !LIBRARIES.contains(&name), "{file}: `publish = false`");
        unpublished += usize::from(is_private);
    }
    assert!(unpublished > LIBRARIES.len(), "{unpublished} packages are not published");
}
