//! A tool over MCP, in this process.

use serde_json::json;
use tool_core::Registry;
use tool_mcp::Server;
use tool_mcp::testing::Client;

use {{crate_name}}::notes::Notes;

#[tokio::test]
async fn adds_a_note() {
    let builder = Registry::builder().linked().state(Notes::default());
    let server = Server::new(builder.build().unwrap());
    let client = Client::connect(server).await.unwrap();
    let added = client.call("add_note", json!({"text": "Buy apples"})).await;
    assert_eq!(added.unwrap().structured(), &json!({"result": 1}));
}
