#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod setters;

mod call_notifications;
#[cfg(test)]
mod captured_log;
mod catalog;
mod changes;
mod clock;
mod custom;
#[cfg(test)]
#[path = "../tests/differential/mod.rs"]
mod differential;
mod discovery;
mod elicitation;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod handlers;
mod http;
mod logging;
mod paging;
mod prompts_file;
mod protocol;
mod render;
mod resource_metadata;
mod server;
mod session_store;
mod settings;
mod signature;
mod stdio;
mod surfaces;
mod sync;
pub mod testing;
mod tool_search;
mod updates;
#[cfg(feature = "upstream")]
pub mod upstream;

pub use changes::Changes;
pub use custom::{DynamicPrompt, DynamicResource, DynamicTemplate, Icon, IconTheme, PromptArgument, Request};
pub use discovery::Discovery;
pub use error::ServeError;
pub use http::HttpServer;
pub use prompts_file::PromptsFile;
#[cfg(feature = "prompts-file")]
pub use prompts_file::PromptsFileError;
pub use resource_metadata::resource_metadata;
pub use server::Server;
pub use session_store::{SessionStore, SessionStoreError, StoredSession};
pub use surfaces::{Surfaces, UnknownSurfaces};
pub use updates::{Update, Updates};

#[doc = include_str!("../docs/coming-from-rmcp.md")]
pub mod coming_from_rmcp {}
