//! Failures as errors of `resources/read` and `prompts/get`.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonObject};
use tool_core::failure::McpAnswer;
use tool_core::{Failure, FailureKind};

/// Returns the error of a failure. `not_found` is the code of what does not exist.
pub(crate) fn read_error(
    failure: &Failure,
    message: String,
    mut data: JsonObject,
    not_found: ErrorCode,
) -> ErrorData {
    let needs_change = matches!(failure.kind(), FailureKind::Input | FailureKind::NotJson);
    if failure.retryable() && !needs_change {
        data.insert("retryable".to_owned(), true.into());
        let wait = failure.retry_after();
        data.extend(wait.map(|wait| ("retryAfterSeconds".to_owned(), wait.as_secs().into())));
    }
    let code = match failure.kind().codes().mcp_read {
        McpAnswer::NotFound => not_found,
        // The error of a missing capability is a separate one, sent before.
        McpAnswer::Capability => ErrorCode::INTERNAL_ERROR,
        answer => answer.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode),
    };
    ErrorData::new(code, message, (!data.is_empty()).then(|| data.into()))
}

/// Returns a line for each problem with the arguments.
pub(crate) fn problem_lines(failure: &Failure) -> Vec<String> {
    let problems = failure.problems().iter();
    problems.map(|it| format!("`{}`: {}", it.path.trim_start_matches('/'), it.message)).collect()
}
