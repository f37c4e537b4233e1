//! A client for tests, with prepared answers.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::call::options::CallOptions;
use crate::context::elicitation::ask::{MAX_ATTEMPTS, no_valid_answer};
use crate::context::elicitation::{
    Answer, AskKind, AskOutcome, ClientRequests, ElicitationClient, Elicited, Question, Root, Sampled,
};
use crate::context::options::ContextOptions;
use crate::context::shared::SharedHandle;
use crate::context::{Context, LazyContext};
use crate::model::access::Principal;
use crate::model::failure::{Failure, FailureKind};
use crate::model::future::BoxFuture;
use crate::model::lock::lock;
use crate::model::output::Output;
use crate::registry::Registry;

/// Answers to the questions of a tool that [elicits](crate::Context::elicit) input, in their order.
///
/// [`call`](Self::call) restarts the call with each answer, as a client of MCP 2026-07-28 does: a correct tool asks the same
/// questions each time, and changes nothing before the last answer. As the [`client`](crate::CallOptions::client) of a call, it
/// gives the same answers at once, in the order of the questions.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use tool_core::testing::Answers;
/// use tool_core::{Context, Failure, FailureKind, Registry, Resource, WritePass, Writer, tool};
///
/// struct Till(AtomicU32);
///
/// impl Resource for Till {
///     type Reader = ();
///     type Writer = AtomicU32;
///
///     fn reader(&self) -> &() {
///         &()
///     }
///
///     fn writer(&self, _: WritePass<'_>) -> &AtomicU32 {
///         &self.0
///     }
/// }
///
/// #[derive(schemars::JsonSchema, serde::Deserialize)]
/// struct Tip {
///     amount: u32,
/// }
///
/// /// Takes money, and asks for more.
/// #[tool(operation = Write, destructive = false)]
/// async fn take_money(#[inject] till: Writer<Till>, #[inject] context: Context, amount: u32) -> Result<u32, Failure> {
///     till.fetch_add(amount, Ordering::Relaxed);
///     let tip = context.elicit::<Tip>("How much is the tip?").await?.required()?;
///     Ok(amount + tip.amount)
/// }
///
/// # tool_core::private::block_on(async {
/// let builder = Registry::builder().linked().select(|tool| tool.name() == "take_money");
/// let registry = builder.state(Till(AtomicU32::new(0))).build().unwrap();
/// let answers = Answers::new().accept(serde_json::json!({"amount": 2}));
/// let failure = answers.call(&registry, "take_money", serde_json::json!({"amount": 10})).await.unwrap_err();
/// assert_eq!(failure.kind(), FailureKind::Internal);
/// assert!(failure.message().starts_with("`take_money` asks after using its `Writer`"));
/// # });
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Answers(Arc<Mutex<AnswersState>>);

#[derive(Debug, Default)]
struct AnswersState {
    /// The remaining answers.
    left: VecDeque<Answer>,
    /// The answers that a call has got, by key and digest of their questions.
    given: HashMap<(String, String), Answer>,
    /// All questions in the order in which they were first asked.
    questions: Vec<Question>,
    /// Answers what `left` does not.
    respond: Option<Respond>,
}

/// A function that answers questions.
#[derive(Clone)]
struct Respond(Arc<dyn Fn(&Question) -> Answer + Send + Sync>);

impl fmt::Debug for Respond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Respond")
    }
}

impl Answers {
    /// Returns a client without answers.
    ///
    /// ```
    /// assert!(tool_core::testing::Answers::new().questions().is_empty());
    /// ```
    pub fn new() -> Self {
        Answers::default()
    }

    /// Returns a client that answers each question with a function, after the answers that are added to it.
    ///
    /// The function must not use the client.
    ///
    /// ```
    /// use tool_core::elicitation::{Answer, AskKind, Elicited};
    /// use tool_core::testing::Answers;
    ///
    /// let answers = Answers::from_fn(|question| match question.ask.kind() {
    ///     AskKind::Roots => Answer::Roots(Vec::new()),
    ///     _ => Answer::Elicited(Elicited::Declined),
    /// });
    /// ```
    pub fn from_fn(respond: impl Fn(&Question) -> Answer + Send + Sync + 'static) -> Self {
        let answers = Answers::new();
        lock(&answers.0).respond = Some(Respond(Arc::new(respond)));
        answers
    }

    /// Adds an answer: the user submits a form with these fields, or confirms an address without any.
    ///
    /// # Panics
    ///
    /// Panics if `fields` is not an object.
    ///
    /// ```
    /// let answers = tool_core::testing::Answers::new().accept(serde_json::json!({"sure": true}));
    /// ```
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "written as `json!` in its place")]
    pub fn accept(self, fields: Value) -> Self {
        let fields = fields.as_object().expect("the fields of a form are an object").clone();
        self.answer(Answer::Elicited(Elicited::Accepted(fields)))
    }

    /// Adds an answer: the user declines.
    ///
    /// ```
    /// let answers = tool_core::testing::Answers::new().decline();
    /// ```
    pub fn decline(self) -> Self {
        self.answer(Answer::Elicited(Elicited::Declined))
    }

    /// Adds an answer: the user cancels.
    ///
    /// ```
    /// let answers = tool_core::testing::Answers::new().cancel();
    /// ```
    pub fn cancel(self) -> Self {
        self.answer(Answer::Elicited(Elicited::Cancelled))
    }

    /// Adds an answer: the model returns this text.
    ///
    /// ```
    /// let answers = tool_core::testing::Answers::new().sample("Paris");
    /// ```
    pub fn sample(self, text: impl Into<String>) -> Self {
        self.answer(Answer::Sampled(Sampled::text(text, "a model")))
    }

    /// Adds an answer: the client has these roots.
    ///
    /// ```
    /// let answers = tool_core::testing::Answers::new().roots([tool_core::elicitation::Root::new("file:///srv")]);
    /// ```
    pub fn roots(self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.answer(Answer::Roots(roots.into_iter().collect()))
    }

    /// Adds any other answer.
    ///
    /// ```
    /// use tool_core::elicitation::Answer;
    /// use tool_core::testing::Answers;
    ///
    /// let answers = Answers::new().answer(Answer::Roots(Vec::new()));
    /// ```
    pub fn answer(self, answer: Answer) -> Self {
        lock(&self.0).left.push_back(answer);
        self
    }

    /// Returns the questions in the order in which they were first asked; a question that was asked again after an invalid
    /// answer is repeated.
    ///
    /// ```
    /// assert_eq!(tool_core::testing::Answers::new().questions().len(), 0);
    /// ```
    pub fn questions(&self) -> Vec<Question> {
        lock(&self.0).questions.clone()
    }

    /// Returns a context for a direct call of the function, with these answers.
    ///
    /// It does not check that a function asks before it writes, since a [`Writer::for_tests`](crate::Writer::for_tests) has no
    /// call. [`call`](Self::call) does.
    ///
    /// ```
    /// use tool_core::{Context, Failure, testing::Answers, tool};
    ///
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// /// Greets whoever is there.
    /// #[tool(operation = Read)]
    /// async fn greet_them(#[inject] context: Context) -> Result<String, Failure> {
    ///     let Name { name } = context.elicit("Who is there?").await?.required()?;
    ///     Ok(format!("Hello, {name}!"))
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let context = Answers::new().accept(serde_json::json!({"name": "Ada"})).context("greet_them");
    /// assert_eq!(greet_them(context).await.unwrap(), "Hello, Ada!");
    /// # });
    /// ```
    pub fn context(&self, tool: &str) -> Context {
        let client = Some(ElicitationClient::Direct(SharedHandle(Arc::new(self.clone()))));
        let options = ContextOptions { client, ..ContextOptions::new() };
        let context = LazyContext::new(tool, &Principal::local(), &options).get().clone();
        context.elicitation().open();
        context
    }

    /// Calls a tool, and restarts the call with each answer. Questions that a tool asks at once are answered in the order in which
    /// it asks them. The next call gets the next answers, unless this one fails as [`Busy`](FailureKind::Busy).
    ///
    /// # Errors
    ///
    /// The failure of the call; [`Unsupported`](FailureKind::Unsupported) if there is no answer left. A question that has had
    /// three invalid answers fails the call, as it does for a client that answers at once.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # use tool_core::testing::Answers;
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(Answers::new().call(&registry, "nope", serde_json::json!({})).await.is_err());
    /// # });
    /// ```
    pub async fn call(&self, registry: &Registry, name: &str, arguments: Value) -> Result<Output, Failure> {
        let client = Arc::new(RestartedCall { answers: self.clone(), counts: Mutex::default() });
        let (options, arguments) = (CallOptions::new().client(client), arguments.to_string());
        loop {
            match registry.call_with(name, arguments.as_bytes(), &options).await.result {
                Err(failure) if failure.kind() == FailureKind::InputRequired => {}
                Err(failure) if failure.kind() == FailureKind::Busy => return Err(failure),
                result => {
                    lock(&self.0).given.clear();
                    return result;
                }
            }
        }
    }
}

impl AnswersState {
    /// Takes the next answer.
    fn take(&mut self, question: &Question) -> Result<Answer, Failure> {
        let answer =
            self.left.pop_front().or_else(|| self.respond.as_ref().map(|respond| respond.0(question)));
        if answer.is_some() {
            self.questions.push(question.clone());
        }
        answer.ok_or_else(|| none_left(question))
    }

    /// Checks that there is an answer to take.
    fn check_left(&self, question: &Question) -> Result<(), Failure> {
        let is_left = !self.left.is_empty() || self.respond.is_some();
        if is_left { Ok(()) } else { Err(none_left(question)) }
    }
}

fn none_left(question: &Question) -> Failure {
    let message = format!("there is no answer left for the question `{}`", question.key);
    Failure::new(FailureKind::Unsupported, message)
}

impl ClientRequests for Answers {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        let answer = lock(&self.0).take(question);
        Box::pin(std::future::ready(answer.map(AskOutcome::Answer)))
    }
}

/// The client of a call that is restarted with each answer.
struct RestartedCall {
    answers: Answers,
    /// How often each question was answered, by its key.
    counts: Mutex<HashMap<String, usize>>,
}

/// Returns the key and the digest of a question.
fn question_key(question: &Question) -> (String, String) {
    (question.key.clone(), question.digest().to_string())
}

impl ClientRequests for RestartedCall {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        let state = lock(&self.answers.0);
        let is_valid = question.problems.is_empty();
        let count = lock(&self.counts).get(&question.key).copied().unwrap_or_default();
        let outcome = match state.given.get(&question_key(question)) {
            Some(answer) if is_valid => Ok(AskOutcome::Answer(answer.clone())),
            _ if !is_valid && count >= MAX_ATTEMPTS => Err(no_valid_answer(question)),
            _ => state.check_left(question).map(|()| AskOutcome::Deferred),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn suspended(&self, questions: Vec<Question>) {
        let mut state = lock(&self.answers.0);
        for question in questions {
            // Questions without an answer are asked again by the next call, which reports it.
            if let Ok(answer) = state.take(&question) {
                *lock(&self.counts).entry(question.key.clone()).or_default() += 1;
                state.given.insert(question_key(&question), answer);
            }
        }
    }
}
