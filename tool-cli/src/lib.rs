#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod app;
mod arguments;
mod atomic_file;
mod cli;
mod complete;
mod discovery;
mod dispatch;
mod elicitation;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod identity;
mod info;
#[cfg(feature = "install")]
mod install;
mod interrupt;
mod lint;
mod list;
mod lock;
mod man;
mod markdown;
mod openapi;
mod progress;
#[cfg(feature = "publish")]
mod publish;
mod run;
mod schema;
mod schema_text;
mod secret_input;
mod serve;
mod skeleton;
mod streams;
mod style;
mod table;
#[cfg(feature = "tasks")]
mod task;
mod terminal;
pub mod testing;
mod yaml;

pub use app::App;
pub use identity::into_identity::IntoIdentity;
#[cfg(feature = "publish")]
pub use publish::package::Package;
pub use serve::Server;
pub use streams::{Buffer, Streams};
pub use tool_core::adapter::{ServeError, ServeOptions};
