//! Rules of the workspace, hygiene of `#[tool]`, and registration at link time.

mod hygiene;
mod linking;
mod locators;
mod rules;
mod workspace;
