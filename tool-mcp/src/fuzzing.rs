//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::catalog::uri::{Location, Pattern};
use crate::elicitation::request_state::{CallIdentity, SealedQuestions, StateKey, StateSealer};
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::protocol::{self, Message};
#[cfg(feature = "upstream")]
pub use crate::upstream::fuzzing::PipedServer;
use crate::{Server, paging, stdio};

/// Reads a message. Returns the `id` of a request, or `None` for a notification or response.
///
/// # Errors
///
/// Returns the JSON-RPC error that answers the text.
pub fn read(text: &[u8]) -> Result<Option<Value>, Value> {
    match protocol::read(&Bytes::copy_from_slice(text)) {
        Ok(Message::Request(request)) => Ok(Some(json!(request.id))),
        Ok(Message::Notification { .. } | Message::Response { .. }) => Ok(None),
        Err(rejection) => Err(json!(*rejection)),
    }
}

/// A server that speaks over pipes as it does over standard input and output.
pub struct Stdio(Arc<Handler>);

impl Stdio {
    /// Opens the server.
    ///
    /// # Errors
    ///
    /// When the registry is faulty.
    pub async fn new(server: &Server) -> Result<Self, ServeError> {
        server.checked_handler(None).await.map(Self)
    }

    /// Serves one client until the end of its input.
    ///
    /// # Errors
    ///
    /// None at the moment.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        stdio::speak(Arc::clone(&self.0), None, reader, writer).await
    }
}

/// Returns one page of a list of names, and the cursor of the next one; `None` if the cursor is refused.
pub fn page(
    names: Vec<String>,
    size: Option<usize>,
    cursor: Option<&str>,
) -> Option<(Vec<String>, Option<String>)> {
    let page = paging::page("tools/list", names, |name| name.as_str(), size, cursor).ok()?;
    Some((page.items, page.next))
}

/// The template of a URI.
pub struct UriTemplate(Pattern);

impl UriTemplate {
    /// Parses a template such as `docs://page/{id}`; `None` if it is refused.
    pub fn parse(text: &str) -> Option<Self> {
        Pattern::parse(text).ok().map(Self)
    }

    /// Returns the template of RFC 6570.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the names of the variables.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.variables()
    }

    /// Returns the URI with these values; `None` if one is missing or not allowed.
    pub fn expand(&self, values: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        self.0.expand(values)
    }

    /// Returns the names and values of the variables in a URI; `None` if it does not match or a value is not allowed.
    pub fn values(&self, uri: &str) -> Option<Vec<(String, String)>> {
        let location = Location::parse(uri).filter(|location| self.0.matches(location))?;
        self.0.values(&location).ok()
    }
}

/// Seals the state of a call, and opens it.
pub struct Sealer(StateSealer);

impl Sealer {
    /// Creates a sealer with one key; `None` if that is impossible. The states expire after a day.
    pub fn new(key: [u8; 32]) -> Option<Self> {
        StateSealer::new(&[StateKey(key)], Duration::from_secs(24 * 60 * 60)).ok().map(Self)
    }

    /// Seals the state of a call that nothing was asked in; `None` if that is impossible.
    pub fn seal(&self, name: &str, arguments: &[u8], principal: Option<&str>) -> Option<String> {
        self.0.seal(SealedQuestions::new(), call(name, arguments, principal)).ok()
    }

    /// Returns `true` if a state is accepted for a call.
    pub fn accepts(&self, state: &str, name: &str, arguments: &[u8], principal: Option<&str>) -> bool {
        self.0.open(state, call(name, arguments, principal)).is_ok()
    }
}

fn call<'c>(name: &'c str, arguments: &'c [u8], principal: Option<&'c str>) -> CallIdentity<'c> {
    CallIdentity { method: "tools/call", name, arguments, principal }
}
