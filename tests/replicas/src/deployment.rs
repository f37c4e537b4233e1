//! The processes of `deploy/compose.yaml`, as they are started there, but on loopback.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::balancer::Balancer;
use crate::client::Client;
use crate::replica::{Replica, Shared};

/// A user of the site who may change pages.
const USER: &str = "otto";
const TOKEN: &str = "0b7c5f1e9d2a4c68";

/// What is read of the file.
#[derive(Deserialize)]
struct Compose {
    services: BTreeMap<String, Service>,
}

#[derive(Deserialize)]
struct Service {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    deploy: Deploy,
}

#[derive(Default, Deserialize)]
struct Deploy {
    #[serde(default)]
    replicas: usize,
}

impl Compose {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/compose.yaml");
        serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Starts the replicas of a service. Returns a client of a balancer before them.
    async fn start(&self, name: &str, shared: &Shared) -> (Vec<Replica>, Balancer) {
        let service = &self.services[name];
        let mut replicas = Vec::new();
        for _ in 0..service.deploy.replicas {
            replicas.push(service.start(shared).await);
        }
        assert!(replicas.len() > 1, "{name} has several replicas");
        let balancer = Balancer::start().await;
        balancer.set(replicas.iter().map(|replica| replica.address).collect());
        (replicas, balancer)
    }
}

impl Service {
    /// Starts one replica: with what the containers reach by other addresses, and with the secrets as files of this test.
    async fn start(&self, shared: &Shared) -> Replica {
        let mut arguments: Vec<&str> = self.command.iter().map(String::as_str).collect();
        let port =
            arguments.iter().position(|word| *word == "0.0.0.0:8080").expect("the port of the container");
        arguments[port] = "127.0.0.1:0";
        let mut command = shared.command_of("content", &arguments);
        for (name, value) in &self.environment {
            let file = value.strip_prefix("/run/secrets/").map(|name| shared.folder().join(name));
            match (name.as_str(), file) {
                // As all commands of this test have them.
                ("DATABASE_URL" | "AWS_ENDPOINT_URL" | "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", _) => {}
                (_, Some(file)) => drop(command.env(name, file)),
                (_, None) => drop(command.env(name, value)),
            }
        }
        Replica::of(command).await
    }
}

pub(crate) async fn serves_the_deployment_of_content() {
    let shared = Shared::new().await;
    fs::write(shared.folder().join("signing_key"), "correct horse battery").unwrap();
    fs::write(shared.folder().join("tokens"), format!("{USER} {TOKEN}\n")).unwrap();
    let compose = Compose::read();
    let (mut over_http, http_balancer) = compose.start("http", &shared).await;
    let (mut over_mcp, mcp_balancer) = compose.start("mcp", &shared).await;
    let http = Client::with_token(http_balancer.address, TOKEN);
    let mcp = Client::with_token(mcp_balancer.address, TOKEN);

    // A page that one replica has created is found by all, over both protocols.
    for round in 0..6 {
        let title = format!("Round {round}");
        let page =
            json!({"kind": "article", "title": title, "body": "Text.", "meta": {"description": title}});
        let created = http.post("/tools/create_node/call", &page, &[]).await.unwrap();
        assert_eq!(created.status, 200, "{created:?}");
        let id = created.json()["structuredContent"]["id"].clone();
        for _ in 0..3 {
            let read = http.post("/tools/get_node/call", &json!({"id": id}), &[]).await.unwrap();
            assert_eq!(read.json()["structuredContent"]["title"], title, "{read:?}");
            let call = json!({"name": "get_node", "arguments": {"id": id}});
            let read = mcp.mcp("tools/call", call).await.unwrap();
            assert_eq!(read.json()["result"]["structuredContent"]["title"], title, "{read:?}");
        }
        // Killed, and replaced as a container is.
        if round == 2 {
            over_http.remove(0).kill().await;
            over_http.push(compose.services["http"].start(&shared).await);
            http_balancer.set(over_http.iter().map(|replica| replica.address).collect());
            over_mcp.remove(0).kill().await;
            over_mcp.push(compose.services["mcp"].start(&shared).await);
            mcp_balancer.set(over_mcp.iter().map(|replica| replica.address).collect());
        }
    }

    let health = http.get("/health").await.unwrap();
    assert_eq!(health.status, 200, "{health:?}");
    let anonymous =
        Client::new(http_balancer.address).post("/tools/create_node/call", &Value::Null, &[]).await;
    assert_eq!(anonymous.unwrap().status, 401);
}
