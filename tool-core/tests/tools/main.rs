//! The core as an application sees it: declared functions, called through the registry.

mod arguments;
mod outputs;
mod profiles;
mod registry;
mod schemas;

use tool_core::Registry;

/// A registry with the tools of one module of this test.
fn tools_of(module: &'static str) -> Registry {
    Registry::builder().linked().select(move |tool| tool.source().module == module).build().unwrap()
}
