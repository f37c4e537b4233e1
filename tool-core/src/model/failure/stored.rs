//! The stored form of a failure: JSON that reads back as the same failure.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::failure::kind::FailureKind;
use crate::model::failure::{Failure, Inner};
use crate::schema::problem::Problem;

/// The stored form of a [`Failure`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredFailure {
    message: String,
    kind: String,
    retryable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
}

impl From<&Failure> for StoredFailure {
    fn from(Failure(inner): &Failure) -> Self {
        StoredFailure {
            message: inner.message.clone(),
            kind: inner.kind.stored_name(),
            retryable: inner.retryable,
            retry_after_seconds: inner.retry_after.map(|wait| wait.as_secs()),
            problems: inner.problems.clone(),
            example: inner.example.clone(),
        }
    }
}

impl From<StoredFailure> for Failure {
    fn from(stored: StoredFailure) -> Self {
        Failure(Box::new(Inner {
            // A kind of a later version.
            kind: FailureKind::from_stored_name(&stored.kind).unwrap_or(FailureKind::Internal),
            message: stored.message,
            retryable: stored.retryable,
            retry_after: stored.retry_after_seconds.map(Duration::from_secs),
            problems: stored.problems,
            example: stored.example,
        }))
    }
}

impl FailureKind {
    /// Returns the name in stored failures, which differs for each kind and reason.
    fn stored_name(self) -> String {
        format!("{self:?}")
    }

    fn from_stored_name(name: &str) -> Option<Self> {
        FailureKind::ALL.into_iter().find(|kind| kind.stored_name() == name)
    }
}
