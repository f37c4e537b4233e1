//! The core as an application sees it: declared functions, called through the registry.

mod access;
mod agreement;
mod arguments;
mod asking;
mod attributes;
mod audit;
mod circles;
mod completion;
mod data;
mod digests;
mod dynamic;
mod extensions;
mod failures;
mod foreign;
mod formats;
mod guards;
mod hostile;
mod injection;
mod inputs;
mod joined;
mod leniency;
mod limits;
mod lint;
mod lock;
mod logging;
mod long;
mod methods;
mod mutual;
mod nested;
mod options;
mod outputs;
mod patterns;
mod profiles;
mod progress;
mod providers;
mod questions;
mod registry;
mod resources;
mod robustness;
mod schemas;
mod search;
mod spans;
mod surfaces;
mod testing;
mod variants;
mod verdicts;
mod within;
mod written;

use tool_core::schema::Leniency;
use tool_core::{Registry, RegistryBuilder};

/// A registry with the tools of one module of this test.
fn tools_of(module: &'static str) -> Registry {
    builder_of(module).build().unwrap()
}

/// The tools and prompts of one module of this test, not built yet.
fn builder_of(module: &'static str) -> RegistryBuilder {
    let builder = Registry::builder().linked().select(move |tool| tool.source().module == module);
    builder.select_prompts(move |prompt| prompt.source().module == module)
}

/// The same as [`tools_of`], taking every argument as it was given.
fn strict_tools_of(module: &'static str) -> Registry {
    builder_of(module).leniency(Leniency::Strict).build().unwrap()
}
