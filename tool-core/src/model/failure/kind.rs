//! The kinds of failures, and the one table of what each face makes of them.

/// Why a call did not succeed: one kind a cause, the same on every face.
///
/// The codes of each kind stand in one table, [`FailureKind::codes`].
///
/// ```
/// use tool_core::FailureKind;
///
/// let codes = FailureKind::Input.codes();
/// assert_eq!((codes.http, codes.error_type, codes.exit), (422, "invalid_input", 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No such tool.
    NotFound,
    /// Execution is off, or the program is read only.
    Disabled,
    /// The caller did not say who it is.
    Unauthenticated,
    /// The caller may not do this.
    Denied,
    /// Configuration that the tool requires is missing.
    Unmet,
    /// The arguments are no JSON.
    NotJson,
    /// The arguments are JSON, and not what the tool takes.
    Input,
    /// The tool itself failed, and says why.
    Failed(Reason),
    /// The tool did not finish in its time.
    Timeout,
    /// Too many calls at once, whoever makes them.
    Busy,
    /// The caller calls too often.
    RateLimited,
    /// The tool has a question, and the caller cannot be asked.
    Unsupported,
    /// The tool has asked something: the call starts again with the answer. What the adapter of a caller makes of it is to
    /// put the question; no caller sees it as a failure.
    InputRequired,
    /// The caller went away or took the call back.
    Cancelled,
    /// A fault of the application: a panic, an output that cannot be written.
    Internal,
}

/// What the failure of a tool means to its caller.
///
/// ```
/// use tool_core::FailureKind;
/// use tool_core::failure::Reason;
///
/// assert_eq!(FailureKind::Failed(Reason::NotFound).codes().http, 404);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// No more is known than the message.
    #[default]
    Other,
    /// The thing asked for does not exist.
    NotFound,
    /// The state of the thing does not allow this.
    Conflict,
    /// Something that the tool needs is not there at the moment; trying again can help.
    Unavailable,
}

/// The codes of one [`FailureKind`] on the faces that use numbers and words.
///
/// ```
/// assert_eq!(tool_core::FailureKind::Timeout.codes().exit, 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailureCodes {
    /// The HTTP status of the answer (RFC 9110).
    pub http: u16,
    /// The word for it in JSON: `error_type` on the command line, `kind` over HTTP.
    pub error_type: &'static str,
    /// The exit code of the command line.
    pub exit: u8,
    /// The answer to MCP's `tools/call`.
    pub mcp_call: McpAnswer,
    /// The answer to MCP's `resources/read`.
    pub mcp_read: McpAnswer,
}

/// How a failure is answered over MCP.
///
/// ```
/// use tool_core::FailureKind;
/// use tool_core::failure::McpAnswer;
///
/// assert_eq!(FailureKind::Timeout.codes().mcp_call, McpAnswer::IsError);
/// assert_eq!(FailureKind::Timeout.codes().mcp_read.code(true), Some(-32603));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpAnswer {
    /// A result with `isError: true` and the whole text of the failure: the model reads it, and may do better.
    IsError,
    /// A JSON-RPC error with this code.
    Error(i32),
    /// A JSON-RPC error for something that is not there: -32602, and -32002 for a client that opened with `initialize`
    /// (up to 2025-11-25).
    NotFound,
    /// A JSON-RPC error, -32021, that names the capability which the client lacks; for a client that opened with
    /// `initialize`, as any other failure.
    Capability,
    /// The HTTP status 401, before MCP is spoken.
    Unauthorized,
    /// None: nobody waits for one.
    Nothing,
}

impl McpAnswer {
    /// The code of a JSON-RPC error, where it is one; `modern` clients are those of 2026-07-28 and later.
    ///
    /// ```
    /// assert_eq!(tool_core::failure::McpAnswer::NotFound.code(false), Some(-32002));
    /// ```
    pub const fn code(self, modern: bool) -> Option<i32> {
        match self {
            McpAnswer::Error(code) => Some(code),
            McpAnswer::NotFound => Some(if modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND }),
            McpAnswer::Capability if modern => Some(MISSING_CAPABILITY),
            McpAnswer::Capability | McpAnswer::IsError | McpAnswer::Unauthorized | McpAnswer::Nothing => None,
        }
    }
}

// JSON-RPC 2.0, section 5.1, and MCP up to 2025-11-25.
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const RESOURCE_NOT_FOUND: i32 = -32002;
// MCP 2026-07-28.
const MISSING_CAPABILITY: i32 = -32021;

impl FailureKind {
    /// What each face makes of this kind: the one table that every adapter reads.
    ///
    /// ```
    /// use tool_core::FailureKind;
    ///
    /// assert_eq!(FailureKind::NotFound.codes().error_type, "tool_not_found");
    /// assert_eq!(FailureKind::NotJson.codes().http, 400);
    /// ```
    pub const fn codes(self) -> FailureCodes {
        use McpAnswer::{Capability, Error, IsError, NotFound, Nothing, Unauthorized};
        const INVALID: McpAnswer = Error(INVALID_PARAMS);
        const FAULT: McpAnswer = Error(INTERNAL_ERROR);

        let (http, error_type, exit, mcp_call, mcp_read) = match self {
            FailureKind::NotFound => (404, "tool_not_found", 3, INVALID, NotFound),
            FailureKind::Disabled => (403, "refused", 7, IsError, FAULT),
            FailureKind::Unauthenticated => (401, "unauthenticated", 4, Unauthorized, Unauthorized),
            FailureKind::Denied => (403, "access_denied", 4, IsError, FAULT),
            FailureKind::Unmet => (503, "requirements", 8, IsError, FAULT),
            FailureKind::NotJson => (400, "invalid_input", 5, IsError, INVALID),
            FailureKind::Input => (422, "invalid_input", 5, IsError, INVALID),
            FailureKind::Failed(Reason::NotFound) => (404, "execution_failed", 10, IsError, NotFound),
            FailureKind::Failed(Reason::Conflict) => (409, "execution_failed", 11, IsError, FAULT),
            FailureKind::Failed(Reason::Unavailable) => (503, "execution_failed", 12, IsError, FAULT),
            FailureKind::Failed(Reason::Other) => (500, "execution_failed", 1, IsError, FAULT),
            FailureKind::Timeout => (504, "timeout", 6, IsError, FAULT),
            FailureKind::Busy => (429, "busy", 13, IsError, FAULT),
            FailureKind::RateLimited => (429, "rate_limited", 13, IsError, FAULT),
            FailureKind::Unsupported => (501, "cannot_ask", 9, Capability, Capability),
            FailureKind::InputRequired => (503, "suspended", 1, IsError, FAULT),
            FailureKind::Cancelled => (499, "cancelled", 130, Nothing, Nothing),
            FailureKind::Internal => (500, "internal", 70, IsError, FAULT),
        };
        FailureCodes { http, error_type, exit, mcp_call, mcp_read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 6 of the contracts, as it stands there: kind, HTTP, `tools/call`, `resources/read` (before 2026-07-28,
    /// where that differs), `error_type` and exit code of the command line.
    const TABLE: &str = "
        NotFound             404  -32602   -32602/-32002  tool_not_found     3
        Disabled             403  isError  -32603         refused            7
        Unauthenticated      401  401      401            unauthenticated    4
        Denied               403  isError  -32603         access_denied      4
        Unmet                503  isError  -32603         requirements       8
        NotJson              400  isError  -32602         invalid_input      5
        Input                422  isError  -32602         invalid_input      5
        Failed(Other)        500  isError  -32603         execution_failed   1
        Failed(NotFound)     404  isError  -32602/-32002  execution_failed   10
        Failed(Conflict)     409  isError  -32603         execution_failed   11
        Failed(Unavailable)  503  isError  -32603         execution_failed   12
        Timeout              504  isError  -32603         timeout            6
        Busy                 429  isError  -32603         busy               13
        RateLimited          429  isError  -32603         rate_limited       13
        Unsupported            501  -32021/isError  -32021/isError  cannot_ask  9
        InputRequired        503  isError  -32603         suspended          1
        Cancelled            499  none     none           cancelled          130
        Internal             500  isError  -32603         internal           70
    ";

    const KINDS: [FailureKind; 18] = [
        FailureKind::NotFound,
        FailureKind::Disabled,
        FailureKind::Unauthenticated,
        FailureKind::Denied,
        FailureKind::Unmet,
        FailureKind::NotJson,
        FailureKind::Input,
        FailureKind::Failed(Reason::Other),
        FailureKind::Failed(Reason::NotFound),
        FailureKind::Failed(Reason::Conflict),
        FailureKind::Failed(Reason::Unavailable),
        FailureKind::Timeout,
        FailureKind::Busy,
        FailureKind::RateLimited,
        FailureKind::Unsupported,
        FailureKind::InputRequired,
        FailureKind::Cancelled,
        FailureKind::Internal,
    ];

    fn answer(answer: McpAnswer) -> String {
        match (answer, answer.code(true), answer.code(false)) {
            (McpAnswer::IsError, ..) => "isError".to_owned(),
            (McpAnswer::Unauthorized, ..) => "401".to_owned(),
            (McpAnswer::Capability, Some(modern), None) => format!("{modern}/isError"),
            (_, Some(modern), Some(before)) if modern == before => modern.to_string(),
            (_, Some(modern), Some(before)) => format!("{modern}/{before}"),
            _ => "none".to_owned(),
        }
    }

    #[test]
    fn every_kind_has_its_codes() {
        let rows: Vec<Vec<&str>> =
            TABLE.trim().lines().map(|line| line.split_whitespace().collect()).collect();
        let table = KINDS.map(|kind| {
            let codes = kind.codes();
            [
                format!("{kind:?}"),
                codes.http.to_string(),
                answer(codes.mcp_call),
                answer(codes.mcp_read),
                codes.error_type.to_owned(),
                codes.exit.to_string(),
            ]
        });
        assert_eq!(table.len(), rows.len());
        for (row, expected) in table.iter().zip(rows) {
            assert_eq!(*row, *expected);
        }
    }
}
