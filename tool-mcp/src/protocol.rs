//! The protocol, whatever carries it: messages, sessions, and the answer to each request.

mod context;
mod dispatch;
mod era;
mod errors;
mod in_flight;
mod message;
mod outbox;
mod response;
mod server_requests;
mod session;
mod subscription;
mod watched;

pub(crate) use context::{Origin, RequestContext};
pub(crate) use era::Era;
pub(crate) use errors::{resource_not_found, shortened, shutting_down};
pub(crate) use in_flight::RequestGuard;
pub(crate) use message::{
    CallParams, Message, Params, Rejection, Request, in_flight, read, request_id, too_many,
};
pub(crate) use outbox::{Closed, Outbox, Outgoing};
pub(crate) use response::{ListMembers, Reply, Response, ToolList};
pub(crate) use session::Session;
pub(crate) use subscription::Subscription;
pub(crate) use watched::{MOST_BYTES, MOST_WATCHED};
