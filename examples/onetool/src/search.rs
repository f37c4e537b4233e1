//! A web search service on this machine: a ranked index over a small web of pages, which it serves as well.

mod client;
mod corpus;
mod index;
mod page;
mod service;

pub use client::{Search, SearchError};
pub use index::Hit;
pub use service::{Running, Service};
