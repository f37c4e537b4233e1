//! The client of tower-mcp tries everything.

#[path = "../../fixtures/clients/tests/scenarios/mod.rs"]
mod scenarios;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{Mutex, Notify, mpsc};
use tower_mcp::Error;
use tower_mcp::client::{HttpClientTransport, McpClient, NotificationHandler, StdioClientTransport};
use tower_mcp::protocol::SubscriptionFilter;

use crate::scenarios::{Answer, Client, Era, HttpServer, Transport, program};

scenarios::scenarios!(stdio_legacy: crate::TowerMcpClient, Stdio, Legacy);
scenarios::scenarios!(stdio_modern: crate::TowerMcpClient, Stdio, Modern);
scenarios::scenarios!(http_legacy: crate::TowerMcpClient, Http, Legacy);
scenarios::scenarios!(http_modern: crate::TowerMcpClient, Http, Modern);

struct TowerMcpClient {
    client: McpClient,
    progress: Mutex<mpsc::UnboundedReceiver<(f64, Option<f64>)>>,
    tools_changed: Arc<Notify>,
    _server: Option<HttpServer>,
}

impl Client for TowerMcpClient {
    type Error = Error;

    async fn connect(transport: Transport, era: Era) -> Self {
        let (sender, progress) = mpsc::unbounded_channel();
        let tools_changed = Arc::<Notify>::default();
        let changed = Arc::clone(&tools_changed);
        let handler = NotificationHandler::new()
            .on_progress(move |params| {
                let _ = sender.send((params.progress, params.total));
            })
            .on_tools_changed(move || changed.notify_one());
        let builder = McpClient::builder().request_progress();
        let (client, server) = match transport {
            Transport::Stdio => {
                let transport = StdioClientTransport::spawn_command(&mut program()).await.unwrap();
                (builder.connect(transport, handler).await.unwrap(), None)
            }
            Transport::Http => {
                let server = HttpServer::start().await;
                let http = reqwest::Client::builder().no_proxy().build().unwrap();
                let transport = HttpClientTransport::with_client(server.url.as_str(), http);
                (builder.connect(transport, handler).await.unwrap(), Some(server))
            }
        };
        match era {
            Era::Legacy => drop(client.initialize("tower-mcp", "1.0.0").await.unwrap()),
            Era::Modern => drop(client.discover("tower-mcp", "1.0.0").await.unwrap()),
        }
        TowerMcpClient { client, progress: Mutex::new(progress), tools_changed, _server: server }
    }

    async fn server(&self) -> (String, String) {
        if let Some(info) = self.client.server_info().await {
            return (info.protocol_version, info.server_info.name);
        }
        let version = self.client.selected_protocol_version().await.unwrap();
        let meta = self.client.discovery().await.unwrap().meta;
        let meta = serde_json::to_value(meta).unwrap();
        let name = meta["io.modelcontextprotocol/serverInfo"]["name"].as_str().unwrap();
        (version, name.to_owned())
    }

    async fn ping(&self) -> Result<(), Error> {
        self.client.ping().await
    }

    async fn tools(&self) -> Result<Vec<(String, Value)>, Error> {
        let tools = self.client.list_all_tools().await?;
        Ok(tools.into_iter().map(|tool| (tool.name, tool.input_schema)).collect())
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<Answer, Error> {
        let result = self.client.call_tool(name, arguments).await?;
        Ok(Answer {
            is_error: result.is_error,
            text: result.all_text(),
            structured: result.structured_content,
        })
    }

    async fn progress(&self) -> (f64, Option<f64>) {
        self.progress.lock().await.recv().await.unwrap()
    }

    async fn resources(&self) -> Result<Vec<String>, Error> {
        let resources = self.client.list_all_resources().await?;
        Ok(resources.into_iter().map(|resource| resource.uri).collect())
    }

    async fn templates(&self) -> Result<Vec<String>, Error> {
        let templates = self.client.list_all_resource_templates().await?;
        Ok(templates.into_iter().map(|template| template.uri_template).collect())
    }

    async fn read(&self, uri: &str) -> Result<String, Error> {
        let result = self.client.read_resource(uri).await?;
        Ok(result.first_text().unwrap().to_owned())
    }

    async fn prompts(&self) -> Result<Vec<(String, Vec<String>)>, Error> {
        let prompts = self.client.list_all_prompts().await?;
        let names = |prompt: &tower_mcp::protocol::PromptDefinition| {
            prompt.arguments.iter().map(|argument| argument.name.clone()).collect()
        };
        Ok(prompts.iter().map(|prompt| (prompt.name.clone(), names(prompt))).collect())
    }

    async fn prompt(&self, name: &str, arguments: Value) -> Result<String, Error> {
        let arguments: HashMap<String, String> = serde_json::from_value(arguments).unwrap();
        let result = self.client.get_prompt(name, Some(arguments)).await?;
        Ok(result.messages[0].content.as_text().unwrap().to_owned())
    }

    async fn complete_prompt(&self, name: &str, argument: &str, value: &str) -> Result<Vec<String>, Error> {
        Ok(self.client.complete_prompt_arg(name, argument, value).await?.completion.values)
    }

    async fn complete_template(&self, uri: &str, variable: &str, value: &str) -> Result<Vec<String>, Error> {
        Ok(self.client.complete_resource_uri(uri, variable, value).await?.completion.values)
    }

    async fn changed(&self, era: Era, trigger: impl Future<Output = ()>) {
        let mut subscription = None;
        if era == Era::Modern {
            let filter = SubscriptionFilter { tools_list_changed: Some(true), ..Default::default() };
            let mut opened = self.client.listen_subscriptions(filter).await.unwrap();
            assert_eq!(opened.acknowledged().await.unwrap().tools_list_changed, Some(true));
            subscription = Some(opened);
        }
        trigger.await;
        self.tools_changed.notified().await;
        if let Some(subscription) = subscription {
            subscription.cancel().await.unwrap();
        }
    }

    async fn close(self) {
        self.client.shutdown().await.unwrap();
    }
}
