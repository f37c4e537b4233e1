//! rmcp's handler: what each request of a client is answered with, in both eras of the protocol.

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tool_core::Registry;

use crate::answer::answer;
use crate::catalogue::Catalogue;
use crate::envelope::Arguments;

/// Answers clients from one registry. Every session and every request shares it.
pub(crate) struct Handler {
    registry: Registry,
    catalogue: Catalogue,
    config: ServerConfig,
    /// `config.server_info` as results of 2026-07-28 carry it.
    server_info: Value,
}

/// How long a client may keep a list. Nothing changes while the process lives, but another release may follow it.
const FRESH_FOR_MS: u64 = 60_000;

/// Where results of 2026-07-28 say who made them.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl Handler {
    pub(crate) fn new(registry: Registry, identity: Implementation, instructions: Option<String>) -> Self {
        let server_info = serde_json::to_value(&identity).unwrap_or_default();
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut config = ServerConfig::new(capabilities).with_server_info(identity);
        config.instructions = instructions;
        Handler { catalogue: Catalogue::new(&registry), registry, config, server_info }
    }

    /// Calls a tool, unless the client takes the call back or leaves. rmcp only fires a token then: leaving drops the
    /// call, and what becomes of a tool that is dropped the registry knows.
    async fn call(
        &self,
        name: &str,
        arguments: &[u8],
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = tokio::select! {
            biased;
            reply = self.registry.invoke(name, arguments) => reply,
            () = cx.ct.cancelled() => {
                tracing::debug!(tool = name, request = %cx.id, "the client took the call back or left");
                // Nobody reads it: rmcp drops the answer to a request that was cancelled.
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        let mut result = answer(reply)?;
        if modern(cx) {
            self.sign(&mut result.meta);
        }
        Ok(result.into())
    }

    /// Adds who made a result.
    fn sign(&self, meta: &mut Option<MetaObject>) {
        meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), self.server_info.clone());
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FRESH_FOR_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = request.and_then(|request| request.cursor) {
            return Err(unknown_cursor(&cursor));
        }
        let callable = self.registry.callable();
        let listed = callable.filter_map(|tool| self.catalogue.get(tool.name()).cloned()).collect();
        let mut list = ListToolsResult::with_all_items(listed);
        if modern(&cx) {
            self.sign(&mut list.meta);
            list = list.with_ttl_ms(FRESH_FOR_MS).with_cache_scope(CacheScope::Public);
        }
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.registry.get(name)?;
        self.catalogue.get(tool.name()).cloned()
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

    /// Whatever rmcp cannot read as a request that it knows: another method, or a known one with other parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        match method.as_str() {
            "tools/call" => self.call_oddly(&params.unwrap_or_default(), &cx).await.map(CustomResult::new),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }
}

impl Handler {
    /// A call whose arguments are no object: the pipeline says so, in the words that every face uses.
    async fn call_oddly(&self, params: &Value, cx: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
        let (Some(name), Some(arguments)) = (params.get("name").and_then(Value::as_str), Arguments::of(cx))
        else {
            return Err(ErrorData::invalid_params("`name` must be a string and `arguments` an object", None));
        };
        let CallToolResponse::Complete(mut result) = self.call(name, arguments.as_bytes(), cx).await? else {
            return Err(ErrorData::internal_error("internal error", None));
        };
        if !modern(cx) {
            result.result_type = None;
        }
        serde_json::to_value(result).map_err(|error| {
            tracing::error!(%error, "a result cannot be written as JSON");
            ErrorData::internal_error("internal error", None)
        })
    }
}

/// Whether a request is of 2026-07-28 or later; versions are dates, and so compare as texts.
fn modern(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The list is one page, so that no cursor was ever given out.
fn unknown_cursor(cursor: &str) -> ErrorData {
    let shown: String = cursor.chars().take(64).collect();
    ErrorData::invalid_params(format!("unknown cursor `{shown}`"), None)
}
