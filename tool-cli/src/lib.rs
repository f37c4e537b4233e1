#![doc = include_str!("../README.md")]

mod app;
mod arguments;
mod catalogue;
mod grammar;
mod info;
mod interrupt;
mod invocation;
mod outline;
mod page;
mod schema;
mod serve;
mod stop;
mod streams;

pub use app::App;
pub use serve::{ServeError, ServeOptions, Server};
pub use streams::{Buffer, Streams};
