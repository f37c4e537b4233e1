//! A tool of another server, as one of ours.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorCode, JsonObject, ProgressNotificationParam};
use rmcp::service::ServiceError;
use serde_json::value::RawValue;
use tool_core::failure::Reason;
use tool_core::{BoxFuture, Context, Failure, FailureKind, Output, Tool, ToolDefinition};

use crate::upstream::error::Absent;
use crate::upstream::link::Link;
use crate::upstream::message::UNREADABLE;
use crate::upstream::result::outcome;
use crate::upstream::session::{Calling, Session};

/// A call that modifies and is not answered in its time runs on, and is taken back after so many times its time: a server
/// that never answers must not fill the memory.
pub(super) const RUNS_ON: u32 = 10;

/// A tool that is called where it comes from.
pub(super) struct UpstreamTool {
    pub(super) definition: ToolDefinition,
    /// Its name there.
    pub(super) name: String,
    pub(super) link: Arc<Link>,
}

impl Tool for UpstreamTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        context: Context,
        arguments: &'a RawValue,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        Box::pin(self.run(context, arguments))
    }
}

impl UpstreamTool {
    async fn run(&self, context: Context, arguments: &RawValue) -> Result<Output, Failure> {
        let session = self.link.session().map_err(|absent| unavailable(&absent, true))?;
        let arguments: JsonObject = serde_json::from_str(arguments.get()).map_err(|error| {
            tracing::error!(tool = self.definition.name(), %error, "valid arguments are no JSON object");
            Failure::internal()
        })?;
        let _running = session.running();
        let traceparent = context.traceparent().map(|trace| trace.to_string());
        let calling = session.call(&self.name, arguments, traceparent).await;
        let answer = match calling {
            Ok(calling) => self.wait(calling, &context).await?,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => outcome(self.link.name(), &self.definition, answer),
            Err(error) => Err(self.failure(&session, &error)),
        }
    }

    /// Waits for the answer and passes on what is told before.
    async fn wait(
        &self,
        mut calling: Calling,
        context: &Context,
    ) -> Result<Result<rmcp::model::ServerResult, ServiceError>, Failure> {
        let limit = self.definition.timeout().unwrap_or(Duration::from_secs(60));
        let mut given_up = std::pin::pin!(tokio::time::sleep(limit.saturating_mul(RUNS_ON)));
        let mut scale = Scale::default();
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = calling.reports.receiver.recv() => scale.pass_on(&report, context),
                answer = calling.asked.answer() => break answer,
                () = &mut given_up => {
                    tracing::warn!(tool = self.definition.name(), "a call that ran on is taken back");
                    self.link.look_again();
                    let server = self.link.name();
                    let message = format!("server `{server}` never answered `{}`", self.definition.name());
                    return Err(Failure::new(FailureKind::Timeout, message).with_retryable(false));
                }
            }
        };
        Ok(answer)
    }

    /// What the failure of a call means to its caller.
    fn failure(&self, session: &Session, error: &ServiceError) -> Failure {
        let (server, name) = (self.link.name(), self.definition.name());
        if let ServiceError::McpError(error) = error
            && error.code == UNREADABLE
        {
            let message = format!("server `{server}` answered `{name}` with {}", error.message);
            return Failure::new(FailureKind::Failed(Reason::Other), message);
        }
        let (what, unheard) = session.told(error);
        if let ServiceError::McpError(error) = error {
            if matches!(error.code, ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS) {
                // It may have other tools than it had.
                self.link.look_again();
            }
            let message = format!("server `{server}` refused `{name}`: {what}");
            return Failure::new(FailureKind::Failed(Reason::Other), message);
        }
        self.link.look_again();
        let message = format!("server `{server}` did not answer `{name}`: {what}");
        let failure = Failure::new(FailureKind::Failed(Reason::Unavailable), message);
        // What may have been done must not be done again without a thought.
        failure.with_retryable(unheard || !self.definition.modifies())
    }
}

/// The failure of a call to a server that is not there.
fn unavailable(absent: &Absent, retryable: bool) -> Failure {
    let message = format!("server `{}` is {}", absent.server, absent.state);
    Failure::new(FailureKind::Failed(Reason::Unavailable), message).with_retryable(retryable)
}

/// In which steps a server counts, where it does not count in whole ones.
#[derive(Debug, Default)]
struct Scale {
    /// Of a hundred.
    percent: Option<bool>,
}

impl Scale {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float that does not fit becomes the nearest that does"
    )]
    fn pass_on(&mut self, report: &ProgressNotificationParam, context: &Context) {
        let total = report.total.filter(|total| total.is_finite() && *total > 0.0);
        // A total of one, or of a fraction, counts parts of it.
        let percent =
            *self.percent.get_or_insert(total.is_some_and(|total| total <= 1.0 || total.fract() != 0.0));
        let message = report.message.as_deref().unwrap_or_default();
        match (percent, total) {
            (true, Some(total)) => {
                context.progress((report.progress / total * 100.0).round() as u64, 100, message);
            }
            _ => context.progress(report.progress as u64, total.map(|total| total as u64), message),
        }
    }
}
