//! Elicitation: questions that a running call asks its caller.
//!
//! A tool asks through its [`Context`](crate::Context), an adapter forwards the question through [`ClientRequests`],
//! and an [`ElicitationState`] tracks the questions of one call.

mod answer;
pub(crate) mod ask;
mod form;
mod question;
mod sample;
mod state;
pub(crate) mod suspend;
mod wire;

pub use answer::{Answer, Elicited, Root, Sampled};
pub use ask::{AskRoots, Elicit, ElicitUrl, Sampling};
pub use form::{Form, FormError};
pub use question::{Ask, AskKind, Question};
pub use sample::{ModelPreferences, Sample};
pub use wire::QuestionError;

pub(crate) use state::ElicitationState;

use crate::context::shared::SharedHandle;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;

/// Forwards the questions of a call to its caller. Adapters implement it; tests use
/// [`testing::Answers`](crate::testing::Answers). [`CallOptions::client`](crate::CallOptions::client) sets it.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::{BoxFuture, CallOptions, Context, Failure, Registry, tool};
/// use tool_core::elicitation::{Answer, AskKind, AskOutcome, ClientRequests, Elicited, Question};
///
/// /// Accepts everything.
/// struct Yes;
///
/// impl ClientRequests for Yes {
///     fn supports(&self, kind: AskKind) -> bool {
///         kind == AskKind::Form
///     }
///
///     fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
///         let yes = serde_json::Map::from_iter([("sure".to_owned(), true.into())]);
///         Box::pin(async { Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Accepted(yes)))) })
///     }
/// }
///
/// #[derive(schemars::JsonSchema, serde::Deserialize)]
/// struct Confirmation {
///     sure: bool,
/// }
///
/// /// Clears the desk, if the user confirms.
/// #[tool(operation = Write, destructive = true)]
/// async fn clear_desk(#[inject] context: Context) -> Result<bool, Failure> {
///     let answer = context.elicit::<Confirmation>("Shall the desk be cleared?").await?;
///     Ok(answer.accepted().is_some_and(|answer| answer.sure))
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "clear_desk").build().unwrap();
/// let registry = registry.with_options(&CallOptions::new().client(Arc::new(Yes)));
/// let output = registry.call("clear_desk", serde_json::json!({})).await.unwrap();
/// assert_eq!(output.value(), true);
/// # });
/// ```
pub trait ClientRequests: Send + Sync {
    /// Returns `true` if the caller can answer questions of this kind.
    fn supports(&self, kind: AskKind) -> bool;

    /// Sends a question to the caller. An invalid answer is asked for again: [`Question::problems`] then says what was
    /// wrong with the last one.
    ///
    /// # Errors
    ///
    /// If the question cannot be sent, usually with [`Unsupported`](crate::FailureKind::Unsupported).
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>>;

    /// Reports that the call was suspended over these questions, each of which was answered with
    /// [`AskOutcome::Deferred`]. The call then ends as [`InputRequired`](crate::FailureKind::InputRequired).
    fn suspended(&self, questions: Vec<Question>) {
        drop(questions);
    }
}

/// The outcome of sending a question.
///
/// ```
/// use tool_core::elicitation::{Answer, AskOutcome};
///
/// let asked = AskOutcome::Answer(Answer::Roots(Vec::new()));
/// assert!(!matches!(asked, AskOutcome::Deferred));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AskOutcome {
    /// The answer.
    Answer(Answer),
    /// Not a valid answer, and why: the question is sent again.
    Invalid(String),
    /// The answer arrives with a new call, whose [`ClientRequests`] has it. This call is suspended: its function is
    /// dropped as soon as it waits, whatever its operation.
    Deferred,
}

/// Where the questions of a call go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ElicitationClient {
    /// To the caller.
    Direct(SharedHandle<dyn ClientRequests>),
    /// Nowhere: the call was made by another tool, whose call would have to start again.
    OuterCall,
}
