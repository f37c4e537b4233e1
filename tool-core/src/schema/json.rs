//! JSON: strict parsing, error paths, patches and the canonical form.

pub(crate) mod canonical;
pub(crate) mod children;
pub(crate) mod error_path;
pub(crate) mod integers;
pub(crate) mod object_members;
pub(crate) mod parse;
pub(crate) mod patch;
pub(crate) mod pointer;
pub(crate) mod size;
pub(crate) mod string;
