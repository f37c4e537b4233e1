//! The answers to requests, from what the provider of the tools has.

mod capabilities;
mod completion;
mod prompts;
mod resources;
mod subscriptions;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    DiscoverResult, Implementation, InitializeRequestParams, InitializeResult, InputRequiredResult,
    MetaObject, ProtocolVersion, ServerConfig, ServerResult,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tool_core::{CallOptions, Registry, Reply};

use crate::call_notifications::with_notifications;
use crate::catalog::view::{CatalogView, CatalogViews, FRESH_FOR_MS};
use crate::changes::Changes;
use crate::elicitation::{Inquirer, Round, Seal, Subject};
use crate::protocol::{RequestContext, Session};
use crate::updates::Updates;

/// Answers requests of all clients.
pub(crate) struct Handler {
    views: CatalogViews,
    pub(crate) changes: Option<Changes>,
    pub(crate) updates: Option<Updates>,
    /// Keeps what is known of a call between its rounds.
    seal: Seal,
    /// Canceled when no request begins any more: subscriptions end then.
    end: CancellationToken,
    config: ServerConfig,
    /// `config.server_info` as results of 2026-07-28 have it.
    server_info: Value,
}

/// A call that a client makes.
struct Call<'c> {
    method: &'static str,
    name: &'c str,
    /// As JSON.
    arguments: &'c [u8],
    round: Round<'c>,
}

/// What a call has come to.
pub(crate) enum Answered<T> {
    Reply(T),
    /// It asks something first.
    Asks(InputRequiredResult),
}

/// The member of `_meta` in results of 2026-07-28 that names the server.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Handler {
    pub(crate) fn new(
        views: CatalogViews,
        changes: Option<Changes>,
        updates: Option<Updates>,
        identity: Implementation,
        instructions: Option<String>,
        seal: Seal,
    ) -> Self {
        let server_info = serde_json::to_value(&identity).unwrap_or_default();
        let mut config = ServerConfig::new(capabilities::all(changes.is_some(), updates.is_some()))
            .with_server_info(identity);
        config.instructions = instructions;
        Handler { views, changes, updates, seal, end: CancellationToken::new(), config, server_info }
    }

    pub(crate) fn views(&self) -> &CatalogViews {
        &self.views
    }

    /// Returns what there is for whoever sent a request.
    async fn view(&self, cx: &RequestContext) -> Result<CatalogView, ErrorData> {
        let mut view = self.views.now(cx.caller.as_ref().map(|caller| &caller.principal)).await?;
        if let Some(extensions) = &cx.extensions {
            view.options = view.options.extensions(extensions.clone());
        }
        view.options = view.options.trace(cx.trace);
        Ok(view)
    }

    /// Begins no request any more, and ends subscriptions, which would last for ever.
    pub(crate) fn begin_to_end(&self) {
        self.views.end();
        self.end.cancel();
    }

    /// Waits until all requests are answered that have begun, after [`begin_to_end`](Self::begin_to_end).
    pub(crate) async fn answered(&self) {
        self.views.answered().await;
    }

    /// Waits until no modifying call is running, but not longer than this.
    pub(crate) async fn settle(&self, deadline: Duration) {
        if tokio::time::timeout(deadline, self.views.idle()).await.is_err() {
            tracing::error!(?deadline, "modifying calls did not end in time and are cut off");
        }
    }

    /// Opens a session.
    pub(crate) fn initialize(
        &self,
        params: Map<String, Value>,
        session: &Session,
    ) -> Result<InitializeResult, ErrorData> {
        let request: InitializeRequestParams = serde_json::from_value(params.into()).map_err(|error| {
            ErrorData::invalid_params(format!("the parameters of `initialize` cannot be read: {error}"), None)
        })?;
        let requested = &request.protocol_version;
        let is_spoken = requested.has_initialize() && ProtocolVersion::KNOWN_VERSIONS.contains(requested);
        let version = if is_spoken { requested.clone() } else { ProtocolVersion::V_2025_11_25 };
        session.open(&request, version.clone());
        let mut result = self.config.clone();
        result.protocol_version = version;
        Ok(result)
    }

    pub(crate) fn discover(&self, cx: &RequestContext) -> DiscoverResult {
        let discovered =
            DiscoverResult::from_server_info(ProtocolVersion::KNOWN_VERSIONS.to_vec(), self.config.clone());
        discovered.with_ttl_ms(FRESH_FOR_MS).with_cache_scope(cx.scope())
    }

    /// Notes that the client of a session is ready for notifications.
    pub(crate) fn initialized(&self, session: &Arc<Session>) {
        if let Some(changes) = self.changes.as_ref().filter(|_| session.initialize()) {
            changes.notify_session(session);
        }
    }

    /// Calls a tool. The client is told of its progress and messages meanwhile, and asked what the tool asks.
    async fn invoke(
        &self,
        registry: &Registry,
        options: CallOptions,
        call: Call<'_>,
        cx: &RequestContext,
    ) -> Result<Answered<Reply>, ErrorData> {
        let Call { method, name, arguments, round } = call;
        let subject = Subject { method, name, arguments, principal: registry.principal().id() };
        let inquirer = Inquirer::of(subject, round, &self.seal, cx)?;
        let options = options.client(inquirer.client());
        let call = with_notifications(options, cx, async |options| {
            registry.call_with(name, arguments, options).await
        });
        let reply = call.await;
        let input_required =
            reply.result.as_ref().err().and_then(|failure| inquirer.answer(failure, subject, &self.seal));
        self.input_required_or(input_required, reply, cx)
    }

    /// Returns what a call asks, if it asks something.
    fn input_required_or<T>(
        &self,
        input_required: Option<Result<InputRequiredResult, ErrorData>>,
        reply: T,
        cx: &RequestContext,
    ) -> Result<Answered<T>, ErrorData> {
        let Some(input_required) = input_required else { return Ok(Answered::Reply(reply)) };
        let mut input_required = input_required?;
        self.sign(&mut input_required.meta, cx);
        Ok(Answered::Asks(input_required))
    }

    /// Adds the server to the `_meta` of a result, where the era of the client has it there.
    fn sign(&self, meta: &mut Option<MetaObject>, cx: &RequestContext) {
        if cx.era.is_modern() {
            meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), self.server_info.clone());
        }
    }
}

impl<T: Into<ServerResult>> From<Answered<T>> for crate::protocol::Reply {
    fn from(answered: Answered<T>) -> Self {
        match answered {
            Answered::Reply(result) => result.into().into(),
            Answered::Asks(input_required) => ServerResult::InputRequiredResult(input_required).into(),
        }
    }
}
