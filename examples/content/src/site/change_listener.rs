//! The function that is called after each change, and what changes.

use std::fmt;

use crate::model::{Langcode, NodeId};

type Listener = dyn Fn(&[String]) + Send + Sync;

/// A function that takes the addresses of the resources that changed, or none.
#[derive(Default)]
pub(super) struct ChangeListener(Option<Box<Listener>>);

impl ChangeListener {
    pub(super) fn new(listener: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(listener)))
    }

    /// Calls the function.
    pub(super) fn changed(&self, addresses: &[String]) {
        if let Some(listener) = &self.0 {
            listener(addresses);
        }
    }
}

/// Returns the addresses of the resources that change with a node. The owner is that of a node that is new or deleted.
pub(super) fn addresses(id: NodeId, owner: Option<&str>) -> Vec<String> {
    let mut addresses = vec!["site".to_owned(), format!("node/{id}"), format!("node/{id}/revision")];
    // A translation says whether the node has changed since.
    addresses.extend(Langcode::ALL.map(|langcode| format!("node/{id}/translation/{langcode}")));
    // A user has a number of nodes.
    addresses.extend(owner.map(|owner| format!("user/{owner}")));
    addresses
}

impl fmt::Debug for ChangeListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChangeListener")
    }
}
