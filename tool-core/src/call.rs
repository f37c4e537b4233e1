//! The one pipeline that every call takes, whichever adapter it came through.
//!
//! ```text
//! the tool exists → the registry is not too read only for it → the caller has its permissions → its requirements are met
//!     → the arguments are JSON → they are what it takes → its access function allows it → it runs → its output
//! ```
//!
//! Arguments arrive as bytes. The usual case is one scan and one decode an input. Whatever is unusual (an unknown name,
//! a value that does not decode, an input that is more than a scalar) is read again in full and checked against the
//! schema, so that everything wrong is found at once and in the same words.

#[cfg(feature = "tokio")]
mod apart;
mod block_on;
mod contained;
mod gate;
mod members;
pub(crate) mod numbers;
mod outputs;
pub(crate) mod reader;
mod run;
mod scan;
mod strict;
mod tasks;
mod timer;
mod without;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

pub use block_on::block_on;
pub(crate) use contained::{Panicked, contained};
pub(crate) use run::{Limits, Runner};
pub(crate) use tasks::Tasks;

use crate::audit::{Asked, AuditSink, Record};
use crate::call::gate::Busy;
use crate::call::reader::{Findings, Reader};
use crate::call::run::Run;
use crate::call::scan::{Scan, Slots, scan};
use crate::context::{CallId, Caller, LazyContext};
use crate::definition::ToolDefinition;
use crate::entry::{Call, Step};
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::registry::Member;
use crate::schema::{MOST_PROBLEMS, received, unescaped};
use crate::state::States;

/// The answer to one call, and the identifier that joins it to the log.
///
/// ```
/// use tool_core::{Registry, tool};
///
/// /// Doubles a number.
/// #[tool(operation = Transform)]
/// fn double_it(/** The number. */ n: i64) -> i64 {
///     2 * n
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "double_it").build().unwrap();
/// let reply = registry.invoke("double_it", br#"{"n": 4}"#).await;
/// assert_eq!(reply.result.unwrap().value(), 8);
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The identifier of the call.
    pub call_id: CallId,
    /// What came of it.
    pub result: Result<Output, Failure>,
}

/// Answers a call, and records that it was made.
pub(crate) async fn invoke(caller: &Caller, member: &Member, arguments: &[u8]) -> Reply {
    let Member { definition: tool, home } = member;
    let _counted = tool.modifies().then(|| home.runner.tasks().count());
    let context = LazyContext::new(tool.name(), caller).running(home.runner.tasks());
    let call_id = context.call_id();
    let mut record = home
        .audit
        .as_ref()
        .map(|sink| Record::begin(sink, call_id, caller, Asked::Known(tool.clone()), arguments));
    let result = answer(member, &context, arguments, &mut record).await;
    // Not there any more if the function has taken it along.
    if let Some(record) = record {
        record.end(&result);
    }
    Reply { call_id, result }
}

async fn answer(
    member: &Member,
    context: &LazyContext<'_>,
    arguments: &[u8],
    record: &mut Option<Box<Record>>,
) -> Result<Output, Failure> {
    let Member { definition: tool, home } = member;
    let Caller { principal, trace } = context.caller();
    let trace_id = trace.map(|trace| tracing::field::display(format!("{:032x}", trace.trace_id())));
    let span = tracing::error_span!("tool", name = tool.name(), call_id = %context.call_id(), trace_id);
    span.in_scope(|| home.admission.admit(tool, &home.states, principal))?;
    let pass = match home.runner.gate() {
        Some(gate) => Some(gate.enter(principal.id()).await.map_err(|Busy| Failure::busy())?),
        None => None,
    };
    // Not entered while the function runs: across an `await` the span would cover other calls, too.
    match span.in_scope(|| enter(tool, &home.states, context, arguments, Purpose::Run))? {
        Step::Done(result) => home.runner.judge(tool, result),
        step => home.runner.run(Run { tool, context, span, pass, record }, step).await,
    }
}

/// Answers a call of a tool that does not exist, and records that it was made.
pub(crate) fn unknown(
    audit: Option<&Arc<dyn AuditSink>>,
    caller: &Caller,
    name: &str,
    arguments: &[u8],
) -> Reply {
    let call_id = CallId::new();
    let result = Err(Failure::not_found(name));
    if let Some(sink) = audit {
        let asked = Asked::Unknown(name.chars().take(128).collect());
        Record::begin(sink, call_id, caller, asked, arguments).end(&result);
    }
    Reply { call_id, result }
}

/// Checks the text of the arguments for a tool, and runs nothing.
pub(crate) fn validate(tool: &ToolDefinition, states: &States, arguments: &[u8]) -> Result<(), Failure> {
    let nobody = Caller::nobody();
    let context = LazyContext::new(tool.name(), &nobody);
    enter(tool, states, &context, arguments, Purpose::Validate).map(|_| ())
}

/// What arguments are read for.
#[derive(Clone, Copy)]
enum Purpose {
    Validate,
    Run,
}

/// Reads the arguments and enters the tool with them.
fn enter(
    tool: &ToolDefinition,
    states: &States,
    context: &LazyContext<'_>,
    arguments: &[u8],
    purpose: Purpose,
) -> Result<Step, Failure> {
    if tool.broken() {
        tracing::error!(tool = tool.name(), "the schema of the tool could not be made");
        return Err(Failure::internal());
    }
    let text = text(tool, arguments)?;
    let attempt = |slots: &Slots<'_>, purpose| attempt(tool, states, context, slots, purpose);
    let scanned = scan(text, tool.plan());
    if let Scan::Clean(slots) = &scanned
        && !tool.composite()
        && let Ok(step) = attempt(slots, purpose)?
    {
        return Ok(step);
    }
    let text = match check(tool, text)? {
        Ok(text) => text,
        Err(mut problems) => {
            // Beside what the schema has to say, there are texts that only their type can judge, as those of dates.
            let (Scan::Clean(slots) | Scan::Suspect(slots)) = &scanned;
            let no_object = problems.iter().any(|problem| problem.path.is_empty());
            if !no_object && let Err(findings) = attempt(slots, Purpose::Validate)? {
                add(&mut problems, findings.problems, tool);
            }
            return Err(invalid(tool, problems));
        }
    };
    let Scan::Clean(slots) = scan(&text, tool.plan()) else {
        tracing::error!(tool = tool.name(), "valid arguments do not fit the inputs");
        return Err(Failure::internal());
    };
    attempt(&slots, purpose)?.map_err(|findings| match findings.refusal {
        Some(refusal) => refusal,
        None => invalid(tool, findings.problems),
    })
}

/// Enters the tool with the texts of its inputs.
fn attempt(
    tool: &ToolDefinition,
    states: &States,
    context: &LazyContext<'_>,
    slots: &Slots<'_>,
    purpose: Purpose,
) -> Result<Result<Step, Findings>, Failure> {
    let reader = Reader::new(tool.plan(), slots, states, context);
    let mut call = match purpose {
        Purpose::Validate => Call::Validate(reader),
        Purpose::Run => Call::Run(reader),
    };
    let entry = tool.entry().ok_or_else(Failure::internal)?;
    let step = contained(|| entry(&mut call)).map_err(|Panicked| Failure::internal())?;
    Ok(if let Step::Invalid = step { Err(call.into_findings()) } else { Ok(step) })
}

/// Adds the findings about inputs that have no problem yet, each at the place of its input.
fn add(problems: &mut Vec<Problem>, findings: Vec<Problem>, tool: &ToolDefinition) {
    let input = |problem: &Problem| problem.path.split('/').nth(1).map(str::to_owned);
    let known: Vec<_> = problems.iter().map(input).collect();
    problems.extend(findings.into_iter().filter(|finding| !known.contains(&input(finding))));
    if let Ok(validator) = tool.validator() {
        problems.sort_by_cached_key(|problem| validator.position(&problem.path));
    }
    problems.truncate(MOST_PROBLEMS);
}

fn invalid(tool: &ToolDefinition, problems: Vec<Problem>) -> Failure {
    Failure::input(tool.name(), problems, tool.valid_example().cloned())
}

/// Whether arguments are what the tool takes, by its schema and by its types.
pub(crate) fn is_valid(tool: &ToolDefinition, arguments: &Value) -> bool {
    let nobody = Caller::nobody();
    let context = LazyContext::new(tool.name(), &nobody);
    let text = arguments.to_string();
    let decodes = |slots: &Slots<'_>| {
        attempt(tool, &States::default(), &context, slots, Purpose::Validate).is_ok_and(|step| step.is_ok())
    };
    tool.validator().is_ok_and(|validator| validator.problems(arguments).is_empty())
        && matches!(scan(&text, tool.plan()), Scan::Clean(ref slots) if decodes(slots))
}

/// Finds everything that the schema has against the arguments.
///
/// Returns the text to decode: the same, or one without the members that are `null` and count as left out.
fn check<'t>(tool: &ToolDefinition, text: &'t str) -> Result<Result<Cow<'t, str>, Vec<Problem>>, Failure> {
    // Spelled out, an integer beyond 2^53 is compared exactly.
    let spelled = numbers::spell_out_integers(text);
    let mut arguments = strict::parse(spelled.as_deref().unwrap_or(text))
        .map_err(|problem| Failure::not_json(tool.name(), problem))?;
    if !arguments.is_object() {
        let message =
            format!("expected an object with the inputs as its members, got {}", received(&arguments));
        return Ok(Err(vec![Problem::new("", "type", message)]));
    }
    let validator = tool.validator().map_err(|error| {
        tracing::error!(tool = tool.name(), error, "the input schema is invalid");
        Failure::internal()
    })?;
    let problems = validator.problems(&arguments);
    if problems.is_empty() {
        return Ok(Ok(Cow::Borrowed(text)));
    }
    let nulls = validator.superfluous_nulls(&arguments);
    if nulls.is_empty() {
        return Ok(Err(problems));
    }
    nulls.iter().for_each(|path| remove(&mut arguments, path));
    let problems = validator.problems(&arguments);
    Ok(if problems.is_empty() { Ok(Cow::Owned(without::without(text, &nulls))) } else { Err(problems) })
}

/// Removes a member by its JSON Pointer.
fn remove(arguments: &mut Value, path: &str) {
    let Some((parent, name)) = path.rsplit_once('/') else { return };
    if let Some(Value::Object(parent)) = arguments.pointer_mut(parent) {
        parent.shift_remove(&unescaped(name));
    }
}

/// The arguments as text; nothing at all counts as `{}`.
fn text<'a>(tool: &ToolDefinition, arguments: &'a [u8]) -> Result<&'a str, Failure> {
    let not_json = |message: &str| Failure::not_json(tool.name(), Problem::new("", "format", message));
    let text = std::str::from_utf8(arguments)
        .map_err(|error| not_json(&format!("invalid UTF-8 after {} bytes", error.valid_up_to())))?;
    if text.starts_with('\u{feff}') {
        return Err(not_json(
            "the text begins with a byte order mark, which JSON does not allow: leave it out",
        ));
    }
    Ok(if text.trim_ascii().is_empty() { "{}" } else { text })
}
