//! Why a token is refused.

use std::fmt;

/// Why a request is not authenticated. Only the log gets the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no token.
    Missing,
    /// The request does not carry its token in the one way that is allowed.
    Request(&'static str),
    /// The token is not valid.
    Token(&'static str),
    /// It cannot be told now whether the token is valid.
    Unavailable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Missing => f.write_str("there is no token"),
            Refusal::Request(reason) | Refusal::Token(reason) => f.write_str(reason),
            Refusal::Unavailable(reason) => f.write_str(reason),
        }
    }
}
