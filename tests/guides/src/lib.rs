//! The guides in `docs/src`: every block of Rust is a test of the documentation of this crate.
//!
//! `telemetry.md` is one of `examples/telemetry`, which has its dependencies. `tests/pages.rs` finds a page that is missing here.

#![cfg(doctest)]

/// Compiles and runs the code of pages.
macro_rules! pages {
    ($($name:ident: $file:literal,)*) => {
        $(#[doc = include_str!(concat!("../../../docs/src/", $file))]
        struct $name;)*
    };
}

pages! {
    Start: "start.md",
    Axum: "axum.md",
    Access: "access.md",
    Callers: "callers.md",
    Errors: "errors.md",
    LongWork: "long-work.md",
    Testing: "testing.md",
    Deploying: "deploying.md",
    ComingFrom: "coming-from.md",
    WhereToolsComeFrom: "where-tools-come-from.md",
    Tuning: "tuning.md",
    Options: "options.md",
}
