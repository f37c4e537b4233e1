//! rmcp's handler: what each request of a client is answered with, in both eras of the protocol.

mod capabilities;
mod completion;
mod direct;
mod early;
mod prompts;
mod resources;
mod subscriptions;
mod tools;

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, InputRequiredResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tool_core::logging::LogLevel;
use tool_core::{CallOptions, Extensions, Registry, Reply, TraceParent};

pub(crate) use crate::handler::direct::{DirectCall, response};
pub(crate) use crate::handler::early::{Carried, EarlyCall, Origin, Way};

use crate::asking::{Inquirer, Round, Seal, Subject};
use crate::caller::Caller;
use crate::changes::Changes;
use crate::envelope::Arguments;
use crate::era::Era;
use crate::logging;
use crate::news::told;
use crate::offer::{FRESH_FOR_MS, Offer, Offers};
use crate::session::{Ear, Session};
use crate::updates::Updates;

/// Answers clients from what its provider has. Every session and every request shares it.
pub(crate) struct Handler {
    offers: Offers,
    changes: Option<Changes>,
    updates: Option<Updates>,
    /// Keeps what is known of a call between its rounds.
    seal: Seal,
    /// Ends the listening of clients.
    end: CancellationToken,
    config: ServerConfig,
    /// `config.server_info` as results of 2026-07-28 carry it.
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

/// What a call came to.
pub(crate) enum Answered<T> {
    Reply(T),
    /// It asks something first.
    Asks(InputRequiredResult),
}

/// Where results of 2026-07-28 say who made them.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Handler {
    pub(crate) fn new(
        offers: Offers,
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
        Handler { offers, changes, updates, seal, end: CancellationToken::new(), config, server_info }
    }

    pub(crate) fn offers(&self) -> &Offers {
        &self.offers
    }

    /// What there is for whoever sent a request.
    async fn offer(&self, cx: &RequestContext<RoleServer>) -> Result<Offer, ErrorData> {
        let mut offer = self.offers.now(Caller::of(cx).map(|caller| &caller.principal)).await?;
        if let Some(beside) = beside(cx) {
            offer.options = offer.options.extensions(beside.clone());
        }
        offer.options = offer.options.trace(traceparent(cx));
        Ok(offer)
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
    /// how far the call has come, and one that can be asked is, for what the tool asks.
    async fn invoke(
        &self,
        registry: &Registry,
        options: CallOptions,
        call: Call<'_>,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Answered<Reply>, ErrorData> {
        let Call { method, name, arguments, round } = call;
        let subject = Subject { method, name, arguments, principal: registry.principal().id() };
        let inquirer = Inquirer::of(subject, round, &self.seal, cx)?;
        let options = options.client(inquirer.client());
        let call = told(options, cx, async |options| registry.call_with(name, arguments, options).await);
        let reply = unless_cancelled(call, name, cx).await?;
        let asked =
            reply.result.as_ref().err().and_then(|failure| inquirer.answer(failure, subject, &self.seal));
        self.asked_or(asked, reply, cx)
    }

    /// What is to be told of a call: what it asks, where it asks something.
    fn asked_or<T>(
        &self,
        asked: Option<Result<InputRequiredResult, ErrorData>>,
        reply: T,
        cx: &RequestContext<RoleServer>,
    ) -> Result<Answered<T>, ErrorData> {
        let Some(asked) = asked else { return Ok(Answered::Reply(reply)) };
        let mut asked = asked?;
        self.sign(&mut asked.meta, cx);
        Ok(Answered::Asks(asked))
    }

    /// Adds who made a result, where the client's era has a place for it.
    fn sign(&self, meta: &mut Option<MetaObject>, cx: &RequestContext<RoleServer>) {
        if modern(cx) {
            self.sign_modern(meta);
        }
    }

    fn sign_modern(&self, meta: &mut Option<MetaObject>) {
        meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), self.server_info.clone());
    }
}

/// The header, and the member of `_meta`, that say which trace a request is part of.
const TRACE: &str = "traceparent";

/// What the layers of the application have put into the request that a message came with.
fn beside(cx: &RequestContext<RoleServer>) -> Option<&Extensions> {
    cx.extensions.get::<Parts>()?.extensions.get()
}

/// The place of a request in a trace: what the client says in its message, or else what stands in the head, where one who
/// passes it on may have written it. What is no trace is as none.
fn traceparent(cx: &RequestContext<RoleServer>) -> Option<TraceParent> {
    let of_message = || cx.meta.get(TRACE)?.as_str()?.parse().ok();
    of_message().or_else(|| trace_of(cx.extensions.get::<Parts>()?))
}

/// The same of the head alone.
fn trace_of(head: &Parts) -> Option<TraceParent> {
    head.headers.get(TRACE)?.to_str().ok()?.parse().ok()
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
            tracing::debug!(requested = name, request = %cx.id, "the client took the request back or left");
            // Nobody reads it: rmcp drops the answer to a request that was cancelled.
            Err(ErrorData::internal_error("cancelled", None))
        }
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let opened = self.negotiate_initialize(&request)?;
        request.protocol_version = opened.protocol_version.clone();
        self.opened(&request, &cx);
        cx.peer.set_peer_info(request);
        Ok(opened)
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
        let mut list = apart(self.tools(cursor(request), &cx)).await?;
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
        catalogue.tool(tool.name())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(begun) = Carried::of(&cx) {
            return Ok(match apart(begun.end(&request.name, &cx)).await? {
                Answered::Reply(result) => result.into(),
                Answered::Asks(asked) => asked.into(),
            });
        }
        let cx = self.introduced(cx);
        // `request.arguments` is what rmcp's parser left of them.
        let arguments = Arguments::of(&cx).map_or(&b""[..], Arguments::as_bytes);
        let round =
            Round { state: request.request_state.as_deref(), responses: request.input_responses.as_ref() };
        apart(self.call(&request.name, arguments, round, &cx)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = apart(self.resources(cursor(request), &cx)).await?;
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
        let mut list = apart(self.resource_templates(cursor(request), &cx)).await?;
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
        let cx = self.introduced(cx);
        let round =
            Round { state: request.request_state.as_deref(), responses: request.input_responses.as_ref() };
        let mut result = match apart(self.read(&request.uri, round, &cx)).await? {
            Answered::Reply(result) => result,
            Answered::Asks(asked) => return Ok(asked.into()),
        };
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
        let mut list = apart(self.prompts(cursor(request), &cx)).await?;
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
        let cx = self.introduced(cx);
        let round =
            Round { state: request.request_state.as_deref(), responses: request.input_responses.as_ref() };
        let mut result = match apart(self.prompt(&request.name, request.arguments, round, &cx)).await? {
            Answered::Reply(result) => result,
            Answered::Asks(asked) => return Ok(asked.into()),
        };
        self.sign(&mut result.meta, &cx);
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut result = apart(self.completion(&request, &cx)).await?;
        self.sign(&mut result.meta, &cx);
        Ok(result)
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        // However often it says so, it is told once; and it is nobody before the session is open.
        if let Some(changes) = &self.changes
            && cx.peer.peer_info().is_some()
            && !self.begun.swap(true, Ordering::Relaxed)
        {
            changes.tell(cx.peer);
        }
    }

    #[expect(deprecated, reason = "the protocol gives up logging in time; until then clients ask for it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if modern(&cx) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.set_level(logging::level(request.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        apart(self.watch(request.uri, cx)).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unwatch(&request.uri)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        if self.changes.is_none() && self.updates.is_none() {
            return None;
        }
        let lists = self.changes.as_ref().map(Changes::heard);
        let contents = self.updates.as_ref().map(Updates::heard);
        self.prick_up(Ear { lists, contents });
        // What nobody tells of, rmcp leaves out by the capabilities.
        Some(requested.clone())
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        apart(self.tell(&listener)).await
    }

    /// Whatever rmcp cannot read as a request that it knows: another method, or a known one with other parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let cx = self.introduced(cx);
        let CustomRequest { method, params, .. } = request;
        match method.as_str() {
            "tools/call" => {
                apart(self.call_oddly(&params.unwrap_or_default(), &cx)).await.map(CustomResult::new)
            }
            "logging/setLevel" if !modern(&cx) => {
                let names = LogLevel::ALL.map(|level| format!("`{level}`")).join(", ");
                Err(ErrorData::invalid_params(format!("`level` must be one of {names}"), None))
            }
            "resources/subscribe" | "resources/unsubscribe" if self.updates.is_some() && !modern(&cx) => {
                Err(ErrorData::invalid_params("`uri` must be a string", None))
            }
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

/// A future on the heap. rmcp holds those of all methods in one, as large as the largest, and moves that about several times
/// for each request.
fn apart<F: Future>(future: F) -> Pin<Box<F>> {
    Box::pin(future)
}

/// Whether a request is of 2026-07-28 or later.
fn modern(cx: &RequestContext<RoleServer>) -> bool {
    Era::of(cx).is_modern()
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}
