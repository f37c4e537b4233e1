//! ElicitationClient back: what a call asks of its caller while it runs.
//!
//! A tool asks through its [`Context`](crate::Context), an adapter puts the question to the caller through an [`ClientRequests`],
//! and an [`ElicitationState`] keeps what the two need to know of one call.

mod answer;
mod ask;
mod form;
mod question;
mod sample;
mod state;
pub(crate) mod suspend;

use std::fmt;
use std::sync::Arc;

pub use answer::{Answer, Elicited, Root, Sampled};
pub use ask::{AskRoots, Elicit, ElicitUrl, Sampling};
pub use form::{Form, FormError};
pub use question::{Ask, AskKind, Question};
pub use sample::{ModelPreferences, Sample};

pub(crate) use state::ElicitationState;

use crate::context::Context;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;

/// Whoever puts the questions of a call to its caller: given to it with [`CallOptions::client`](crate::CallOptions::client). An adapter has one; a test
/// takes [`testing::Answers`](crate::testing::Answers).
///
/// ```
/// use std::sync::Arc;
/// use tool_core::{BoxFuture, Context, Failure, Registry, tool};
/// use tool_core::elicitation::{Answer, AskKind, AskOutcome, ClientRequests, Elicited, Question};
///
/// /// Says yes to everything.
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
/// /// Clears the desk, if the user is sure.
/// #[tool(operation = Write, destructive = true)]
/// async fn clear_desk(#[inject] context: Context) -> Result<bool, Failure> {
///     let answer = context.elicit::<Confirmation>("Shall the desk be cleared?").await?;
///     Ok(answer.accepted().is_some_and(|answer| answer.sure))
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "clear_desk").build().unwrap();
/// let output = registry.asking(Arc::new(Yes)).call("clear_desk", serde_json::json!({})).await.unwrap();
/// assert_eq!(output.value(), true);
/// # });
/// ```
pub trait ClientRequests: Send + Sync {
    /// Whether questions of this kind can be put to the caller.
    fn supports(&self, kind: AskKind) -> bool;

    /// Puts a question to the caller. It is asked again as long as the answer is not what was asked for: what was wrong
    /// with the last one is then in [`Question::problems`], and the answer must be another.
    ///
    /// # Errors
    ///
    /// When the question cannot be put, which is usually a failure of [kind](crate::FailureKind::Unsupported) `Unsupported`.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>>;

    /// The call has been suspended over these questions, each of which was answered with [`AskOutcome::Deferred`]. It ends as
    /// [`InputRequired`](crate::FailureKind::InputRequired) next.
    fn suspended(&self, questions: Vec<Question>) {
        drop(questions);
    }
}

/// What came of putting a question.
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
    /// Something that is no answer to such a question, and what is wrong with it: the question is put again.
    Invalid(String),
    /// The answer comes with another call that starts again, and for which an [`ClientRequests`] has it. This one is suspended:
    /// its function is dropped as soon as it waits, whatever its operation.
    Deferred,
}

/// Who is asked what a call asks.
#[derive(Clone)]
pub(crate) enum ElicitationClient {
    /// The caller.
    Direct(Arc<dyn ClientRequests>),
    /// Nobody: the call was made by that of another tool, which starts again when it asks.
    OuterCall(Context),
}

impl PartialEq for ElicitationClient {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (ElicitationClient::Direct(one), ElicitationClient::Direct(other)) => Arc::ptr_eq(one, other),
            (ElicitationClient::OuterCall(one), ElicitationClient::OuterCall(other)) => {
                one.call_id() == other.call_id()
            }
            _ => false,
        }
    }
}

impl fmt::Debug for ElicitationClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ElicitationClient")
    }
}
