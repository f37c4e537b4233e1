//! The kinds of failures, and the table of their codes.

/// The kind of a failure: one per cause, the same in every protocol.
///
/// See [`FailureKind::codes`] for the codes of each kind.
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
    /// The tool does not exist.
    NotFound,
    /// Execution is disabled, or the program is read-only.
    Disabled,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller may not do this.
    Denied,
    /// A requirement of the tool is not met.
    Unmet,
    /// The arguments are not JSON.
    NotJson,
    /// The arguments are JSON, but invalid for the tool.
    Input,
    /// The tool failed.
    Failed(Reason),
    /// The call exceeded its time limit.
    Timeout,
    /// Too many calls run at once.
    Busy,
    /// The caller calls too often.
    RateLimited,
    /// The tool has a question that the caller does not support.
    Unsupported,
    /// The tool has asked a question: the call starts again with the answer. Adapters handle this kind; no caller sees
    /// it.
    InputRequired,
    /// The caller canceled the call or disconnected.
    Cancelled,
    /// The process that ran the task ended, and the task may not begin again.
    Interrupted,
    /// A fault of the application: a panic, or an output that cannot be serialized.
    Internal,
}

/// The reason of [`FailureKind::Failed`].
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
    /// Unspecified.
    #[default]
    Other,
    /// The thing asked for does not exist.
    NotFound,
    /// The state of the thing does not allow this.
    Conflict,
    /// A dependency is temporarily unavailable; a retry can succeed.
    Unavailable,
}

impl Reason {
    /// Returns the name of the reason: `tool-core/reason` over MCP, where no status tells the reasons apart. `None` for
    /// [`Reason::Other`].
    ///
    /// ```
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(Reason::NotFound.name(), Some("not_found"));
    /// assert_eq!(Reason::Other.name(), None);
    /// ```
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Reason::Other => None,
            Reason::NotFound => Some("not_found"),
            Reason::Conflict => Some("conflict"),
            Reason::Unavailable => Some("unavailable"),
        }
    }
}

/// The codes of a [`FailureKind`] in each protocol.
///
/// ```
/// assert_eq!(tool_core::FailureKind::Timeout.codes().exit, 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailureCodes {
    /// The HTTP status of the answer (RFC 9110).
    pub http: u16,
    /// The identifier in JSON: `error_type` on the command line, `kind` over HTTP.
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
    /// A result with `isError: true` and the whole text of the failure, so that the model can correct its call.
    IsError,
    /// A JSON-RPC error with this code.
    Error(i32),
    /// A JSON-RPC error for something that does not exist: -32602, or -32002 for clients that use `initialize` (up to
    /// 2025-11-25).
    NotFound,
    /// A JSON-RPC error, -32021, that names the missing capability of the client. Clients that use `initialize` get
    /// `IsError`.
    Capability,
    /// The HTTP status 401, before any MCP message.
    Unauthorized,
    /// No answer: nobody waits for it.
    Nothing,
}

impl McpAnswer {
    /// Returns the code of the JSON-RPC error, if it is one. `modern` clients are those of 2026-07-28 and later.
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
    /// Every kind with every reason.
    #[cfg(any(test, feature = "tasks"))]
    pub(crate) const ALL: [FailureKind; 19] = [
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
        FailureKind::Interrupted,
        FailureKind::Internal,
    ];

    /// Returns the codes of this kind: the one table that every adapter uses.
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
            FailureKind::RateLimited => (429, "rate_limited", 14, IsError, FAULT),
            FailureKind::Unsupported => (501, "unsupported", 9, Capability, Capability),
            FailureKind::InputRequired => (503, "input_required", 1, IsError, FAULT),
            FailureKind::Cancelled => (499, "cancelled", 130, Nothing, Nothing),
            FailureKind::Interrupted => (500, "interrupted", 15, FAULT, FAULT),
            FailureKind::Internal => (500, "internal", 70, IsError, FAULT),
        };
        FailureCodes { http, error_type, exit, mcp_call, mcp_read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind, HTTP, `tools/call`, `resources/read` (before 2026-07-28, if different), `error_type` and exit code of the
    /// command line.
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
        RateLimited          429  isError  -32603         rate_limited       14
        Unsupported            501  -32021/isError  -32021/isError  unsupported  9
        InputRequired        503  isError  -32603         input_required     1
        Cancelled            499  none     none           cancelled          130
        Interrupted          500  -32603   -32603         interrupted        15
        Internal             500  isError  -32603         internal           70
    ";

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
    fn maps_each_kind_to_its_codes() {
        let rows: Vec<Vec<&str>> =
            TABLE.trim().lines().map(|line| line.split_whitespace().collect()).collect();
        let table = FailureKind::ALL.map(|kind| {
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
