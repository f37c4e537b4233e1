//! Calls with an `Idempotency-Key` that are repeated at another replica.

use serde_json::json;

use crate::client::{Answer, Client};
use crate::replica::{Replica, Service};

const KEY: (&str, &str) = ("idempotency-key", "\"order-1\"");

async fn order(client: &Client, item: &str, headers: &[(&str, &str)]) -> Result<Answer, reqwest::Error> {
    client.post("/tools/order/call", &json!({"item": item}), headers).await
}

/// Orders until the answer is another one than that the first order still runs.
async fn order_until_done(client: &Client, item: &str) -> Answer {
    loop {
        let answer = order(client, item, &[KEY]).await.unwrap();
        if answer.status != 409 {
            return answer;
        }
        assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Returns the lines that the calls have written.
fn effects(service: &Service) -> Vec<String> {
    let text = std::fs::read_to_string(service.shared.effects()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(crate) async fn has_one_effect_for_one_key() {
    let service = Service::start(2).await;
    let [a, b] = [0, 1].map(|index| Client::new(service.replicas[index].address));
    let (first, second) = tokio::join!(order_until_done(&a, "tea"), order_until_done(&b, "tea"));
    assert_eq!((first.status, &first.body), (200, &second.body), "{first:?} {second:?}");
    assert_eq!(effects(&service).len(), 1);

    // Another call of MCP has the same key.
    let meta = json!({"name": "order", "arguments": {"item": "tea"}});
    let over_mcp =
        b.mcp_with("tools/call", meta, json!({"tool-core/idempotencyKey": "order-1"})).await.unwrap();
    assert_eq!(over_mcp.status, 200, "{over_mcp:?}");
    assert_eq!(effects(&service).len(), 1);

    let other = order(&b, "coffee", &[KEY]).await.unwrap();
    assert_eq!(other.status, 422, "{other:?}");
    let invalid = order(&b, "tea", &[("idempotency-key", "")]).await.unwrap();
    assert_eq!(invalid.status, 400, "{invalid:?}");
    assert_eq!(effects(&service).len(), 1);
}

pub(crate) async fn keeps_the_outcome_of_a_key_after_a_kill() {
    let mut service = Service::start(2).await;
    let [a, b] = [0, 1].map(|index| Client::new(service.replicas[index].address));
    let before = order(&a, "tea", &[KEY]).await.unwrap();
    assert_eq!(before.status, 200, "{before:?}");
    service.replicas.remove(0).kill().await;
    let after = order_until_done(&b, "tea").await;
    assert_eq!((after.status, &after.body), (200, &before.body));
    let new = Replica::start(&service.shared).await;
    let last = order_until_done(&Client::new(new.address), "tea").await;
    assert_eq!(last.body, before.body);
    assert_eq!(effects(&service).len(), 1);
}
