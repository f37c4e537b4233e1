#![doc = include_str!("../docs/tasks.md")]

mod client;
mod engine;
mod outcome;
mod owner;
mod record;
mod run;
mod state;

pub use crate::declare::inject::task_key::TaskKey;
pub use crate::model::task::{ParseTaskIdError, RunningTask, TaskId, TaskOptions, TaskSupport};
pub use engine::{NewTask, TaskEngine, TaskError};
pub use outcome::TaskOutcome;
pub use owner::Owner;
pub use record::{Task, TaskAnswer, TaskProgress, TaskQuestion};
pub use run::{TaskAttempt, TaskEnd, TaskRun};
pub use state::{TaskState, UnknownTaskState};

pub(crate) use client::{TaskClient, TaskCreator};
