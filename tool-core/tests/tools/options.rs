//! Options of `#[tool]` and `#[arg]`, as a registry exposes them.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{Unmet, tool};

use crate::builder_of;

struct Store(Vec<String>);

fn is_open() -> Result<(), Unmet> {
    Ok(())
}

fn has_ids(store: &Store) -> Result<(), Unmet> {
    if store.0.is_empty() { Err(Unmet::new("put something in")) } else { Ok(()) }
}

fn ids(typed: &str, store: &Store) -> Vec<String> {
    store.0.iter().filter(|id| id.starts_with(typed)).cloned().collect()
}

const LONGEST: usize = 8;

/// Reads a node.
#[tool(
    operation = Read,
    permission = all("node.view", "node.read"),
    requires = [is_open, has_ids],
    tags = ["nodes", "content"],
    path = "node/{id}/{revision}",
    timeout = "1500ms",
    cache = "2m",
    alias = "old.node"
)]
#[deprecated(since = "1.2.0", note = "read `nodes`")]
async fn node(
    #[arg(locator, complete = ids, length(min = 1, max = LONGEST), pattern = "^[a-z][0-9]*$")] id: String,
    #[arg(locator, rename = "revision", range(min = 1))] number: u32,
) -> String {
    format!("{id}/{number}")
}

/// Reads the nodes.
#[tool(operation = Read, permission = any("a", "b"), timeout = "1h", blocking, path = "nodes")]
#[deprecated = "no more"]
fn nodes() {}

const LEAST: f64 = -0.5;

/// Computes.
#[tool(operation = Transform)]
#[deprecated]
fn compute(
    #[arg(range(min = LEAST, max = 2.5))] share: f64,
    #[arg(range(min = i64::MIN, max = -1))] below: i64,
    #[arg(secret)] token: String,
    #[arg(header = "Region")] region: Option<String>,
) -> f64 {
    let _ = (below, token, region);
    share
}

fn custom_schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}})
}

/// Has a custom schema.
#[tool(operation = Transform, schema = custom_schema())]
fn handmade(n: u8) -> u8 {
    n
}

#[test]
fn exposes_declared_options() {
    let registry = builder_of(module_path!()).state(Store(vec!["n1".to_owned()])).build().unwrap();
    let node = registry.get("node").unwrap();
    assert_eq!(node.permission().unwrap().to_string(), "all(node.view, node.read)");
    assert_eq!(node.tags().collect::<Vec<_>>(), ["nodes", "content"]);
    assert_eq!(node.path(), Some("node/{id}/{revision}"));
    assert_eq!(node.timeout(), Some(Duration::from_millis(1500)));
    assert_eq!(node.cache(), Some(Duration::from_secs(120)));
    assert_eq!(node.alias(), Some("old.node"));
    let deprecated = node.deprecated().unwrap();
    assert_eq!((deprecated.since, deprecated.note), (Some("1.2.0"), Some("read `nodes`")));
    let nodes = registry.get("nodes").unwrap();
    assert_eq!(nodes.permission().unwrap().to_string(), "any(a, b)");
    assert_eq!(nodes.timeout(), Some(Duration::from_secs(3600)));
    let deprecated = nodes.deprecated().unwrap();
    assert_eq!((deprecated.since, deprecated.note), (None, Some("no more")));
    let deprecated = registry.get("compute").unwrap().deprecated().unwrap();
    assert_eq!((deprecated.since, deprecated.note), (None, None));
    assert!(registry.get("handmade").unwrap().deprecated().is_none());
}

#[test]
fn requires_state_of_requirements() {
    let error = builder_of(module_path!()).build().unwrap_err();
    assert!(error.to_string().contains("Store"), "{error}");
}
