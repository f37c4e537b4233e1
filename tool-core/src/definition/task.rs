//! The task options of dynamic tools: their checks, and their form in JSON.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::definition::facts::Facts;
use crate::model::operation::Operation;
use crate::model::task::{TaskOptions, TaskSupport};
use crate::schema::has_secret;

/// More retries than this are a mistake.
const MAX_RETRIES: u32 = 100;

/// Ten years. A deadline beyond that may not fit into the clock of a database.
const MAX_DURATION: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// Checks what `#[tool]` checks in `task(…)`.
pub(super) fn check(facts: &Facts, input_schema: &Value) -> Result<(), &'static str> {
    let Some(task) = &facts.task else { return Ok(()) };
    let mut durations = [Some(task.ttl), Some(task.poll), task.attempt_timeout].into_iter().flatten();
    if facts.operation != Some(Operation::Trigger) {
        Err("only a `Trigger` runs as a task")
    } else if facts.timeout.is_some() {
        Err("a tool that runs as a task has no `timeout`: set `attempt_timeout`")
    } else if task.retries > MAX_RETRIES {
        Err("there are more than 100 retries")
    } else if durations.any(|duration| duration.is_zero() || duration > MAX_DURATION) {
        Err("a duration is zero, or longer than ten years")
    } else if task.attempt_timeout.is_some_and(|attempt| attempt > task.ttl) {
        Err("`ttl` is shorter than `attempt_timeout`")
    } else if has_secret(input_schema) {
        Err("it takes a secret, and the arguments of a task are stored")
    } else {
        Ok(())
    }
}

/// The task options in the JSON of a definition.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskJson {
    support: TaskSupport,
    retries: Option<u32>,
    attempt_timeout: Option<String>,
    ttl: Option<String>,
    poll: Option<String>,
}

impl TaskJson {
    /// Returns the schema of the JSON.
    pub(super) fn schema() -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "properties": {
                "support": {"enum": [TaskSupport::Optional, TaskSupport::Required]},
                "retries": {"type": "integer", "minimum": 0, "maximum": MAX_RETRIES},
                "attemptTimeout": text,
                "ttl": text,
                "poll": text,
            },
            "required": ["support"],
            "additionalProperties": false,
        })
    }

    /// Returns the options, or the path of a text that is no duration for `parse`.
    pub(super) fn options(
        self,
        parse: impl Fn(&str) -> Option<Duration>,
    ) -> Result<TaskOptions, &'static str> {
        let read = |text: Option<String>, path| text.map(|text| parse(&text).ok_or(path)).transpose();
        let mut options = TaskOptions::new(self.support).retries(self.retries.unwrap_or(0));
        options.attempt_timeout = read(self.attempt_timeout, "/task/attemptTimeout")?;
        options.ttl = read(self.ttl, "/task/ttl")?.unwrap_or(options.ttl);
        options.poll = read(self.poll, "/task/poll")?.unwrap_or(options.poll);
        Ok(options)
    }
}
