//! Tasks are created by an engine that stores them in memory.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use tool_core::tasks::{NewTask, Task, TaskEngine, TaskError, TaskId, TaskRun};
use tool_core::{BoxFuture, FailureKind, Principal, Registry, TraceParent};

use super::World;
use crate::builder_of;

/// Stores tasks, and runs none.
#[derive(Default)]
pub(super) struct Memory(Mutex<Vec<NewTask>>);

impl TaskEngine for Memory {
    fn create(&self, task: NewTask) -> BoxFuture<'_, Result<Task, TaskError>> {
        let stored = Task::new(task.id, task.tool.clone(), SystemTime::UNIX_EPOCH, task.options);
        self.0.lock().unwrap().push(task);
        Box::pin(async { Ok(stored) })
    }

    fn get<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<Option<Task>, TaskError>> {
        unreachable!("only creation is tested")
    }

    fn list<'a>(
        &'a self,
        _: &'a Principal,
        _: Option<&'a TaskId>,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>> {
        unreachable!("only creation is tested")
    }

    fn answer<'a>(
        &'a self,
        _: &'a Principal,
        _: &'a TaskId,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, TaskError>> {
        unreachable!("only creation is tested")
    }

    fn cancel<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<bool, TaskError>> {
        unreachable!("only creation is tested")
    }

    fn changed<'a>(&'a self, _: &'a TaskId, _: u64) -> BoxFuture<'a, ()> {
        unreachable!("only creation is tested")
    }

    fn work(&self, _: Arc<dyn TaskRun>, _: CancellationToken) -> BoxFuture<'_, Result<(), TaskError>> {
        unreachable!("only creation is tested")
    }
}

fn registry() -> (Registry, Arc<Memory>) {
    let engine = Arc::<Memory>::default();
    let builder = builder_of("tools::tasks").shared_state(Arc::<World>::default());
    let registry = builder.tasks(Arc::clone(&engine) as _).build().unwrap();
    (registry.as_principal(Principal::new("ada")), engine)
}

#[tokio::test]
async fn passes_the_call_to_the_engine() {
    let (registry, engine) = registry();
    let trace: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse().unwrap();
    let task = registry.create_task("seen", br#"{"n": 3}"#, Some("monday"), Some(trace)).await.unwrap();
    let other = registry.create_task("deploy", b"", None, None).await.unwrap();
    let stored = engine.0.lock().unwrap();
    let [seen, deploy] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!((seen.id, seen.owner.id(), seen.tool.as_str()), (task.id, Some("ada"), "seen"));
    assert_eq!((seen.arguments.as_str(), seen.key.as_deref()), (r#"{"n": 3}"#, Some("monday")));
    assert_eq!((seen.trace, seen.options.retries), (Some(trace), 1));
    assert_eq!((deploy.id, deploy.arguments.as_str(), &deploy.key), (other.id, "{}", &None));
    assert_ne!(task.id, other.id);
}

#[tokio::test]
async fn creates_no_task_that_would_be_refused() {
    let (registry, engine) = registry();
    for (tool, arguments, kind) in [
        ("export", "{}", FailureKind::Denied),
        ("seen", r#"{"n": 300}"#, FailureKind::Input),
        ("seen", "{", FailureKind::NotJson),
        ("ping", "{}", FailureKind::Failed(tool_core::failure::Reason::Conflict)),
        ("later_tool", "{}", FailureKind::NotFound),
    ] {
        match registry.create_task(tool, arguments.as_bytes(), None, None).await {
            Err(TaskError::Refused(failure)) => assert_eq!(failure.kind(), kind, "{tool}: {failure}"),
            other => panic!("{tool}: {other:?}"),
        }
    }
    assert!(engine.0.lock().unwrap().is_empty());
    let granted = registry.as_principal(Principal::new("ada").grant("site.export"));
    granted.create_task("export", b"{}", None, None).await.unwrap();

    let (without, _) = super::registry();
    assert!(matches!(
        without.create_task("seen", br#"{"n":3}"#, None, None).await,
        Err(TaskError::Refused(_))
    ));
}
