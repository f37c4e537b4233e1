//! rmcp's handler: what each request of a client is answered with, in both eras of the protocol.

mod completion;
mod prompts;
mod resources;
mod tools;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    MetaObject, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::task::{Id, try_id};
use tokio_util::sync::CancellationToken;
use tool_core::{Extensions, Registry, Reply, TraceParent};

use crate::caller::Caller;
use crate::changes::{Changes, Heard};
use crate::envelope::Arguments;
use crate::era::Era;
use crate::offer::{FRESH_FOR_MS, Offer, Offers};
use crate::progress::told;

/// Answers clients from what its provider has. Every session and every request shares it.
pub(crate) struct Handler {
    offers: Offers,
    changes: Option<Changes>,
    /// What those hear who were told that they may listen, and do not yet, by their tasks: a change may come between.
    accepted: Mutex<HashMap<Id, Heard>>,
    /// Ends the listening of clients.
    end: CancellationToken,
    config: ServerConfig,
    /// `config.server_info` as results of 2026-07-28 carry it.
    server_info: Value,
}

/// So many may be about to listen at one time.
const ACCEPTED: usize = 64;

/// Where results of 2026-07-28 say who made them.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Handler {
    pub(crate) fn new(
        offers: Offers,
        changes: Option<Changes>,
        identity: Implementation,
        instructions: Option<String>,
    ) -> Self {
        let server_info = serde_json::to_value(&identity).unwrap_or_default();
        let mut config = ServerConfig::new(capabilities(changes.is_some())).with_server_info(identity);
        config.instructions = instructions;
        let (accepted, end) = (Mutex::default(), CancellationToken::new());
        Handler { offers, changes, accepted, end, config, server_info }
    }

    pub(crate) fn offers(&self) -> &Offers {
        &self.offers
    }

    /// What there is for whoever sent a request.
    async fn offer(&self, cx: &RequestContext<RoleServer>) -> Result<Offer, ErrorData> {
        let mut offer = self.offers.now(Caller::of(cx).map(|caller| &caller.principal)).await?;
        if let Some(beside) = beside(cx) {
            offer.registry = offer.registry.layer_extensions(beside.clone());
        }
        if let Some(trace) = traceparent(cx) {
            offer.registry = offer.registry.traced(trace);
        }
        Ok(offer)
    }

    fn accepted(&self) -> MutexGuard<'_, HashMap<Id, Heard>> {
        // Nothing panics while it is held.
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins no request any more, and lets go of the clients that listen, which would do so for ever.
    pub(crate) fn begin_to_end(&self) {
        self.offers.end();
        self.end.cancel();
    }

    /// Waits until all that was begun is answered, after the beginning of the end.
    pub(crate) async fn answered(&self) {
        self.offers.answered().await;
    }

    /// Waits until no modifying call is on its way, but not for ever.
    pub(crate) async fn settle(&self, deadline: Duration) {
        if tokio::time::timeout(deadline, self.offers.idle()).await.is_err() {
            tracing::error!(?deadline, "modifying calls did not end in time and are cut off");
        }
    }

    /// Calls a tool, unless the client takes the call back or leaves. rmcp only fires a token then: leaving drops the
    /// call, and what becomes of a tool that is dropped the registry knows. A client that asked for it hears meanwhile
    /// how far the call has come.
    async fn invoke(
        &self,
        registry: &Registry,
        name: &str,
        arguments: &[u8],
        cx: &RequestContext<RoleServer>,
    ) -> Result<Reply, ErrorData> {
        let call = told(registry, cx, async |registry| registry.invoke(name, arguments).await);
        unless_cancelled(call, name, cx).await
    }

    /// Adds who made a result, where the client's era has a place for it.
    fn sign(&self, meta: &mut Option<MetaObject>, cx: &RequestContext<RoleServer>) {
        if modern(cx) {
            meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), self.server_info.clone());
        }
    }
}

/// What the layers of the application have put into the request that a message came with.
fn beside(cx: &RequestContext<RoleServer>) -> Option<&Extensions> {
    cx.extensions.get::<Parts>()?.extensions.get()
}

/// The place of a request in a trace: what the client says in its message, or else what stands in the head, where one who
/// passes it on may have written it. What is no trace is as none.
fn traceparent(cx: &RequestContext<RoleServer>) -> Option<TraceParent> {
    const NAME: &str = "traceparent";
    let of_message = || cx.meta.get(NAME)?.as_str()?.parse().ok();
    let of_head = || cx.extensions.get::<Parts>()?.headers.get(NAME)?.to_str().ok()?.parse().ok();
    of_message().or_else(of_head)
}

/// All that there may be; that lists change, only where somebody tells of it.
fn capabilities(lists_change: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_prompts()
        .enable_resources()
        .enable_tools()
        .build();
    if lists_change {
        capabilities.tools.get_or_insert_default().list_changed = Some(true);
        capabilities.prompts.get_or_insert_default().list_changed = Some(true);
        capabilities.resources.get_or_insert_default().list_changed = Some(true);
    }
    capabilities
}

/// What a future comes to, unless the client takes its request back or leaves.
async fn unless_cancelled<T>(
    future: impl Future<Output = T>,
    name: &str,
    cx: &RequestContext<RoleServer>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        value = future => Ok(value),
        () = cx.ct.cancelled() => {
            tracing::debug!(name, request = %cx.id, "the client took the request back or left");
            // Nobody reads it: rmcp drops the answer to a request that was cancelled.
            Err(ErrorData::internal_error("cancelled", None))
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn discover(&self, cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let discovered = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(discovered.with_ttl_ms(FRESH_FOR_MS).with_cache_scope(Caller::scope(&cx)))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.tools(cursor(request), &cx).await?;
        self.sign(&mut list.meta, &cx);
        Ok(if modern(&cx) {
            list.with_ttl_ms(self.offers.fresh_for_ms()).with_cache_scope(Caller::scope(&cx))
        } else {
            list
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // No future can be awaited here: of tools that come and go, those of the last request are known.
        let catalogue = self.offers.latest()?;
        let tool = catalogue.registry().get(name)?;
        catalogue.tool(tool.name()).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // `request.arguments` is what rmcp's parser left of them.
        let arguments = Arguments::of(&cx);
        self.call(&request.name, arguments.map_or(b"", Arguments::as_bytes), &cx).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.resources(cursor(request), &cx).await?;
        self.sign(&mut list.meta, &cx);
        Ok(if modern(&cx) {
            list.with_ttl_ms(self.offers.fresh_for_ms()).with_cache_scope(Caller::scope(&cx))
        } else {
            list
        })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.resource_templates(cursor(request), &cx).await?;
        self.sign(&mut list.meta, &cx);
        Ok(if modern(&cx) {
            list.with_ttl_ms(self.offers.fresh_for_ms()).with_cache_scope(Caller::scope(&cx))
        } else {
            list
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let mut result = self.read(&request.uri, &cx).await?;
        self.sign(&mut result.meta, &cx);
        if Caller::scope(&cx) == CacheScope::Private {
            result.cache_scope = Some(CacheScope::Private);
        }
        if !modern(&cx) {
            (result.ttl_ms, result.cache_scope) = (None, None);
        }
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.prompts(cursor(request), &cx).await?;
        self.sign(&mut list.meta, &cx);
        Ok(if modern(&cx) {
            list.with_ttl_ms(self.offers.fresh_for_ms()).with_cache_scope(Caller::scope(&cx))
        } else {
            list
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut result = self.prompt(&request.name, request.arguments, &cx).await?;
        self.sign(&mut result.meta, &cx);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut result = self.completion(&request, &cx).await?;
        self.sign(&mut result.meta, &cx);
        Ok(result)
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        if let Some(changes) = &self.changes {
            changes.tell(cx.peer);
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let heard = self.changes.as_ref()?.heard();
        if let Some(task) = try_id() {
            let mut accepted = self.accepted();
            // Who leaves at once never listens; and whoever is forgotten here hears from a moment later on.
            if accepted.len() == ACCEPTED {
                accepted.clear();
            }
            accepted.insert(task, heard);
        }
        Some(requested.clone())
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        let heard = try_id().and_then(|task| self.accepted().remove(&task));
        if let Some(heard) = heard.or_else(|| self.changes.as_ref().map(Changes::heard)) {
            heard.tell_listener(&listener, &self.end).await;
        }
        Ok(())
    }

    /// Whatever rmcp cannot read as a request that it knows: another method, or a known one with other parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        match method.as_str() {
            "tools/call" => self.call_oddly(&params.unwrap_or_default(), &cx).await.map(CustomResult::new),
            "resources/read" => Err(ErrorData::invalid_params("`uri` must be a string", None)),
            "prompts/get" => {
                Err(ErrorData::invalid_params("`name` must be a string and `arguments` an object", None))
            }
            "completion/complete" => {
                let message = "`ref` must be a `ref/prompt` with a `name` or a `ref/resource` with a `uri`, and \
                               `argument` must have a `name` and a `value`";
                Err(ErrorData::invalid_params(message, None))
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }
}

/// Whether a request is of 2026-07-28 or later.
fn modern(cx: &RequestContext<RoleServer>) -> bool {
    Era::of(cx).is_modern()
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}
