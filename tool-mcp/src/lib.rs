#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod asking;
mod caller;
#[cfg(test)]
mod captured_log;
mod catalogue;
mod changes;
mod clock;
#[cfg(test)]
#[path = "../tests/differential/mod.rs"]
mod differential;
mod discovery;
mod error;
mod handlers;
mod http;
mod logging;
mod news;
mod offer;
mod page;
mod paging;
mod prompts_file;
mod protocol;
mod reading;
mod results;
mod routes;
mod server;
mod settings;
mod signature;
mod stdio;
mod surfaces;
mod two_step;
mod updates;
#[cfg(feature = "upstream")]
pub mod upstream;
mod uri;
mod written;

pub use changes::Changes;
pub use discovery::Discovery;
pub use error::ServeError;
pub use http::HttpServer;
pub use prompts_file::{PromptsFile, PromptsFileError};
pub use server::Server;
pub use surfaces::{Surfaces, UnknownSurfaces};
pub use updates::Updates;
pub use written::{
    DynamicPrompt, DynamicResource, DynamicTemplate, Icon, IconTheme, PromptArgument, Request,
};

#[doc = include_str!("../docs/coming-from-rmcp.md")]
pub mod coming_from_rmcp {}
