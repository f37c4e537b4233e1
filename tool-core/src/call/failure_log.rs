//! Log lines of failed calls.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::definition::ToolDefinition;
use crate::model::audit_kind::AuditKind;
use crate::model::call_id::CallId;
use crate::model::failure::{Failure, FailureKind};

/// The context of a log line.
#[derive(Debug)]
pub(super) struct FailureLog {
    pub(super) tool: ToolDefinition,
    pub(super) kind: AuditKind,
    pub(super) call_id: CallId,
}

/// The longest message in characters: a message can be as long as an output.
const MOST: usize = 256;

impl FailureLog {
    /// Writes the line: as a warning if the application or one of its dependencies is at fault, as information if the caller is.
    /// The HTTP status of the failure distinguishes the two.
    ///
    /// A log that cannot be written, such as a closed stderr, may panic. The reply stays the same.
    pub(super) fn write(&self, failure: &Failure) {
        // The call continues with the answers.
        if failure.kind() != FailureKind::InputRequired {
            let _ = catch_unwind(AssertUnwindSafe(|| self.line(failure)));
        }
    }

    fn line(&self, failure: &Failure) {
        let codes = failure.kind().codes();
        let (tool, prompt) = self.kind.split(self.tool.name());
        let (call_id, error_type) = (self.call_id, codes.error_type);
        let message = failure.message();
        let error = message.char_indices().nth(MOST).map_or(message, |(end, _)| &message[..end]);
        // The level of an event is a constant.
        macro_rules! log {
            ($level:ident) => {
                tracing::$level!(
                    gen_ai.tool.name = tool,
                    gen_ai.prompt.name = prompt,
                    gen_ai.tool.call.id = %call_id,
                    error.type = error_type,
                    error,
                    "the call failed"
                )
            };
        }
        if codes.http < 500 { log!(info) } else { log!(warn) }
    }
}
