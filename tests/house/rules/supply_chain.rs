//! What the workspace depends on: licenses, sources and bans of `deny.toml`, and the table of `docs/dependencies.md`.
//!
//! `cargo xtask deny` checks the same with `cargo-deny`, for every platform. Here, licenses are those of packages for this platform.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package, TargetKind};
use spdx::{Expression, Licensee, ParseMode};

use crate::workspace::{self, LIBRARIES};

/// Every package that is built here, with all features.
static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    let platform = format!("--filter-platform={}", host());
    let mut command = MetadataCommand::new();
    command.manifest_path(workspace::root().join("Cargo.toml")).features(CargoOpt::AllFeatures);
    command.other_options(["--locked".to_owned(), platform]).exec().unwrap()
});

/// Returns the platform of the compiler.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).args(["--print", "host-tuple"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// The rules of `deny.toml`.
struct Rules {
    /// The licenses that any package may have.
    allowed: Vec<Licensee>,
    /// Further licenses of single packages.
    exceptions: BTreeMap<String, Vec<Licensee>>,
    /// The licenses of packages whose manifest names none.
    clarified: BTreeMap<String, String>,
    /// The packages that must not be locked.
    banned: BTreeSet<String>,
    /// The registries that packages may come from.
    registries: BTreeSet<String>,
}

impl Rules {
    fn read(file: &toml::Table) -> Self {
        let licenses = &file["licenses"];
        let tables = |key: &str| licenses.get(key).and_then(|it| it.as_array()).into_iter().flatten();
        let name = |table: &toml::Value| table["crate"].as_str().unwrap().to_owned();
        Self {
            allowed: licensees(&licenses["allow"]),
            exceptions: tables("exceptions").map(|it| (name(it), licensees(&it["allow"]))).collect(),
            clarified: tables("clarify")
                .map(|it| (name(it), it["expression"].as_str().unwrap().to_owned()))
                .collect(),
            banned: file["bans"]["deny"].as_array().unwrap().iter().map(name).collect(),
            registries: words(&file["sources"]["allow-registry"]).map(str::to_owned).collect(),
        }
    }

    /// Returns what is wrong with the license of a package.
    fn license_fault(&self, package: &Package) -> Option<String> {
        let name = package.name.as_str();
        let clarified = || self.clarified.get(name).map(String::as_str);
        let Some(stated) = package.license.as_deref().or_else(clarified) else {
            return Some(format!("`{name}` states no license"));
        };
        let expression = match Expression::parse_mode(stated, ParseMode::LAX) {
            Ok(expression) => expression,
            Err(error) => return Some(format!("the license of `{name}` cannot be read: {error}")),
        };
        let exceptions = self.exceptions.get(name).into_iter().flatten();
        let allowed: Vec<&Licensee> = self.allowed.iter().chain(exceptions).collect();
        let is_allowed =
            expression.evaluate(|requirement| allowed.iter().any(|license| license.satisfies(requirement)));
        (!is_allowed).then(|| format!("the license of `{name}` is not allowed: {stated}"))
    }

    /// Returns what is wrong with a locked package.
    fn lock_fault(&self, name: &str, source: Option<&str>) -> Option<String> {
        if self.banned.contains(name) {
            return Some(format!("`{name}` is banned"));
        }
        // A package of this repository has no source.
        let source = source?;
        let is_allowed =
            source.strip_prefix("registry+").is_some_and(|registry| self.registries.contains(registry));
        (!is_allowed).then(|| format!("`{name}` comes from {source}"))
    }
}

fn words(list: &toml::Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap())
}

fn licensees(list: &toml::Value) -> Vec<Licensee> {
    words(list).map(|word| Licensee::parse(word).unwrap_or_else(|error| panic!("{word}: {error}"))).collect()
}

#[test]
fn every_package_has_an_allowed_license() {
    let rules = Rules::read(&workspace::toml("deny.toml"));
    let found: Vec<String> =
        METADATA.packages.iter().filter_map(|package| rules.license_fault(package)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn packages_come_from_crates_io_and_none_is_banned() {
    let rules = Rules::read(&workspace::toml("deny.toml"));
    let lock = workspace::toml("Cargo.lock");
    let found = lock["package"].as_array().unwrap().iter().filter_map(|package| {
        let source = package.get("source").and_then(|source| source.as_str());
        rules.lock_fault(package["name"].as_str().unwrap(), source)
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn exceptions_are_for_examples_and_tests_only() {
    let rules = Rules::read(&workspace::toml("deny.toml"));
    let published = published();
    assert!(published.contains("serde_core"), "what the dependencies depend on is not found: {published:?}");
    let found: Vec<&String> =
        rules.exceptions.keys().filter(|name| published.contains(name.as_str())).collect();
    assert!(found.is_empty(), "a published crate depends on {found:?}");
}

/// Returns the names of all packages that published crates are built from, with all features.
fn published() -> BTreeSet<&'static str> {
    let names: BTreeMap<_, _> =
        METADATA.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    let nodes: BTreeMap<_, _> =
        METADATA.resolve.as_ref().unwrap().nodes.iter().map(|node| (&node.id, node)).collect();
    let mut next: Vec<_> = nodes.keys().copied().filter(|id| LIBRARIES.contains(&names[id])).collect();
    let mut found = BTreeSet::new();
    while let Some(id) = next.pop() {
        if found.insert(id) {
            let used = nodes[id].deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
            });
            next.extend(used.map(|dependency| &dependency.pkg));
        }
    }
    found.into_iter().map(|id| names[id]).collect()
}

#[test]
fn the_rules_refuse_what_they_must() {
    let rules = Rules::read(&workspace::toml("deny.toml"));
    let with_license = |license: Option<&str>| {
        let mut package = workspace::member("tool-core").clone();
        package.license = license.map(str::to_owned);
        rules.license_fault(&package)
    };
    for license in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND ISC"] {
        assert_eq!(with_license(Some(license)), None, "{license}");
    }
    for license in ["GPL-3.0", "MIT AND GPL-3.0", "MPL-2.0", "AGPL-3.0-only", "Ours"] {
        assert!(with_license(Some(license)).is_some(), "{license}");
    }
    assert!(with_license(None).is_some());
    let crates_io = Some("registry+https://github.com/rust-lang/crates.io-index");
    assert_eq!(rules.lock_fault("serde", crates_io), None);
    assert_eq!(rules.lock_fault("tool-core", None), None);
    for banned in ["openssl-sys", "native-tls", "aws-lc-sys", "aws-lc-rs"] {
        assert!(rules.lock_fault(banned, crates_io).is_some(), "{banned}");
    }
    for source in ["git+https://example.org/serde", "registry+https://example.org/index"] {
        assert!(rules.lock_fault("serde", Some(source)).is_some(), "{source}");
    }
}

// Whoever depends on a library of ours runs its build script.
#[test]
fn no_package_of_ours_has_a_build_script() {
    let scripts = workspace::members().filter(|package| runs_a_script(package));
    let scripts: Vec<&str> = scripts.map(|package| package.name.as_str()).collect();
    assert!(scripts.is_empty(), "with a build script: {scripts:?}");
}

fn runs_a_script(package: &Package) -> bool {
    package.targets.iter().any(|target| target.kind.contains(&TargetKind::CustomBuild))
}

/// A row of the table: which crates of ours depend on it, and what of it runs when it is built.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    used_by: BTreeSet<String>,
    at_build: Option<String>,
}

#[test]
fn the_table_of_dependencies_is_complete() {
    let page = workspace::read("docs/dependencies.md");
    let (listed, expected) = (listed(&page), expected());
    let names = |rows: &BTreeMap<String, Row>| rows.keys().cloned().collect::<BTreeSet<_>>();
    let (of_the_page, of_the_manifests) = (names(&listed), names(&expected));
    let missing: Vec<_> = of_the_manifests.difference(&of_the_page).collect();
    let superfluous: Vec<_> = of_the_page.difference(&of_the_manifests).collect();
    assert!(
        missing.is_empty() && superfluous.is_empty(),
        "missing {missing:?}, no longer used {superfluous:?}"
    );
    for (name, row) in &listed {
        let actual = &expected[name];
        assert_eq!(row.used_by, actual.used_by, "which crates depend on `{name}`");
        // A package for another platform is not here to be looked at.
        if actual.at_build.is_some() {
            assert_eq!(row.at_build, actual.at_build, "what of `{name}` runs when it is built");
        }
    }
}

/// Returns the rows of the page by package. Each row has a reason and what was looked at.
fn listed(page: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, used_by, reason, at_build, looked_at] = cells[..] else {
            panic!("not five cells: {line}")
        };
        assert!(reason.contains(' ') && looked_at.contains(' '), "no reason, or nothing looked at: {line}");
        let used_by = used_by.split(", ").map(|name| format!("tool-{name}")).collect();
        let row = Row { used_by, at_build: Some(at_build.to_owned()) };
        let name = name.trim_matches('`').to_owned();
        assert_eq!(rows.insert(name, row), None, "listed twice: {line}");
    }
    rows
}

/// Returns the rows that the manifests of the published crates ask for.
fn expected() -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::<String, Row>::new();
    for library in LIBRARIES {
        for dependency in &workspace::member(library).dependencies {
            let is_foreign = !workspace::is_member(&dependency.name);
            if is_foreign && dependency.kind != DependencyKind::Development {
                let at_build = || at_build(&dependency.name, &dependency.req);
                let row = rows
                    .entry(dependency.name.clone())
                    .or_insert_with(|| Row { used_by: BTreeSet::new(), at_build: at_build() });
                row.used_by.insert(library.to_owned());
            }
        }
    }
    rows
}

/// Returns what of a package runs when it is built, if the package is one for this platform.
fn at_build(name: &str, required: &cargo_metadata::semver::VersionReq) -> Option<String> {
    let package = METADATA.packages.iter().find(|it| it.name == name && required.matches(&it.version))?;
    let is_macro = package.targets.iter().any(cargo_metadata::Target::is_proc_macro);
    let what = match (runs_a_script(package), is_macro) {
        (true, _) => "script",
        (false, true) => "macro",
        (false, false) => "nothing",
    };
    Some(what.to_owned())
}
