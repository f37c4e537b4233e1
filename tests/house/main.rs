//! The rules of the house, the hygiene of `#[tool]`, and what the linker makes of it.

mod hygiene;
mod linking;
mod locators;
mod rules;
mod workspace;
