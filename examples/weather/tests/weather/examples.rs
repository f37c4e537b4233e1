//! The examples of the tools on all interfaces, and what a model and the lock have of the tools.

use tool_cli::App;
use tool_cli::testing::CliCalls;
use tool_core::lock::Lock;
use tool_core::{Registry, testing};
use tool_http::Options;
use tool_http::testing::HttpCalls;
use tool_mcp::Server;
use tool_mcp::testing::Client;

fn registry() -> Registry {
    weather::registry("unused").unwrap()
}

#[tokio::test]
async fn every_interface_responds_alike_to_the_examples() {
    let registry = registry();
    testing::run_examples(&registry, |tool| !tool.modifies()).await.assert_succeeded();

    let modern = Client::connect(Server::new(registry.clone())).await.unwrap();
    let legacy = Client::builder(Server::new(registry.clone())).legacy().connect().await.unwrap();
    let options = Options::new().allow_execute(true);
    let http = HttpCalls::new(tool_http::router_with(registry.clone(), options));
    let tools = registry.clone();
    let cli = CliCalls::new(move || App::new("weather", tools.clone()));
    let interfaces: [&dyn testing::Interface; 4] = [&modern, &legacy, &http, &cli];
    let compared = testing::compare_examples(&registry, |tool| !tool.modifies(), &interfaces).await;
    compared.assert_equal();
    assert_eq!(compared.calls, 5);
}

#[tokio::test]
async fn a_model_sees_what_it_saw_before() {
    let client = Client::connect(Server::new(registry()).name("weather")).await.unwrap();
    insta::assert_snapshot!(client.catalog().await.unwrap());
}

#[test]
fn callers_get_what_they_got_before() {
    insta::assert_snapshot!(Lock::of(&registry()));
}
