//! Rules of the workspace that the compiler does not check: dependencies, imports, names, public interfaces and packages.

mod dependencies;
mod floors;
mod interfaces;
mod names;
mod packages;
mod publishing;
mod readme;
mod robustness;
mod security;
mod sizes;
mod supply_chain;
mod telemetry;
mod test_names;

/// A file without its `mod` is not compiled, and nothing would say so.
#[test]
fn every_file_of_rules_is_a_module() {
    let entries = std::fs::read_dir(crate::workspace::root().join("tests/house/rules")).unwrap();
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> =
        files.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect();
    files.sort();
    let source = include_str!("rules.rs");
    let modules = source.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(files, modules.collect::<Vec<_>>());
}
