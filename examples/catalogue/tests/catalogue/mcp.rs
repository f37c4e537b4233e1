//! The catalogue as an MCP client of others sees it.

use std::process::Stdio;
use std::sync::Arc;

use catalogue::demo;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

use crate::program::{PATIENCE, Place};

/// A client that is told of changes.
#[derive(Clone, Default)]
struct ListChanged(Arc<Notify>);

impl ClientHandler for ListChanged {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

struct Connected {
    client: RunningService<RoleClient, ListChanged>,
    list_changed: ListChanged,
    _program: Child,
}

async fn connected(place: &Place) -> Connected {
    let mut program = Command::from(place.program());
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
    Connected { client, list_changed, _program: program }
}

impl Connected {
    async fn names(&self) -> Vec<String> {
        let tools = self.client.list_all_tools().await.unwrap();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    async fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = serde_json::to_value(self.client.call_tool(request).await.unwrap()).unwrap();
        (result["isError"] == true, result)
    }
}

/// Describing runs the program to its end, which must not hold the runtime up.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_calls_tools_and_announces_changes() {
    let (addr, serving) = demo::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    tokio::spawn(serving);
    let place = Arc::new(on_a_thread(move || Place::new().with_library(&format!("http://{addr}"))).await);
    let connected = connected(&place).await;
    assert_eq!(connected.names().await, ["borrow_book", "find_books", "get_book", "get_cover"]);

    let (failed, result) =
        connected.call("borrow_book", json!({"isbn": "9780141439471", "reader": "Ada"})).await;
    assert!(!failed, "{result}");
    assert_eq!(result["structuredContent"], json!({"title": "Frankenstein", "reader": "Ada", "days": 14}));
    let (failed, result) = connected.call("get_cover", json!({"isbn": "9780141439471"})).await;
    assert!(!failed && result["content"][0]["mimeType"] == "image/gif", "{result}");
    let (failed, result) = connected.call("get_book", json!({"isbn": "1"})).await;
    let text = "provider `library` answered 404 Not Found: there is no book 1";
    assert!(failed && result["content"][0]["text"] == text, "{result}");
    let (failed, result) = connected.call("find_books", json!({"subjects": ["seas"]})).await;
    assert!(failed, "{result}");

    // Several changes at once may be told as several: the last one is.
    let described = Arc::clone(&place);
    on_a_thread(move || described.done("disable_tool", &json!({"code": "get_cover"}))).await;
    let changed = async {
        loop {
            connected.list_changed.0.notified().await;
            if connected.names().await == ["borrow_book", "find_books", "get_book"] {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, changed).await.expect("the change is told");
    connected.client.cancel().await.unwrap();
}
