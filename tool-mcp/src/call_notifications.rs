//! Progress and log messages of a call, sent to its client while the call runs.

use rmcp::model::ProgressToken;
use serde::Serialize;
use tool_core::CallOptions;
use tool_core::adapter::{CallEvent, CallEvents};

use crate::logging;
use crate::protocol::{Notification, RequestContext};

/// Runs a call, sends its progress and messages to the client, and returns its value.
pub(crate) async fn with_notifications<T>(
    options: CallOptions,
    cx: &RequestContext,
    call: impl AsyncFnOnce(&CallOptions) -> T,
) -> T {
    let (token, least) = (cx.progress_token.as_ref(), cx.log_level);
    if token.is_none() && least.is_none() {
        return call(&options).await;
    }
    // Dropped with the call: work that outlives it may go on reporting, but not after the response.
    let events = CallEvents::new(token.is_some(), least);
    let options = events.observe(options);
    let calling = async {
        let value = call(&options).await;
        events.close();
        value
    };
    tokio::join!(calling, send_all(&events, token, cx)).0
}

/// Sends one notification after the other: the next once the transport has taken the last.
async fn send_all(events: &CallEvents, token: Option<&ProgressToken>, cx: &RequestContext) {
    while let Some(event) = events.next().await {
        let sent = match (event, token) {
            (CallEvent::Progress { done, total, message }, Some(progress_token)) => {
                let (progress, total) = (number(done), total.map(number));
                let params = ProgressParams { progress_token, progress, total, message };
                cx.outbox.send(&Notification::new("notifications/progress", params)).await
            }
            (CallEvent::Log { level, tool, data }, _) => {
                cx.log_outbox().send(&logging::message(level, tool, data)).await
            }
            // There is no progress without a token.
            _ => Ok(()),
        };
        if let Err(error) = sent {
            tracing::debug!(%error, request = ?cx.id, "the client gets no more notifications of the call");
            return events.close();
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams<'a> {
    progress_token: &'a ProgressToken,
    progress: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

#[expect(clippy::cast_precision_loss, reason = "a progress bar cannot show the difference beyond 2^53")]
fn number(n: u64) -> f64 {
    n as f64
}
