//! The HTTP client of a server that is signed in to.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue};
use futures_util::stream::BoxStream;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use crate::upstream::http::challenge::required_scopes;
use crate::upstream::oauth::token_source::{NoToken, TokenSource};

/// Adds the token of an account to each request, and never another one.
#[derive(Clone)]
pub(in crate::upstream) struct AuthorizedClient<C> {
    http: C,
    tokens: Arc<TokenSource>,
}

impl<C: StreamableHttpClient + Sync> AuthorizedClient<C> {
    pub(in crate::upstream) fn new(http: C, tokens: TokenSource) -> Self {
        AuthorizedClient { http, tokens: Arc::new(tokens) }
    }

    /// Sends a request, and once more with another token if the server rejects the first one.
    async fn send<T, F>(&self, request: impl Fn(String) -> F) -> Result<T, StreamableHttpError<C::Error>>
    where
        F: Future<Output = Result<T, StreamableHttpError<C::Error>>>,
    {
        let token = self.tokens.token().await.map_err(failed)?;
        match request(token.clone()).await {
            Err(StreamableHttpError::AuthRequired(_)) => {
                let other = self.tokens.replace(&token).await.map_err(failed)?;
                match request(other).await {
                    Err(StreamableHttpError::AuthRequired(error)) => {
                        // Some servers reject tokens that lack a scope.
                        let required = required_scopes(&error.www_authenticate_header);
                        Err(failed(self.tokens.rejected(&required)))
                    }
                    answer => self.name_missing_scopes(answer),
                }
            }
            answer => self.name_missing_scopes(answer),
        }
    }

    /// Reduces the scopes that the server requires to those that were not granted.
    fn name_missing_scopes<T>(
        &self,
        answer: Result<T, StreamableHttpError<C::Error>>,
    ) -> Result<T, StreamableHttpError<C::Error>> {
        answer.map_err(|error| match error {
            StreamableHttpError::InsufficientScope(error) => {
                let required = error.required_scope.unwrap_or_default();
                let required: Vec<String> = required.split_whitespace().map(str::to_owned).collect();
                let missing = self.tokens.missing(&required).join(" ");
                let missing = Some(missing).filter(|missing| !missing.is_empty());
                StreamableHttpError::InsufficientScope(InsufficientScopeError::new(
                    error.www_authenticate_header,
                    missing,
                ))
            }
            other => other,
        })
    }
}

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for AuthorizedClient<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_token: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<C::Error>> {
        self.send(|token| {
            let (uri, message, session_id) = (Arc::clone(&uri), message.clone(), session_id.clone());
            self.http.post_message(uri, message, session_id, Some(token), custom_headers.clone())
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_token: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<C::Error>> {
        self.send(|token| {
            let (uri, session_id, last) = (Arc::clone(&uri), session_id.clone(), last_event_id.clone());
            self.http.get_stream(uri, session_id, last, Some(token), custom_headers.clone())
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _auth_token: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<C::Error>> {
        self.send(|token| {
            let (uri, session_id) = (Arc::clone(&uri), Arc::clone(&session_id));
            self.http.delete_session(uri, session_id, Some(token), custom_headers.clone())
        })
        .await
    }
}

/// Returns an error whose message `describe_error` passes on.
fn failed<E: std::error::Error + Send + Sync + 'static>(error: NoToken) -> StreamableHttpError<E> {
    StreamableHttpError::Auth(AuthError::AuthorizationFailed(error.0))
}
