#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod app;
mod arguments;
mod asking;
mod catalogue;
mod complete;
mod dispatch;
mod grammar;
mod hidden;
mod identity;
mod info;
mod interrupt;
mod invocation;
mod lint;
mod lock;
mod manual;
mod markdown;
mod outline;
mod page;
mod progress;
mod schema;
mod serve;
mod skeleton;
mod stop;
mod streams;
mod table;
mod terminal;
mod yaml;

pub use app::App;
pub use identity::identified::Identified;
pub use serve::{ServeError, ServeOptions, Server};
pub use streams::{Buffer, Streams};
