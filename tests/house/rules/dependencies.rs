//! The allowed dependencies of each crate.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Dependency, DependencyKind, Package};
use proc_macro2::{TokenStream, TokenTree};

use crate::workspace::{self, LIBRARIES};

/// What a published crate may know of the workspace; everything else may use everything.
fn below(library: &str) -> &'static [&'static str] {
    match library {
        "tool-core-macros" => &[],
        "tool-core" => &["tool-core-macros"],
        "tool-serve" => &[],
        // Their tests run tasks.
        "tool-http" | "tool-mcp" => &["tool-core", "tool-serve", "tool-tasks"],
        "tool-cli" => &["tool-core", "tool-tasks"],
        // Its tests serve over both.
        "tool-oauth" => &["tool-core", "tool-http", "tool-mcp"],
        // Sessions are those of `tool-mcp`.
        "tool-replicas" => &["tool-core", "tool-mcp"],
        _ => &["tool-core"],
    }
}

/// Returns the dependencies of a package within the workspace, except those of tests for their own features.
fn neighbors(package: &Package) -> impl Iterator<Item = &Dependency> {
    let others = package.dependencies.iter().filter(|dependency| *dependency.name != *package.name);
    others.filter(|dependency| workspace::is_member(&dependency.name))
}

#[test]
fn arrows_point_down() {
    for library in LIBRARIES {
        for dependency in neighbors(workspace::member(library)) {
            let (name, kind) = (dependency.name.as_str(), dependency.kind);
            let is_for_tests = kind == DependencyKind::Development;
            let is_allowed = match name {
                "fixture-postgres" => is_for_tests,
                "tool-tasks" => is_for_tests && below(library).contains(&name),
                _ => below(library).contains(&name),
            };
            assert!(is_allowed, "`{library}` must not know `{name}` ({kind:?})");
        }
    }
}

// Default features of the core would force the macro, the linker and a runtime on every application. Tests of an adapter may use
// them.
#[test]
fn adapters_take_the_core_without_its_default_features() {
    for adapter in ["tool-http", "tool-mcp", "tool-cli", "tool-oauth"] {
        let package = workspace::member(adapter);
        let core = neighbors(package)
            .find(|dependency| dependency.name == "tool-core" && dependency.kind == DependencyKind::Normal)
            .unwrap_or_else(|| panic!("`{adapter}` is no adapter of `tool-core`"));
        assert!(!core.uses_default_features, "`{adapter}` asks for the default features of `tool-core`");
        for feature in ["default", "inventory", "macros"] {
            assert!(!core.features.iter().any(|name| name == feature), "`{adapter}` asks for `{feature}`");
        }
    }
}

#[test]
fn the_core_knows_no_adapter_and_none_of_their_frameworks() {
    let packages = locked();
    let core = workspace::member("tool-core");
    let mut found = BTreeSet::new();
    let mut next: Vec<&str> = core
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        // `http` is needed by `Authenticator` for the adapters, `object_store` for cloud storage.
        .filter(|dependency| !(dependency.optional && ["http", "object_store"].contains(&&*dependency.name)))
        .map(|dependency| dependency.name.as_str())
        .collect();
    while let Some(name) = next.pop() {
        if found.insert(name.to_owned()) {
            next.extend(packages.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    assert!(found.contains("serde_core"), "what the dependencies depend on is not found: {found:?}");
    for name in
        ["axum", "clap", "http", "hyper", "reqwest", "rmcp", "tower", "tool-cli", "tool-http", "tool-mcp"]
    {
        assert!(!found.contains(name), "`tool-core` depends on `{name}`");
    }
}

/// Returns the dependencies of each locked package by name, merging versions.
fn locked() -> &'static BTreeMap<String, Vec<String>> {
    static LOCKED: std::sync::LazyLock<BTreeMap<String, Vec<String>>> = std::sync::LazyLock::new(|| {
        let lock = workspace::toml("Cargo.lock");
        let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in lock["package"].as_array().unwrap() {
            let dependencies = package.get("dependencies").and_then(|list| list.as_array());
            let names = dependencies.into_iter().flatten().filter_map(|name| {
                // `name`, or `name version` if there are several.
                name.as_str()?.split(' ').next().map(str::to_owned)
            });
            packages.entry(package["name"].as_str().unwrap().to_owned()).or_default().extend(names);
        }
        packages
    });
    &LOCKED
}

#[test]
fn every_foreign_crate_stands_in_the_workspace_once() {
    for package in workspace::members() {
        let manifest = workspace::toml(&package.manifest_path);
        let targets = manifest.get("target").and_then(|targets| targets.as_table());
        let tables = targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
        for table in tables.chain([&manifest]) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                for (name, value) in table.get(kind).and_then(|kind| kind.as_table()).into_iter().flatten() {
                    let is = |key: &str| value.get(key).is_some();
                    assert!(
                        is("workspace") || is("path"),
                        "`{}` names a version of `{name}`: it belongs into `[workspace.dependencies]`",
                        package.name
                    );
                }
            }
        }
    }
}

#[test]
fn the_dependencies_of_the_workspace_are_sorted() {
    let manifest = workspace::read("Cargo.toml");
    let section = manifest.split("\n[workspace.dependencies]\n").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    for paragraph in section.split("\n\n") {
        let names: Vec<&str> = paragraph
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(names.is_sorted(), "not sorted: {names:?}");
    }
}

// The registration mechanism must be easy to replace.
#[test]
fn inventory_is_named_in_one_file() {
    let files = workspace::sources(workspace::member("tool-core"));
    let naming = files.iter().filter(|file| names(workspace::read(file).parse().unwrap(), "inventory"));
    let naming: Vec<_> = naming.map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(naming, ["registration.rs"]);
}

/// Returns `true` if a word occurs in code, outside of comments and strings.
fn names(code: TokenStream, word: &str) -> bool {
    code.into_iter().any(|token| match token {
        TokenTree::Group(group) => names(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
