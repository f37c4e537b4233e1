//! The methods of [`Context`] that ask the caller, and their futures.

use std::fmt;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::Context;
use crate::context::elicitation::answer::{Answer, Elicited, Root, Sampled};
use crate::context::elicitation::form::Form;
use crate::context::elicitation::question::{Ask, AskKind, Question};
use crate::context::elicitation::sample::Sample;
use crate::context::elicitation::{AskOutcome, ElicitationClient};
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::future::BoxFuture;
use crate::schema::problem::Problem;

/// How often a question is sent if the answers are invalid.
pub(crate) const MAX_ATTEMPTS: usize = 3;

impl Context {
    #[doc = include_str!("../../../docs/elicit.md")]
    pub fn elicit<T: JsonSchema + DeserializeOwned + 'static>(
        &self,
        message: impl Into<String>,
    ) -> Elicit<T> {
        let form = Form::of::<T>().map_err(|error| error.to_string());
        Elicit {
            pending: PendingAsk::new(self, form.map(|form| Ask::Form { message: message.into(), form })),
        }
    }

    /// Asks the user to fill in a form that is built at run time. The answer is a map of its fields.
    ///
    /// # Errors
    ///
    /// See [`elicit`](Self::elicit).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Context, Failure, tool};
    /// use tool_core::elicitation::Form;
    ///
    /// /// Rents one of the available bicycles.
    /// #[tool(operation = Trigger, destructive = false)]
    /// async fn rent_bicycle(#[inject] context: Context) -> Result<String, Failure> {
    ///     let properties = json!({"bicycle": {"type": "string", "enum": ["red", "blue"]}});
    ///     let form = json!({"type": "object", "properties": properties, "required": ["bicycle"]});
    ///     let answer = context.elicit_form("Which one?", Form::new(&form)?).await?.required()?;
    ///     Ok(answer["bicycle"].to_string())
    /// }
    /// ```
    pub fn elicit_form(&self, message: impl Into<String>, form: Form) -> Elicit<Map<String, Value>> {
        Elicit { pending: PendingAsk::new(self, Ok(Ask::Form { message: message.into(), form })) }
    }

    /// Asks the user to open a URL and to do there what must not pass through the client, such as signing in or paying.
    ///
    /// An accepted answer means that the user opened the URL, not that the task is done: check with the service behind
    /// it. Do not put a secret or a login token into the URL.
    ///
    /// # Errors
    ///
    /// See [`elicit`](Self::elicit).
    ///
    /// ```
    /// use tool_core::{Context, Failure, tool};
    ///
    /// /// Connects the user's calendar.
    /// #[tool(operation = Trigger, destructive = false)]
    /// async fn connect_calendar(#[inject] context: Context) -> Result<(), Failure> {
    ///     let address = format!("https://calendar.example.com/connect?user={}", context.principal().id().unwrap_or(""));
    ///     context.elicit_url("Please give access to your calendar", address).await?.required()
    /// }
    /// ```
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> ElicitUrl {
        ElicitUrl {
            pending: PendingAsk::new(self, Ok(Ask::Url { message: message.into(), url: url.into() })),
        }
    }

    /// Asks a model of the caller to write a message. The user may review and change the request, or decline it.
    ///
    /// Sampling is deprecated in MCP since 2026-07-28. Prefer a model that the application calls itself.
    ///
    /// # Errors
    ///
    /// See [`elicit`](Self::elicit).
    ///
    /// ```
    /// use tool_core::{Context, Failure, tool};
    /// use tool_core::elicitation::Sample;
    ///
    /// /// Sums up a text.
    /// #[tool(operation = Transform)]
    /// async fn sum_up(#[inject] context: Context, /** The text. */ text: String) -> Result<String, Failure> {
    ///     let sample = Sample::new(200).system("Sum up in one sentence.").user(text);
    ///     Ok(context.sample(sample).await?.as_text())
    /// }
    /// ```
    pub fn sample(&self, sample: Sample) -> Sampling {
        Sampling { pending: PendingAsk::new(self, Ok(Ask::Sample(sample))) }
    }

    /// Asks for the folders that the user of the client has opened. On the command line, this is the current folder.
    ///
    /// Roots are deprecated in MCP since 2026-07-28. Prefer an input of the tool.
    ///
    /// # Errors
    ///
    /// See [`elicit`](Self::elicit).
    ///
    /// ```
    /// use tool_core::{Context, Failure, tool};
    ///
    /// /// Lists the folders that the client works in.
    /// #[tool(operation = Explain)]
    /// async fn workplaces(#[inject] context: Context) -> Result<Vec<String>, Failure> {
    ///     Ok(context.roots().await?.into_iter().map(|root| root.uri).collect())
    /// }
    /// ```
    pub fn roots(&self) -> AskRoots {
        AskRoots { pending: PendingAsk::new(self, Ok(Ask::Roots)) }
    }

    /// Returns `true` if the caller can answer questions of this kind, for a tool that has an alternative.
    ///
    /// ```
    /// use tool_core::Context;
    /// use tool_core::elicitation::AskKind;
    ///
    /// assert!(!Context::for_tests("add").supports(AskKind::Form));
    /// ```
    pub fn supports(&self, kind: AskKind) -> bool {
        matches!(self.elicitation_client(), Some(ElicitationClient::Direct(client)) if client.0.supports(kind))
    }
}

macro_rules! ask_futures {
    ($($(#[$meta:meta])* $name:ident $(<$generic:ident: $($bound:path),+>)? => $output:ty, $decode:expr;)+) => { $(
        $(#[$meta])*
        #[must_use = "nothing is asked until it is awaited"]
        pub struct $name$(<$generic>)? {
            pending: PendingAsk<$output>,
        }

        impl$(<$generic: $($bound +)+ 'static>)? $name$(<$generic>)? {
            /// Sets the key of the question: in MCP's `inputRequests` and on the command line. By default, the key is
            /// derived from the question, so that it changes with it.
            ///
            /// ```
            /// # let context = tool_core::Context::for_tests("greet");
            /// let roots = context.roots().key("client_roots");
            /// # drop(roots);
            /// ```
            pub fn key(mut self, key: impl Into<String>) -> Self {
                self.pending.key = Some(key.into());
                self
            }
        }

        impl$(<$generic: $($bound +)+ 'static>)? Future for $name$(<$generic>)? {
            type Output = Result<$output, Failure>;

            fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
                self.pending.poll(cx, $decode)
            }
        }

        impl$(<$generic>)? fmt::Debug for $name$(<$generic>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("key", &self.pending.key).finish_non_exhaustive()
            }
        }
    )+ };
}

ask_futures! {
    /// The future of [`Context::elicit`].
    Elicit<T: DeserializeOwned> => Elicited<T>, decode_form;

    /// The future of [`Context::elicit_url`].
    ElicitUrl => Elicited<()>, decode_url;

    /// The future of [`Context::sample`].
    Sampling => Sampled, decode_sample;

    /// The future of [`Context::roots`].
    AskRoots => Vec<Root>, decode_roots;
}

/// Decodes an answer, or reports what is wrong with it.
type Decode<T> = fn(&Ask, Answer) -> Result<T, Vec<Problem>>;

/// A question that is sent when it is first polled.
struct PendingAsk<T> {
    context: Context,
    key: Option<String>,
    /// The question until it is sent, or why it cannot be.
    ask: Option<Result<Ask, String>>,
    answer: Option<BoxFuture<'static, Result<T, Failure>>>,
}

impl<T: 'static> PendingAsk<T> {
    fn new(context: &Context, ask: Result<Ask, String>) -> Self {
        PendingAsk { context: context.clone(), key: None, ask: Some(ask), answer: None }
    }

    fn poll(&mut self, cx: &mut TaskContext<'_>, decode: Decode<T>) -> Poll<Result<T, Failure>> {
        let answer = self.answer.get_or_insert_with(|| {
            let ask =
                self.ask.take().unwrap_or_else(|| Err("a question can be awaited only once".to_owned()));
            Box::pin(ask_until_answered(self.context.clone(), self.key.take(), ask, decode))
        });
        answer.as_mut().poll(cx)
    }
}

/// Sends a question until there is a valid answer.
async fn ask_until_answered<T>(
    context: Context,
    key: Option<String>,
    ask: Result<Ask, String>,
    decode: Decode<T>,
) -> Result<T, Failure> {
    let elicitation = context.elicitation();
    let ask = ask.map_err(|error| {
        elicitation.report_misuse(format!("`{}` asks with an invalid form: {error}", context.tool()))
    })?;
    let (mut question, client) = elicitation.begin(context.tool(), context.elicitation_client(), key, ask)?;
    for _ in 0..MAX_ATTEMPTS {
        let outcome = {
            #[cfg(feature = "tokio")]
            let _waiting = elicitation.waiting();
            unless_cancelled(&context, client.ask(&question)).await?
        };
        let answer = match outcome {
            Ok(AskOutcome::Answer(answer)) => answer,
            Ok(AskOutcome::Invalid(error)) => {
                question.problems = vec![Problem::new("", "type", error)];
                continue;
            }
            Ok(AskOutcome::Deferred) => return Err(elicitation.suspend(question).await),
            Err(failure) if failure.kind() == FailureKind::Unsupported => {
                return Err(elicitation.reject(failure));
            }
            Err(failure) => return Err(failure),
        };
        match decode(&question.ask, answer) {
            Ok(value) => return Ok(value),
            Err(problems) => question.problems = problems,
        }
    }
    Err(no_valid_answer(&question))
}

/// Returns the failure of a question whose last answer is invalid, with the problems of it.
pub(crate) fn no_valid_answer(question: &Question) -> Failure {
    let problems: Vec<String> = question.problems.iter().map(ToString::to_string).collect();
    let message = format!("the question `{}` has no valid answer: {}", question.key, problems.join("; "));
    Failure::new(FailureKind::Failed(Reason::Other), message)
}

/// Awaits a future until the call is canceled. Then no answer can come, and a call that continues without its caller
/// must be able to end.
async fn unless_cancelled<T>(context: &Context, future: impl Future<Output = T>) -> Result<T, Failure> {
    #[cfg(feature = "tokio")]
    {
        let mut future = std::pin::pin!(future);
        let mut cancelled = std::pin::pin!(context.cancelled());
        std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => cancelled.as_mut().poll(cx).map(|()| {
                let message = "the caller disconnected before it answered a question";
                Err(context.elicitation().reject(Failure::new(FailureKind::Cancelled, message)))
            }),
        })
        .await
    }
    #[cfg(not(feature = "tokio"))]
    {
        let _ = context;
        Ok(future.await)
    }
}

fn decode_form<T: DeserializeOwned>(ask: &Ask, answer: Answer) -> Result<Elicited<T>, Vec<Problem>> {
    let (Ask::Form { form, .. }, Answer::Elicited(answer)) = (ask, answer) else { return Err(mismatch(ask)) };
    let fields = match answer {
        Elicited::Accepted(fields) => fields,
        Elicited::Declined => return Ok(Elicited::Declined),
        Elicited::Cancelled => return Ok(Elicited::Cancelled),
    };
    let problems = form.problems(&fields);
    if !problems.is_empty() {
        return Err(problems);
    }
    let fields = Value::Object(form.normalized(fields));
    serde_json::from_value(fields).map(Elicited::Accepted).map_err(|error| {
        // The message of serde repeats the value.
        let message =
            if form.secrets().is_empty() { error.to_string() } else { "a value does not decode".to_owned() };
        vec![Problem::new("", "format", message)]
    })
}

fn decode_url(ask: &Ask, answer: Answer) -> Result<Elicited<()>, Vec<Problem>> {
    match answer {
        Answer::Elicited(answer) => Ok(answer.map(|_| ())),
        _ => Err(mismatch(ask)),
    }
}

fn decode_sample(ask: &Ask, answer: Answer) -> Result<Sampled, Vec<Problem>> {
    match answer {
        Answer::Sampled(sampled) => Ok(sampled),
        _ => Err(mismatch(ask)),
    }
}

fn decode_roots(ask: &Ask, answer: Answer) -> Result<Vec<Root>, Vec<Problem>> {
    match answer {
        Answer::Roots(roots) => Ok(roots),
        _ => Err(mismatch(ask)),
    }
}

/// Reports an answer to another kind of question.
fn mismatch(ask: &Ask) -> Vec<Problem> {
    let expected = match ask.kind() {
        AskKind::Form | AskKind::Url => "an answer to a form or URL",
        AskKind::Sample => "a message of a model",
        AskKind::Roots => "a list of roots",
    };
    vec![Problem::new("", "type", format!("expected {expected}"))]
}
