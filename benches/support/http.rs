//! Serves the list of so many tools on a free port: `bare` (a handler of axum that returns the same bytes), `router` (the
//! router of `tool-http`, served alike) or `server` (the server of `tool-http`).

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use axum::routing::get;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
use tower::ServiceExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap();
    let tools = registry(arguments.next().unwrap().parse().unwrap());
    let router = match kind.as_str() {
        "bare" => {
            let request = Request::get("/tools").body(Body::empty()).unwrap();
            let answer = tool_http::router(tools).oneshot(request).await.unwrap();
            let bytes = answer.into_body().collect().await.unwrap().to_bytes();
            let list = async move || ([(header::CONTENT_TYPE, "application/json")], bytes.clone());
            Router::new().route("/tools", get(list))
        }
        "router" => tool_http::router(tools),
        _ => {
            let options = tool_http::Options::new();
            let server = tool_http::Server::new(tools).options(options).bind("127.0.0.1:0").await.unwrap();
            println!("{}", server.local_addr().port());
            return server.run(std::future::pending()).await;
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    axum::serve(listener, router).await.unwrap();
}

fn registry(tools: usize) -> Registry {
    let tool = |number| {
        let name = format!("get_forecast_{number}");
        let description = format!("The weather of the next days in a city, by model number {number}.");
        let definition = ToolDefinition::builder(name, description)
            .operation(Operation::Read)
            .input_schema(json!({
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The city."},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14, "description": "How many days."},
                },
                "required": ["city"],
                "additionalProperties": false,
            }))
            .build()
            .unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    };
    let builder = (0..tools).fold(Registry::builder(), |builder, number| builder.tool(tool(number)));
    builder.build().unwrap()
}
