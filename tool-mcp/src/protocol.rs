//! The protocol, independent of the transport: messages, sessions, and the response to each request.

mod context;
mod dispatch;
mod era;
mod errors;
mod in_flight;
mod message;
mod operation;
mod outbox;
pub(crate) mod param_headers;
mod response;
mod server_requests;
mod session;
mod session_change;
mod subscribed_uris;

pub(crate) use context::{Caller, Origin, RequestContext};
pub(crate) use dispatch::INVALID_CALL;
pub(crate) use era::Era;
pub(crate) use errors::{
    RpcResult, internal_error, invalid_params, legacy_refused, method_not_found, no_session_store,
    resource_not_found, shortened, shutting_down, too_many_requests, too_many_sessions,
    too_many_subscriptions,
};
pub(crate) use in_flight::{MOST_REQUESTS, RequestGuard};
pub(crate) use message::{
    CallParams, ErrorResponse, Message, Params, RpcRequest, in_flight, read, request_id,
};
pub(crate) use outbox::{Closed, Notification, Outbox, Outgoing, Subscriber};
#[cfg(feature = "tasks")]
pub(crate) use response::Acknowledged;
pub(crate) use response::{ItemList, ListMembers, ResultMeta, RpcResponse};
pub(crate) use session::{ClientInfo, Session};
pub(crate) use session_change::SessionChange;
pub(crate) use subscribed_uris::{MOST_SUBSCRIBED, MOST_URI_BYTES, Replaced, SubscribedUris};
