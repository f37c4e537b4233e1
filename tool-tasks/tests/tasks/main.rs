//! The engines pass the tests that an engine must pass, and keep their promises whatever fault happens.

mod child;
mod conforms;
mod faults;
mod kills;
mod points;
mod postgres_server;
mod process;
