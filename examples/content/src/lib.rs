#![doc = include_str!("../README.md")]

use std::time::Duration;

use tool_core::layer::RateLimit;
use tool_core::results::ResultStore;
use tool_core::{BuildErrors, Principal, Registry, RegistryBuilder};

pub mod archive;
pub mod component;
pub mod issuer;
pub mod model;
pub mod preview;
pub mod render;
pub mod role;
pub mod settings;
pub mod site;
mod texts;
pub mod tokens;
pub mod tools;

pub use component::{Component, ComponentHelp};
pub use model::{Langcode, Node, NodeId, NodeKind, Revision, Translation};
pub use role::Role;
pub use settings::{Settings, SigningKey};
pub use site::{Site, SiteError, SiteReader, SiteWriter};

/// Builds the registry of this example, over this site.
///
/// # Errors
///
/// When the registry cannot be built.
///
/// ```
/// use content::{Settings, Site};
///
/// let registry = content::registry(Site::at("museum.sqlite"), Settings::default())?;
/// assert!(registry.get("get_node").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn registry(site: Site, settings: Settings) -> Result<Registry, BuildErrors> {
    builder(site, settings).build()
}

/// Returns a builder of the registry, for example to make it read-only or to set the local user.
///
/// By default, the local user is anonymous, with the permissions of a visitor.
///
/// ```
/// use content::{Settings, Site};
///
/// let builder = content::builder(Site::at("museum.sqlite"), Settings::default());
/// assert!(builder.read_only().build()?.get("delete_node").is_none());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn builder(site: Site, settings: Settings) -> RegistryBuilder {
    builder_with_results(site, settings, &ResultStore::memory())
}

/// Returns a builder as [`builder`] does, which keeps archives in this store.
///
/// ```
/// use content::{Settings, Site};
/// use tool_core::results::ResultStore;
///
/// let site = Site::at("museum.sqlite");
/// let builder = content::builder_with_results(site, Settings::default(), &ResultStore::memory());
/// assert!(builder.build()?.get("export_site").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn builder_with_results(site: Site, settings: Settings, results: &ResultStore) -> RegistryBuilder {
    let visitor = Role::Visitor.permissions().iter().copied().fold(Principal::local(), Principal::grant);
    let builder = Registry::builder().linked().expect_crate("content").local(visitor);
    // Only archives are kept: every other result is small enough to be shown.
    builder.state(site).state(settings).state(results.clone()).storing(results.for_tools(|_| false))
}

/// Returns a limit on how often each user may publish in an hour.
///
/// # Panics
///
/// If `calls` is 0.
///
/// ```
/// use content::{Settings, Site};
///
/// let builder = content::builder(Site::at("museum.sqlite"), Settings::default());
/// let registry = builder.layer(content::publishing_limit(10)).build()?;
/// # drop(registry);
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn publishing_limit(calls: u32) -> RateLimit {
    RateLimit::new(calls, Duration::from_secs(3600))
        .select(|request| request.definition().tags().any(|tag| tag == "publishing"))
}
