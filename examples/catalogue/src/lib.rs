#![doc = include_str!("../README.md")]

mod answer;
pub mod catalogue;
pub mod client;
pub mod demo;
pub mod egress;
pub mod endpoint;
pub mod model;
pub mod secret;
pub mod settings;
pub mod store;
pub mod tools;
mod watch;

pub use catalogue::Catalogue;
pub use client::Client;
pub use egress::Egress;
pub use settings::Settings;
pub use store::Store;
pub use watch::{prepare, watch};

use tool_core::lint::Lint;
use tool_core::{Registry, RegistryBuilder};

/// Returns a builder of the tools that administer a catalogue.
///
/// ```
/// use catalogue::{Client, Egress, Store};
///
/// let registry = catalogue::administration(Store::at("catalogue.sqlite"), Client::new(Egress::public())?).build()?;
/// assert!(registry.get("import_catalogue").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn administration(store: Store, client: Client) -> RegistryBuilder {
    Registry::builder().linked().expect_crate("catalogue").state(store).state(client)
}

/// Returns the lint configuration of this example. No model reads the administration tools, so they may be longer.
///
/// ```
/// use catalogue::{Client, Egress, Store};
///
/// let registry = catalogue::administration(Store::at("catalogue.sqlite"), Client::new(Egress::public())?).build()?;
/// assert!(catalogue::lint().run(&registry).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lint() -> Lint {
    Lint::default().tool_tokens(1200).registry_tokens(usize::MAX)
}
