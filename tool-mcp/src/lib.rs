#![doc = include_str!("../README.md")]

mod answer;
mod catalogue;
mod envelope;
mod error;
mod handler;
mod http;
mod server;
mod stdio;

pub use error::ServeError;
pub use http::HttpServer;
pub use server::Server;
