//! The tools of a running service, as it lists them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::definition::promise::Promise;
use crate::lock::difference::{Difference, DifferenceKind};
use crate::model::task::TaskSupport;

/// A tool in the list of a service. A list does not have everything that a tool promises.
#[derive(Deserialize)]
struct ListedTool {
    name: String,
    digest: String,
    task: Option<ListedTask>,
    #[serde(flatten)]
    promise: Map<String, Value>,
}

#[derive(Deserialize)]
struct ListedTask {
    support: TaskSupport,
}

/// The tools of a service.
pub(super) struct Service {
    pub(super) tools: BTreeMap<String, Promise>,
    /// The tools whose digest is not that of their promise.
    incomplete: Vec<String>,
}

impl Service {
    /// Reads a list. What it does not have of a tool is taken from `newer`, where the digest of the tool allows it.
    pub(super) fn read(list: &str, newer: &BTreeMap<String, Promise>) -> Result<Self, serde_json::Error> {
        let mut service = Service { tools: BTreeMap::new(), incomplete: Vec::new() };
        for ListedTool { name, digest, task, promise } in serde_json::from_str::<Vec<ListedTool>>(list)? {
            let mut shown: Promise = serde_json::from_value(promise.into())?;
            shown.task = task.map(|task| task.support);
            let shown = shown.normal();
            let namesake = newer.get(&name);
            let mut found = candidates(&shown, namesake);
            let complete = found.find(|promise| promise.digest(&name).to_string() == digest);
            if complete.is_none() {
                service.incomplete.push(name.clone());
            }
            let likeliest = complete.or_else(|| candidates(&shown, namesake).next());
            service.tools.extend(likeliest.map(|promise| (name, promise)));
        }
        Ok(service)
    }

    /// Returns the differences that the list does not show, for the tools that are in the newer lock as well.
    pub(super) fn undecided(&self, newer: &BTreeMap<String, Promise>) -> impl Iterator<Item = Difference> {
        let common = self.incomplete.iter().filter(|name| newer.contains_key(*name));
        common.map(|name| {
            let text =
                "its digest is another, and a list does not show why: compare with the lock of the service";
            Difference::new(DifferenceKind::Undecided, name, "", text)
        })
    }
}

/// A member that a list may lack: copies it from one promise to another.
type HiddenMember = fn(&Promise, &mut Promise);

const HIDDEN: [HiddenMember; 9] = [
    |from, to| to.alias.clone_from(&from.alias),
    |from, to| to.guarded = from.guarded,
    |from, to| to.locators.clone_from(&from.locators),
    |from, to| {
        // Not listed if a result may be replaced by an excerpt.
        if to.output_schema.is_none() {
            to.output_schema.clone_from(&from.output_schema);
        }
    },
    |from, to| to.path.clone_from(&from.path),
    |from, to| to.requires = from.requires,
    |from, to| to.returns = from.returns,
    |from, to| {
        // Not listed without an engine.
        if to.task.is_none() {
            to.task = from.task;
        }
    },
    |from, to| to.ui.clone_from(&from.ui),
];

/// Returns what a listed tool may promise: with all hidden members of its namesake, with all but one, and with none.
fn candidates<'p>(shown: &'p Promise, namesake: Option<&'p Promise>) -> impl Iterator<Item = Promise> + 'p {
    let completed = move |namesake: &'p Promise| {
        (0..=HIDDEN.len()).rev().map(move |without| {
            let mut promise = shown.clone();
            let members = HIDDEN.iter().enumerate().filter(|(index, _)| *index != without);
            members.for_each(|(_, copy)| copy(namesake, &mut promise));
            promise
        })
    };
    namesake.into_iter().flat_map(completed).chain([shown.clone()])
}
