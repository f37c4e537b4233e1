//! The changes of a task as a stream of events.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use tool_core::tasks::Task;

use crate::content_coding::NoCompression;
use crate::tasks::{Tasks, document};

/// How long a stream is silent before a comment shows that it is still open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Responds with an event for each state of the task that is newer than `last`, until it has ended. The identifier of an event
/// is the version of the task, so that a client that reconnects with `Last-Event-ID` misses nothing but states in between.
pub(super) fn response(tasks: Tasks, task: Task, last: Option<u64>) -> Response {
    let events = unfold(Follower { tasks, task: Some(task), last }, async |mut follower| {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.extensions_mut().insert(NoCompression);
    response
}

struct Follower {
    tasks: Tasks,
    /// The last state, or `None` after the last event.
    task: Option<Task>,
    /// The version that the client has.
    last: Option<u64>,
}

impl Follower {
    /// Waits for the next state that the client does not have.
    async fn next(&mut self) -> Option<Event> {
        let mut task = self.task.take()?;
        while self.last.is_some_and(|last| task.version <= last) {
            if task.state.has_ended() {
                return None;
            }
            self.tasks.engine.changed(&task.id, task.version).await;
            // A database that is away for a moment changes nothing for the client; a task that expired ends the stream.
            match self.tasks.engine.get(self.tasks.tools.principal(), &task.id).await {
                Ok(Some(newer)) => task = newer,
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "the state of a task cannot be read");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
        self.last = Some(task.version);
        let data = serde_json::to_string(&document::of(&self.tasks.tools, &task).await).ok()?;
        let event = Event::default().event("task").id(task.version.to_string()).data(data);
        self.task = Some(task);
        Some(event)
    }
}
