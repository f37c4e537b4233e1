//! The containers of `deploy/compose.yaml`, where Docker is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

const TOKEN: &str = "0b7c5f1e9d2a4c68";

/// Returns `true` if Docker with Compose answers on this machine.
pub(crate) fn can_run() -> bool {
    let answers = |arguments: &[&str]| {
        let mut docker = Command::new("docker");
        docker.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        docker.status().is_ok_and(|status| status.success())
    };
    answers(&["compose", "version"]) && answers(&["info"])
}

/// The running containers. They and their volumes are removed with this value.
struct Project {
    name: String,
    folder: TempDir,
}

impl Project {
    /// Builds the image and starts everything, with secrets and a port of this test.
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let signing_key = secret("signing_key", "correct horse battery");
        let tokens = secret("tokens", &format!("otto {TOKEN}\n"));
        let changed = format!(
            "services:\n  balancer:\n    ports: !override [\"127.0.0.1::8080\"]\n\
             secrets:\n  signing_key: {{ file: {signing_key:?} }}\n  tokens: {{ file: {tokens:?} }}\n"
        );
        fs::write(folder.path().join("override.yaml"), changed).unwrap();
        let project = Self { name: format!("content-{}", std::process::id()), folder };
        project.compose(&["up", "--build", "--detach", "--wait", "--wait-timeout", "900"]);
        project
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let deploy: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
        let mut docker = Command::new("docker");
        docker.args(["compose", "--project-name", &self.name, "--file"]).arg(deploy.join("compose.yaml"));
        docker.arg("--file").arg(self.folder.path().join("override.yaml")).args(arguments);
        docker.env("DATABASE_PASSWORD", "0123456789abcdef").env("STORE_PASSWORD", "fedcba9876543210");
        docker
    }

    /// Runs a command of Compose, and returns what it prints.
    fn compose(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker compose {}: {errors}", arguments.join(" "));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = self.command(&["down", "--volumes", "--rmi", "local"]).output();
    }
}

/// A page that one replica has created is found by the others, also after one of each server was killed.
pub(crate) async fn serves_in_containers() {
    let project = Project::start();
    let address = project.compose(&["port", "balancer", "8080"]).trim().parse().unwrap();
    let client = Client::with_token(address, TOKEN);
    let page =
        json!({"kind": "article", "title": "Jars", "body": "Text.", "meta": {"description": "Of clay."}});
    let created = client.post("/tools/create_node/call", &page, &[]).await.unwrap();
    assert_eq!(created.status, 200, "{created:?}");
    let id: Value = created.json()["structuredContent"]["id"].clone();
    for round in 0..4 {
        let read = client.post("/tools/get_node/call", &json!({"id": id}), &[]).await.unwrap();
        assert_eq!(read.json()["structuredContent"]["title"], "Jars", "{read:?}");
        let call = json!({"name": "get_node", "arguments": {"id": id}});
        let read = client.mcp("tools/call", call).await.unwrap();
        assert_eq!(read.json()["result"]["structuredContent"]["title"], "Jars", "{read:?}");
        if round == 1 {
            // One container of each server; nginx asks the other one.
            for service in ["http", "mcp"] {
                let containers = project.compose(&["ps", "--quiet", service]);
                let first = containers.lines().next().unwrap();
                let killed = Command::new("docker").args(["kill", first]).output().unwrap();
                assert!(killed.status.success(), "{}", String::from_utf8_lossy(&killed.stderr));
            }
        }
    }
}
