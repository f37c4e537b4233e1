//! The catalogue as seen by an MCP client.

use std::process::Stdio;
use std::sync::Arc;

use catalogue::demo;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

use crate::program::{Fixture, PATIENCE};

/// A client that waits for notifications of changes.
#[derive(Clone, Default)]
struct ListChanged(Arc<Notify>);

impl ClientHandler for ListChanged {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

pub(crate) struct Session {
    client: RunningService<RoleClient, ListChanged>,
    list_changed: ListChanged,
    _program: Child,
}

pub(crate) async fn connect(fixture: &Fixture) -> Session {
    let mut program = Command::from(fixture.program());
    let mut program = program
        .args(["serve", "mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let pipes = (program.stdout.take().unwrap(), program.stdin.take().unwrap());
    let list_changed = ListChanged::default();
    let client = list_changed.clone().serve(pipes).await.unwrap();
    Session { client, list_changed, _program: program }
}

impl Session {
    pub(crate) async fn names(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    /// Waits until a notification leads to a list of these names. Several changes at once may cause several notifications.
    pub(crate) async fn until_notified(&self, names: &[&str]) {
        let changed = async {
            loop {
                self.list_changed.0.notified().await;
                if self.names().await == names {
                    break;
                }
            }
        };
        tokio::time::timeout(PATIENCE, changed).await.expect("the change is notified");
    }

    async fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = serde_json::to_value(self.client.call_tool(request).await.unwrap()).unwrap();
        (result["isError"] == true, result)
    }
}

/// Runs blocking work, such as a whole run of the program, off the runtime.
pub(crate) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_calls_tools_and_announces_changes() {
    let (addr, serving) = demo::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    tokio::spawn(serving);
    let fixture =
        Arc::new(run_blocking(move || Fixture::new().with_library(&format!("http://{addr}"))).await);
    let session = connect(&fixture).await;
    assert_eq!(session.names().await, ["borrow_book", "find_books", "get_book", "get_cover"]);

    let (failed, result) =
        session.call("borrow_book", json!({"isbn": "9780141439471", "reader": "Ada"})).await;
    assert!(!failed, "{result}");
    assert_eq!(result["structuredContent"], json!({"title": "Frankenstein", "reader": "Ada", "days": 14}));
    let (failed, result) = session.call("get_cover", json!({"isbn": "9780141439471"})).await;
    assert!(!failed && result["content"][0]["mimeType"] == "image/gif", "{result}");
    let (failed, result) = session.call("get_book", json!({"isbn": "1"})).await;
    let text = "provider `library` answered 404 Not Found: there is no book 1";
    assert!(failed && result["content"][0]["text"] == text, "{result}");
    let (failed, result) = session.call("find_books", json!({"subjects": ["seas"]})).await;
    assert!(failed, "{result}");

    let administrator = Arc::clone(&fixture);
    run_blocking(move || administrator.run_ok("disable_tool", &json!({"code": "get_cover"}))).await;
    session.until_notified(&["borrow_book", "find_books", "get_book"]).await;
    session.client.cancel().await.unwrap();
}

#[test]
fn requires_the_token_over_http() {
    let fixture = Fixture::new().with("CATALOGUE_TOKEN", "0b7c5f1e9d2a4c68");
    assert_eq!(fixture.http().call("find_books", &json!({})).0, 401);
    let server = fixture.serve(&["mcp", "--addr", "127.0.0.1:0"]);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(server.post("/mcp", &list).0, 401);
}
