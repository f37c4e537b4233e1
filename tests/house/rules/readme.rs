//! Checks that the files and commands of the README of the examples exist.

use std::collections::BTreeSet;

use crate::workspace;

/// Returns the rows of the table of systems: a link to the example, and a command.
fn systems(readme: &str) -> Vec<(&str, &str)> {
    let (_, section) = readme.split_once("## Five systems").expect("the table of systems");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, _, example, command] = cells[..] else { panic!("{row}") };
        (example, command)
    })
    .collect()
}

#[test]
fn each_of_the_five_systems_has_its_example_and_the_command_that_runs_it() {
    let readme = workspace::read("examples/README.md");
    let systems = systems(&readme);
    let mut packages = BTreeSet::new();
    for (example, command) in &systems {
        let (name, link) = example.trim_start_matches("[`").split_once("`](").expect(example);
        let link = link.trim_end_matches(')');
        assert_eq!(link, format!("{name}/README.md"));
        assert!(workspace::read(format!("examples/{link}")).contains(name), "{link} says nothing of itself");
        assert!(command.contains(&format!("cargo run -p {name} -- ")), "{command}");
        // Every file in a command must exist.
        let words = command.trim_matches('`').split([' ', '=', '@']);
        for file in words.filter(|word| word.starts_with("examples/")) {
            workspace::read(file);
        }
        packages.insert(workspace::member(name).name.clone());
    }
    assert_eq!((systems.len(), packages.len()), (5, 5));
}
