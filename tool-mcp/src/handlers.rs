//! The handlers of requests.

mod completion;
mod prompts;
mod resources;
mod subscriptions;
#[cfg(feature = "tasks")]
mod task_notifications;
#[cfg(feature = "tasks")]
mod tasks;
mod tools;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use rmcp::model::{
    DiscoverResult, ExtensionCapabilities, Implementation, InitializeRequestParams, InitializeResult,
    InputRequiredResult, JsonObject, MetaObject, ServerCapabilities, ServerConfig, ServerResult,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tool_core::{CallOptions, Failure};

use crate::call_notifications::with_notifications;
use crate::catalog::view::{CatalogView, CatalogViews, FRESH_FOR_MS};
use crate::changes::{Changes, SEND_TIMEOUT, list_changes};
use crate::elicitation::{CallIdentity, Elicitation, Round, StateSealer};
use crate::paging::ListPage;
use crate::protocol::{
    ClientInfo, ItemList, ListMembers, Replaced, RequestContext, ResultMeta, RpcResponse, RpcResult, Session,
    invalid_params,
};
use crate::render::ui_page;
use crate::session_store::StoredSession;
use crate::updates::{Updates, updated};

/// Answers the requests of all clients.
pub(crate) struct Handler {
    pub(crate) views: CatalogViews,
    pub(crate) changes: Option<Changes>,
    pub(crate) updates: Option<Updates>,
    sealer: StateSealer,
    /// Canceled at shutdown: subscriptions end then.
    end: CancellationToken,
    config: ServerConfig,
    /// `config.server_info` as JSON.
    server_info: Box<RawValue>,
}

/// The outcome of a call.
pub(crate) enum CallOutcome<T> {
    Done(T),
    /// The call asks its client something first.
    InputRequired(InputRequiredResult),
}

/// How long the capabilities of the server wait for the tools.
const EXTENSIONS_PATIENCE: Duration = Duration::from_secs(1);

impl Handler {
    pub(crate) fn new(
        views: CatalogViews,
        changes: Option<Changes>,
        updates: Option<Updates>,
        identity: Implementation,
        instructions: Option<String>,
        sealer: StateSealer,
    ) -> Self {
        let server_info =
            serde_json::value::to_raw_value(&identity).unwrap_or_else(|_| RawValue::NULL.to_owned());
        let mut config =
            ServerConfig::new(capabilities(changes.is_some(), updates.is_some())).with_server_info(identity);
        config.instructions = instructions;
        Handler { views, changes, updates, sealer, end: CancellationToken::new(), config, server_info }
    }

    /// Returns the tools for the caller of a request.
    async fn view(&self, cx: &RequestContext) -> RpcResult<CatalogView> {
        let mut view = self.views.now(cx.principal()).await?;
        if let Some(extensions) = &cx.extensions {
            view.options = view.options.extensions(extensions.clone());
        }
        view.options = view.options.trace(cx.trace);
        Ok(view)
    }

    /// Refuses new requests, and ends subscriptions, which would last for ever.
    pub(crate) fn begin_shutdown(&self) {
        self.views.begin_shutdown();
        self.end.cancel();
    }

    /// Waits until no modifying call is running, but not longer than this.
    pub(crate) async fn drain(&self, deadline: Duration) {
        if tokio::time::timeout(deadline, self.views.drain()).await.is_err() {
            tracing::error!(?deadline, "modifying calls did not end in time and are cut off");
        }
    }

    /// Opens a session.
    pub(crate) fn initialize(
        &self,
        params: Map<String, Value>,
        session: &Session,
    ) -> RpcResult<InitializeResult> {
        let request: InitializeRequestParams = serde_json::from_value(params.into()).map_err(|error| {
            invalid_params(format!("the parameters of `initialize` cannot be read: {error}"))
        })?;
        let client = ClientInfo::negotiated(&request);
        let mut result = self.config.clone();
        result.protocol_version = client.era.version().cloned().unwrap_or_default();
        session.open(client);
        Ok(result)
    }

    pub(crate) async fn discover(&self, cx: &RequestContext) -> DiscoverResult {
        let config = self.with_extensions(self.config.clone(), cx).await;
        let discovered = DiscoverResult::from_server_info(self.views.settings.versions().to_vec(), config);
        discovered.with_ttl_ms(FRESH_FOR_MS).with_cache_scope(cx.scope())
    }

    /// Adds the extensions that the tools of the caller use to the capabilities of the server, if they are available soon.
    async fn with_extensions(&self, mut config: ServerConfig, cx: &RequestContext) -> ServerConfig {
        let view = tokio::time::timeout(EXTENSIONS_PATIENCE, self.view(cx)).await;
        let Ok(Ok(view)) = view else { return config };
        let mut extensions = ExtensionCapabilities::new();
        if view.registry.tools().any(|tool| tool.ui().is_some()) {
            let settings = JsonObject::from_iter([("mimeTypes".to_owned(), json!([ui_page::MEDIA_TYPE]))]);
            extensions.insert(ui_page::EXTENSION.to_owned(), settings);
        }
        #[cfg(feature = "tasks")]
        if view.registry.task_engine().is_some() {
            extensions.insert(rmcp::model::TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
        }
        if !extensions.is_empty() {
            config.capabilities.extensions.get_or_insert_default().extend(extensions);
        }
        config
    }

    /// Handles `notifications/initialized`: the client of the session is ready for notifications.
    pub(crate) fn initialized(&self, session: &Arc<Session>) {
        if let Some(changes) = self.changes.as_ref().filter(|_| session.initialize()) {
            changes.notify_session(session);
        }
    }

    /// Updates a session to what the session store has, and starts the notifications that its client has subscribed to. Returns the
    /// resources that the client has subscribed to at another replica.
    pub(crate) fn restore(&self, stored: &StoredSession, session: &Arc<Session>) -> BTreeSet<String> {
        let Replaced { is_first, added } = session.restore(stored);
        if let Some(updates) = self.updates.as_ref().filter(|_| is_first) {
            updates.notify_session(session);
        }
        if stored.is_initialized {
            self.initialized(session);
        }
        added
    }

    /// Notifies the client of a session of changes that it may have missed: of these resources, and of the lists.
    pub(crate) fn notify_missed(&self, session: &Arc<Session>, uris: BTreeSet<String>, with_lists: bool) {
        let has_lists = with_lists && self.changes.is_some() && session.is_initialized();
        let lists = has_lists.then(|| list_changes(None)).into_iter().flatten();
        let uris = uris.into_iter().filter(|_| self.updates.is_some()).map(updated);
        let (subscriber, missed) = (session.subscriber(), lists.chain(uris).collect::<Vec<_>>());
        if missed.is_empty() {
            return;
        }
        // A client that does not read gets none of them.
        let sending = timeout(SEND_TIMEOUT, async move {
            for notification in missed {
                if subscriber.notify(notification).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(session.end.clone().run_until_cancelled_owned(sending));
    }

    /// Runs a call. Sends its progress, messages and questions to the client.
    async fn run<T>(
        &self,
        call: CallIdentity<'_>,
        round: Round<'_>,
        options: CallOptions,
        cx: &RequestContext,
        run: impl AsyncFnOnce(&CallOptions) -> T,
        failure: fn(&T) -> Option<&Failure>,
    ) -> RpcResult<CallOutcome<T>> {
        let elicitation = Elicitation::new(call, round, &self.sealer, cx)?;
        let value = with_notifications(options.client(elicitation.client()), cx, run).await;
        let response = failure(&value).and_then(|failure| elicitation.response(failure, call, &self.sealer));
        let Some(input_required) = response else { return Ok(CallOutcome::Done(value)) };
        let mut input_required = input_required?;
        self.sign(&mut input_required.meta, cx);
        Ok(CallOutcome::InputRequired(input_required))
    }

    /// Returns a page of a list. Its items are in the member `key`.
    fn list<T: Serialize>(&self, key: &'static str, page: ListPage<T>, cx: &RequestContext) -> RpcResponse {
        let items: Bytes = serde_json::to_vec(&page.items).unwrap_or_else(|_| b"[]".into()).into();
        let members = ListMembers { next_cursor: page.next, ..self.list_members(cx) };
        RpcResponse::list(ItemList { key, items: items.slice(1..items.len() - 1), members }, cx)
    }

    fn list_members(&self, cx: &RequestContext) -> ListMembers<'_> {
        let mut members = ListMembers { meta: self.meta(cx), ..ListMembers::default() };
        if cx.era.is_modern() {
            (members.ttl_ms, members.cache_scope) = (Some(self.views.fresh_for_ms()), Some(cx.scope()));
        }
        members
    }

    /// Returns the `_meta` of a result: in the modern era it names the server.
    fn meta(&self, cx: &RequestContext) -> ResultMeta<'_> {
        let server = cx.era.is_modern().then_some(&*self.server_info);
        ResultMeta { server, ..ResultMeta::default() }
    }

    /// Adds the server to the `_meta` of a result in the modern era.
    fn sign(&self, meta: &mut Option<MetaObject>, cx: &RequestContext) {
        if cx.era.is_modern()
            && let Ok(Value::Object(members)) = serde_json::to_value(self.meta(cx))
        {
            meta.get_or_insert_default().0.extend(members);
        }
    }
}

impl<T> CallOutcome<T> {
    fn and_then<U>(self, convert: impl FnOnce(T) -> RpcResult<U>) -> RpcResult<CallOutcome<U>> {
        match self {
            CallOutcome::Done(value) => convert(value).map(CallOutcome::Done),
            CallOutcome::InputRequired(input_required) => Ok(CallOutcome::InputRequired(input_required)),
        }
    }
}

impl<T: Into<ServerResult>> From<CallOutcome<T>> for ServerResult {
    fn from(outcome: CallOutcome<T>) -> Self {
        match outcome {
            CallOutcome::Done(result) => result.into(),
            CallOutcome::InputRequired(input_required) => ServerResult::InputRequiredResult(input_required),
        }
    }
}

fn capabilities(lists_change: bool, resources_change: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    let list_changed = lists_change.then_some(true);
    capabilities.completions.get_or_insert_default();
    capabilities.logging.get_or_insert_default();
    capabilities.prompts.get_or_insert_default().list_changed = list_changed;
    capabilities.tools.get_or_insert_default().list_changed = list_changed;
    let resources = capabilities.resources.get_or_insert_default();
    resources.list_changed = list_changed;
    resources.subscribe = resources_change.then_some(true);
    capabilities
}
