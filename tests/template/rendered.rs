//! A template of `cargo generate`: its question, and its files as that program renders them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use liquid::ParserBuilder;
use toml::{Table, Value};

/// A folder with `cargo-generate.toml`.
pub(crate) struct Template {
    settings: Table,
    files: BTreeMap<PathBuf, String>,
}

impl Template {
    pub(crate) fn read(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(folder, Path::new(""), &mut files);
        let settings = files.remove(Path::new("cargo-generate.toml")).unwrap();
        Self { settings: settings.parse().unwrap(), files }
    }

    /// Returns the answers that the question takes.
    pub(crate) fn choices(&self) -> Vec<String> {
        let choices = self.settings["placeholders"]["interfaces"]["choices"].as_array().unwrap();
        choices.iter().map(|choice| choice.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the files of an application with this name.
    pub(crate) fn rendered(&self, interfaces: &str, name: &str) -> BTreeMap<PathBuf, String> {
        let parser = ParserBuilder::with_stdlib().build().unwrap();
        let values = liquid::object!({
            "project-name": name,
            "crate_name": name.replace('-', "_"),
            "interfaces": interfaces,
        });
        let ignored = self.ignored(interfaces);
        let kept = self.files.iter().filter(|(path, _)| !ignored.contains(path));
        let render = |text| parser.parse(text).and_then(|template| template.render(&values));
        kept.map(|(path, text)| {
            (path.clone(), render(text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect()
    }

    /// Returns the files that the template leaves out for this answer. Its conditions are all of the form `interfaces == "…"`.
    fn ignored(&self, interfaces: &str) -> Vec<PathBuf> {
        let Some(Value::Table(conditions)) = self.settings.get("conditional") else { return Vec::new() };
        let mut ignored = Vec::new();
        for (condition, settings) in conditions {
            let answer = condition.strip_prefix("interfaces == \"").and_then(|rest| rest.strip_suffix('"'));
            if answer.unwrap_or_else(|| panic!("{condition}")) == interfaces {
                let files = settings["ignore"].as_array().unwrap();
                ignored.extend(files.iter().map(|file| PathBuf::from(file.as_str().unwrap())));
            }
        }
        ignored
    }
}

fn collect(folder: &Path, below: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            collect(folder, &path, files);
        } else {
            files.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}
