#![doc = include_str!("../README.md")]

mod answer;
mod catalogue;
mod envelope;
mod error;
mod handler;
mod http;
mod offer;
mod page;
mod reading;
mod routes;
mod server;
mod settings;
mod signature;
mod stdio;
mod surfaces;
mod uri;

pub use error::ServeError;
pub use http::HttpServer;
pub use server::Server;
pub use surfaces::{Surfaces, UnknownSurfaces};
