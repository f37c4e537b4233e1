//! Clients' bytes against real servers: HTTP and stdio, both eras of the protocol.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

#[path = "../../examples/fixture/tools.rs"]
#[allow(missing_docs, unreachable_pub, reason = "shared with the example")]
mod tools;

#[path = "../../examples/thousand/tools.rs"]
#[allow(missing_docs, unreachable_pub, reason = "shared with the example")]
mod thousand;

mod asking;
mod beside;
mod callers;
mod calls;
mod changes;
mod child;
mod early;
mod http;
mod identity;
mod lifetime;
mod list;
mod logging;
mod progress;
mod prompts;
mod protocol;
mod providers;
mod results;
mod stdio;
mod support;
mod surfaces;
mod two_step;
mod updates;
mod written;
