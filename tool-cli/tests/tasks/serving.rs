//! Workers inside of servers.

use std::sync::Arc;

use tool_cli::{App, Server, Streams};
use tool_core::tasks::TaskState;

use crate::registry::{self, Failing};
use crate::{Bench, on};

#[tokio::test]
async fn runs_tasks_beside_a_server() {
    let bench = Bench::new();
    let id = bench.run(&["run", "count", "to=1", "--detach"]).await.id();
    let registry = bench.registry.clone();
    let server = Server::new(async move |_| {
        let (engine, task) = (registry.task_engine().unwrap(), id.parse().unwrap());
        loop {
            let found = engine.get(registry.principal(), &task).await.unwrap().unwrap();
            if found.state == TaskState::Completed {
                return Ok(());
            }
            engine.changed(&task, found.version).await;
        }
    });
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    on(bench.app().server("once", server), &["serve", "once"], streams).await.is(0, "", "");
}

#[tokio::test]
async fn stops_a_server_whose_worker_fails() {
    let server = Server::new(async move |options| {
        options.shutdown().await;
        Ok(())
    });
    let app = App::new("demo", registry::with(Arc::new(Failing::away()))).server("patient", server);
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let ran = on(app, &["serve", "patient"], streams).await;
    ran.is(1, "", "error: the worker failed: the tasks cannot be reached: disk on fire\n");
}

#[tokio::test]
async fn reports_a_worker_that_fails() {
    let app = App::new("demo", registry::with(Arc::new(Failing::away())));
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let ran = on(app, &["task", "work", "-q"], streams).await;
    ran.is(1, "", "error: the worker failed: the tasks cannot be reached: disk on fire\n");
}
