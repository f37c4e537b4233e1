//! Raw client messages against real servers, over HTTP and stdio, in both eras of the protocol.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

#[path = "../../examples/fixture/tools.rs"]
#[allow(missing_docs, unreachable_pub, reason = "shared with the example")]
mod tools;

#[path = "../../examples/thousand/tools.rs"]
#[allow(missing_docs, unreachable_pub, reason = "shared with the example")]
mod thousand;

mod access;
mod authentication;
mod calls;
mod changes;
mod child;
mod clients;
mod context;
mod custom;
mod edge;
mod elicitation;
mod http;
mod lifetime;
mod limits;
mod list;
mod logging;
mod progress;
mod prompts;
mod protocol;
mod providers;
mod response_mode;
mod results;
mod rmcp_cases;
mod stdio;
mod support;
mod surfaces;
#[cfg(feature = "tasks")]
mod task_engine;
#[cfg(feature = "tasks")]
mod tasks;
mod tool_search;
mod ui;
mod updates;
