//! Tools declared as functions, called through the registry.

mod access;
mod agreement;
mod arguments;
mod async_completion;
mod async_injection;
mod attributes;
mod audit;
mod callers;
mod completion;
mod content;
mod custom_schemas;
mod deadlocks;
mod definition_fuzz;
mod digests;
mod dynamic;
mod elicitation;
mod extensions;
mod failures;
mod formats;
mod guards;
mod hostile;
mod injection;
mod inputs;
mod joined;
mod json_definitions;
mod layers;
mod lazy_state;
mod leniency;
mod limits;
mod lint;
mod lock;
mod logging;
mod long_validation;
mod metadata;
mod methods;
mod mutual_recursion;
mod nested;
mod nested_limits;
mod options;
mod outputs;
mod patterns;
mod profiles;
mod progress;
mod providers;
mod query_arguments;
mod registry;
mod resources;
mod robustness;
mod schemas;
mod search;
mod search_quality;
mod spans;
mod surfaces;
mod tasks;
mod testing;
mod validation_limits;
mod variants;

use tool_core::schema::Leniency;
use tool_core::{Registry, RegistryBuilder};

/// Returns a registry with the tools of one module of this test.
fn tools_of(module: &'static str) -> Registry {
    builder_of(module).build().unwrap()
}

/// Returns a builder with the tools and prompts of one module of this test.
fn builder_of(module: &'static str) -> RegistryBuilder {
    let builder = Registry::builder().linked().select(move |tool| tool.source().module == module);
    builder.select_prompts(move |prompt| prompt.source().module == module)
}

/// Like [`tools_of`], without coercion of arguments.
fn strict_tools_of(module: &'static str) -> Registry {
    builder_of(module).leniency(Leniency::Strict).build().unwrap()
}
