//! A local web search service: a ranked index of pages, which it serves as well.

mod client;
mod corpus;
mod index;
mod page;
mod service;

pub use client::{Search, SearchError};
pub use index::Hit;
pub use service::{Running, Service};
