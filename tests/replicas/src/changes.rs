//! Changes at one replica, of which clients of another one are notified.

use std::time::Duration;

use reqwest::Response;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::client::Client;
use crate::older_clients::Session;
use crate::replica::Service;

/// How long a notification of these tests may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a stream without notifications is silent.
const QUIET: Duration = Duration::from_secs(3);

const URI: &str = "replica://page/7";

/// Reads a stream of events until it has this text.
async fn read_until(stream: &mut Response, wanted: &str) {
    let mut text = String::new();
    let read = async {
        while !text.contains(wanted) {
            let chunk = stream.chunk().await.unwrap().unwrap_or_else(|| panic!("no `{wanted}` in {text}"));
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    timeout(PATIENCE, read).await.unwrap_or_else(|_| panic!("no `{wanted}` in time"));
}

/// Reads what is on its way, until nothing has come for a while.
async fn drain(stream: &mut Response) {
    while timeout(QUIET, stream.chunk()).await.is_ok() {}
}

/// Says at a replica that the page has changed.
async fn touch(client: &Client) {
    let touched = client.post("/tools/touch_page/call", &json!({"number": 7}), &[]).await.unwrap();
    assert_eq!(touched.status, 200, "{touched:?}");
}

pub(crate) async fn notifies_clients_of_other_replicas() {
    const UPDATED: &str = "notifications/resources/updated";
    let service = Service::start(2).await;
    let [a, b] = [0, 1].map(|index| Client::new(service.replicas[index].address));
    let listen = json!({"notifications": {"resourceSubscriptions": [URI]}});
    let mut modern = a.mcp_stream("subscriptions/listen", listen).await;
    read_until(&mut modern, "notifications/subscriptions/acknowledged").await;
    let session = Session::start(&a).await;
    let mut older = a.stream(&session.headers()).await;
    assert_eq!(session.request(&a, "resources/subscribe", json!({"uri": URI})).await.status, 200);
    // The connections to the database are made.
    sleep(Duration::from_secs(1)).await;

    touch(&b).await;
    read_until(&mut modern, UPDATED).await;
    read_until(&mut older, UPDATED).await;

    // Changes after the connections were cut are not lost.
    let mut connection = service.shared.postgres.connect().await;
    for _ in 0..3 {
        let cut =
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()";
        let count: i64 = sqlx::query_scalar(cut).fetch_one(&mut connection).await.unwrap();
        assert!(count > 0);
        for stream in [&mut modern, &mut older] {
            // Anything may have changed while there was no connection.
            read_until(stream, UPDATED).await;
            drain(stream).await;
        }
        touch(&b).await;
        read_until(&mut modern, UPDATED).await;
        read_until(&mut older, UPDATED).await;
    }
}
