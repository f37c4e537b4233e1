//! The frame of a JSON-RPC message, read without what it holds.

use std::borrow::Cow;
use std::ops::Range;

use axum::body::Bytes;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;
use rmcp::RoleServer;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The arguments of a call as the client wrote them. A parsed value would have lost duplicate keys and long numbers.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(Bytes);
