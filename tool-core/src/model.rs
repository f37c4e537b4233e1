//! Types that all layers share: callers, operations, outputs, failures, digests.

pub(crate) mod access;
pub(crate) mod audit_kind;
#[cfg(feature = "http")]
pub(crate) mod authentication;
pub(crate) mod call_id;
pub(crate) mod catch_panic;
pub(crate) mod content;
pub(crate) mod digest;
pub(crate) mod extensions;
pub(crate) mod failure;
pub(crate) mod future;
pub(crate) mod lock;
pub(crate) mod meta;
pub(crate) mod names;
pub(crate) mod operation;
pub(crate) mod output;
pub(crate) mod permission;
pub(crate) mod prompt;
pub(crate) mod recent;
pub(crate) mod serve;
pub(crate) mod setters;
pub(crate) mod task;
pub(crate) mod telemetry;
pub(crate) mod trace;
pub(crate) mod ui;
