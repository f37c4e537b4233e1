//! `rmcp TOOLS http|stdio stored|default|stream`: an echo and others of its kind, through rmcp's macros; or, as a `stream`,
//! one that reports its progress first.

use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ResultType, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to answer.
    text: String,
}

/// The two servers of a module. Their tools are declared once: what `#[tool_handler]` writes where no router is named
/// stands here by hand for the second one, which takes its tools from the first.
macro_rules! server {
    ($($methods:tt)*) => {
        pub struct Stored {
            tool_router: ToolRouter<Self>,
        }

        impl Stored {
            pub fn new() -> Self {
                Stored { tool_router: Self::tool_router() }
            }
        }

        #[tool_router]
        impl Stored {
            $($methods)*
        }

        #[tool_handler(router = self.tool_router)]
        impl ServerHandler for Stored {}

        pub struct Default(pub Stored);

        impl ServerHandler for Default {
            async fn call_tool(
                &self,
                request: CallToolRequestParams,
                context: RequestContext<RoleServer>,
            ) -> Result<CallToolResponse, ErrorData> {
                Stored::tool_router().call(ToolCallContext::new(&self.0, request, context)).await
            }

            async fn list_tools(
                &self,
                _: Option<PaginatedRequestParams>,
                context: RequestContext<RoleServer>,
            ) -> Result<ListToolsResult, ErrorData> {
                let hints = context.protocol_version().is_some_and(|it| it >= ProtocolVersion::V_2026_07_28);
                let mut list = ListToolsResult::with_all_items(Stored::tool_router().list_all());
                list.result_type = Some(ResultType::COMPLETE);
                list.ttl_ms = hints.then_some(0);
                list.cache_scope = hints.then_some(CacheScope::Public);
                Ok(list)
            }

            fn get_tool(&self, name: &str) -> Option<Tool> {
                Stored::tool_router().get(name).cloned()
            }

            fn get_info(&self) -> ServerConfig {
                ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            }
        }
    };
}

pub struct Reporting {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Reporting {
    #[tool(description = "Answers what it is told, and reports its progress.")]
    async fn echo_reported(
        &self,
        Parameters(Echo { text }): Parameters<Echo>,
        context: RequestContext<RoleServer>,
    ) -> String {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, 1.0).with_total(2.0).with_message("halfway");
            context.peer.notify_progress(progress).await.unwrap();
        }
        text
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Reporting {}

/// One endpoint for both eras, with the allow-lists that a server on this machine wants and no stream where none is
/// needed, as `tool-mcp` is set up.
fn endpoint<S: ServerHandler>(server: S, json: bool) -> Router {
    let shared = Arc::new(server);
    let config = StreamableHttpServerConfig::default()
        .with_json_response(json)
        .with_allowed_hosts(["localhost", "127.0.0.1", "[::1]"])
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]);
    let service = StreamableHttpService::new(
        move || Ok(Arc::clone(&shared)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().route_service("/", service)
}

async fn serve<S: ServerHandler>(server: S, transport: &str) {
    match transport {
        "stdio" => {
            let running = server.serve(rmcp::transport::stdio_pipes()).await.unwrap();
            drop(running.waiting().await);
        }
        _ => transport::over_http(endpoint(server, true)).await,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport, router] = [words.next().unwrap(), words.next().unwrap(), words.next().unwrap()];
    match (tools.as_str(), router.as_str()) {
        (_, "stream") => {
            let server = Reporting { tool_router: Reporting::tool_router() };
            transport::over_http(endpoint(server, false)).await;
        }
        ("10", "stored") => serve(few::Stored::new(), &transport).await,
        ("10", _) => serve(few::Default(few::Stored::new()), &transport).await,
        ("100", "stored") => serve(more::Stored::new(), &transport).await,
        ("100", _) => serve(more::Default(more::Stored::new()), &transport).await,
        (_, "stored") => serve(many::Stored::new(), &transport).await,
        _ => serve(many::Default(many::Stored::new()), &transport).await,
    }
}
