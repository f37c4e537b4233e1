//! Questions of one replica, answered at another one.

use serde_json::{Value, json};

use crate::client::Client;
use crate::replica::{Replica, Shared};

/// Calls `greet`, and returns the state that the client has to send back.
async fn ask(client: &Client) -> Value {
    let params = json!({"name": "greet", "arguments": {"greeting": "Hello"}});
    let question = client.mcp("tools/call", params).await.unwrap().json();
    assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    question["result"]["requestState"].clone()
}

/// Answers the question of a state.
async fn answer(client: &Client, state: &Value) -> Value {
    let answers = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    let params = json!({
        "name": "greet", "arguments": {"greeting": "Hello"}, "requestState": state, "inputResponses": answers,
    });
    client.mcp("tools/call", params).await.unwrap().json()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

pub(crate) async fn accepts_answers_while_keys_are_rotated() {
    let shared = Shared::new().await;
    let mut clients = Vec::new();
    let mut replicas = Vec::new();
    // In the order of a rotation.
    for keys in ["1", "1,2", "2,1", "2", "3"] {
        let replica = Replica::start_with(&shared, &[("REPLICA_KEYS", keys)]).await;
        clients.push(Client::new(replica.address));
        replicas.push(replica);
    }
    for neighbors in clients[..4].windows(2) {
        for [first, second] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let state = ask(&neighbors[first]).await;
            assert_eq!(text(&answer(&neighbors[second], &state).await), "Hello, Ada!");
        }
    }
    let state = ask(&clients[0]).await;
    let refused = answer(&clients[4], &state).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}
