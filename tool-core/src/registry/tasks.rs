//! Tasks of a registry: creating them, and running their attempts.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::call::options::CallOptions;
use crate::call::{self, Reply};
use crate::context::elicitation::ElicitationClient;
use crate::context::shared::SharedHandle;
use crate::context::task_call::TaskCall;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::future::BoxFuture;
use crate::model::trace::TraceParent;
use crate::registry::Registry;
use crate::registry::builder::RegistryBuilder;
use crate::registry::checks::stores_secret;
use crate::tasks::{
    NewTask, Task, TaskAnswer, TaskAttempt, TaskClient, TaskCreator, TaskEnd, TaskEngine, TaskError,
    TaskOutcome, TaskRun,
};

impl RegistryBuilder {
    /// Stores and runs tasks with this engine. Without one, tools that are declared `task(optional)` are only called, and
    /// those that are declared `task(required)` cannot be registered.
    ///
    #[doc = include_str!("../../docs/task_engine.md")]
    pub fn tasks(mut self, engine: Arc<dyn TaskEngine>) -> Self {
        self.tasks = Some(engine);
        self
    }
}

impl Registry {
    /// Returns the engine of the tasks. Of several registries that were joined, it is that of the first one that has one.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.task_engine().is_none());
    /// ```
    pub fn task_engine(&self) -> Option<&Arc<dyn TaskEngine>> {
        self.inner.scopes().find_map(|scope| scope.tasks.as_ref())
    }

    /// Checks a call of the tool with these arguments, for the principal of this registry, and returns the task that makes it.
    /// The task exists after [`TaskEngine::create`].
    ///
    /// # Errors
    ///
    /// [`TaskError::Refused`] if the call would fail before its function: the tool does not exist, cannot run as a task or takes
    /// a secret, the caller has no access, or the arguments are invalid.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let error = registry.prepare_task("nope", b"{}").unwrap_err();
    /// assert_eq!(error.to_string(), "Tool not found: nope");
    /// ```
    pub fn prepare_task(&self, name: &str, arguments: &[u8]) -> Result<NewTask, TaskError> {
        let tool = self.find_or_fail(name).map_err(TaskError::Refused)?.definition;
        let options = match (self.task_engine(), tool.task()) {
            (Some(_), Some(options)) => *options,
            (None, Some(_)) => return Err(TaskError::Refused(no_engine(tool.name()))),
            (_, None) => return Err(TaskError::Refused(no_task(tool.name()))),
        };
        self.check_access(name).map_err(TaskError::Refused)?;
        // Tools of providers come after the checks of the builder.
        if stores_secret(tool) {
            return Err(TaskError::Refused(secret_task(tool.name())));
        }
        let arguments = if arguments.is_empty() { b"{}" } else { arguments };
        self.validate(name, arguments).map_err(TaskError::Refused)?;
        NewTask::new(self.principal(), tool.name(), String::from_utf8_lossy(arguments), options)
    }

    /// Creates a task that calls the tool with these arguments, for the principal of this registry. The task exists when this
    /// returns. An idempotency `key` makes sure that there is one task, however often this is called.
    ///
    /// # Errors
    ///
    /// See [`Registry::prepare_task`] and [`TaskEngine::create`].
    ///
    /// ```no_run
    /// use tool_core::Registry;
    /// use tool_core::tasks::TaskError;
    ///
    /// async fn export(registry: &Registry) -> Result<String, TaskError> {
    ///     let task = registry.create_task("export_site", b"{}", Some("monday"), None).await?;
    ///     Ok(task.id.to_string())
    /// }
    /// ```
    pub async fn create_task(
        &self,
        name: &str,
        arguments: &[u8],
        key: Option<&str>,
        trace: Option<TraceParent>,
    ) -> Result<Task, TaskError> {
        let mut task = self.prepare_task(name, arguments)?;
        task.key = key.map(str::to_owned);
        task.trace = trace;
        match self.task_engine() {
            Some(engine) => engine.create(task).await,
            None => Err(TaskError::Refused(no_engine(&task.tool))),
        }
    }

    /// Returns the reply of a task that has ended, as a call would have returned it: a large result is a preview.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use tool_core::tasks::{Task, TaskId, TaskOptions, TaskSupport};
    ///
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let options = TaskOptions::new(TaskSupport::Optional);
    /// let task = Task::new(TaskId::from_bytes([7; 16]), "export_site", SystemTime::now(), options);
    /// assert!(registry.task_reply(&task).await.is_none());
    /// # });
    /// ```
    pub async fn task_reply(&self, task: &Task) -> Option<Reply> {
        let outcome = task.outcome.as_ref()?;
        let result = outcome.result().cloned().map_err(Clone::clone);
        let mut reply = Reply::new(outcome.call_id(), result);
        let definition = self.find(&task.tool).map(|target| target.definition);
        if let (Some(results), Some(definition)) = (self.store(), definition)
            && results.is_for(definition)
            && results.is_large(&reply.result)
        {
            reply.preview = results.shorten(&reply.result, self.principal()).await.map(Box::new);
        }
        Some(reply)
    }

    /// Takes and runs the tasks of the [engine](Registry::task_engine) until `stop`, and then until those that it runs have
    /// ended. Returns at once without an engine.
    ///
    /// # Errors
    ///
    /// See [`TaskEngine::work`].
    ///
    /// ```
    /// use tokio_util::sync::CancellationToken;
    ///
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.run_tasks(CancellationToken::new()).await, Ok(()));
    /// # });
    /// ```
    pub async fn run_tasks(&self, stop: CancellationToken) -> Result<(), TaskError> {
        match self.task_engine() {
            Some(engine) => engine.work(Arc::new(self.clone()), stop).await,
            None => Ok(()),
        }
    }

    /// Asks the caller what a task would ask before its function, and returns the answers.
    pub(super) async fn ask_before_task(
        &self,
        name: &str,
        arguments: &[u8],
        options: &CallOptions,
    ) -> Result<BTreeMap<String, TaskAnswer>, Failure> {
        let completed = self.completed(options);
        let options = completed.as_deref().unwrap_or(options);
        let Some(ElicitationClient::Direct(SharedHandle(client))) = &options.context.client else {
            return Ok(BTreeMap::new());
        };
        let target = self.find_or_fail(name)?;
        if target.definition.task().is_none() {
            return Err(no_task(target.definition.name()));
        }
        let creator = Arc::new(TaskCreator::new(Arc::clone(client)));
        let options = options.clone().client(Arc::clone(&creator) as _);
        call::prepare_only(self.origin(&options), target, arguments).await?;
        Ok(creator.answers())
    }

    async fn run_attempt(&self, attempt: TaskAttempt) -> TaskEnd {
        let TaskAttempt { task, tool, arguments, owner, timeout, trace, answers, progress, cancellation } =
            attempt;
        let registry = self.as_principal(owner);
        if registry.find(&tool).is_none() && self.member(&tool).is_none() {
            return TaskEnd::NoTool;
        }
        let client = Arc::new(TaskClient::new(answers));
        let canceled = cancellation.clone();
        let mut options = CallOptions::new().trace(trace).client(Arc::clone(&client) as _).full_results();
        if let Some(progress) = progress {
            options = options.progress(progress);
        }
        let options = options.task(TaskCall { task, timeout, cancellation });
        let Reply { call_id, result, .. } = registry.call_with(&tool, arguments.as_bytes(), &options).await;
        let result = match result {
            Err(failure) if failure.kind() == FailureKind::InputRequired => {
                return TaskEnd::InputRequired(client.questions());
            }
            // The function noticed the cancellation, and ended without a result.
            Err(failure) if canceled.is_cancelled() => {
                Err(Failure::new(FailureKind::Cancelled, failure.message()))
            }
            result => result,
        };
        let may_retry = result.as_ref().is_err_and(|failure| {
            matches!(failure.kind(), FailureKind::Failed(Reason::Unavailable) | FailureKind::Busy)
        });
        TaskEnd::Ended { outcome: TaskOutcome::new(call_id, result), may_retry }
    }
}

impl TaskRun for Registry {
    fn run(&self, attempt: TaskAttempt) -> BoxFuture<'_, TaskEnd> {
        Box::pin(self.run_attempt(attempt))
    }
}

/// Returns the failure of a tool that can run as a task, where no engine stores tasks.
fn no_engine(tool: &str) -> Failure {
    let message = format!(
        "`{tool}` cannot run as a task here, since the application has no task engine: call it, and wait for its result"
    );
    Failure::new(FailureKind::Failed(Reason::Conflict), message)
}

/// Returns the failure of a tool that does not run as a task.
fn no_task(tool: &str) -> Failure {
    let message = format!("`{tool}` does not run as a task: call it, and wait for its result");
    Failure::new(FailureKind::Failed(Reason::Conflict), message)
}

/// Returns the failure of a tool that takes a secret, and would run as a task.
fn secret_task(tool: &str) -> Failure {
    let message = format!(
        "`{tool}` cannot run as a task, since it takes a secret and the arguments of a task are stored: call it, and wait for its result"
    );
    Failure::new(FailureKind::Failed(Reason::Conflict), message)
}
