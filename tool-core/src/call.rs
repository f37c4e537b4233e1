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

mod members;
pub(crate) mod numbers;
pub(crate) mod reader;
mod run;
mod scan;
mod strict;
mod without;
mod written;

use std::borrow::Cow;

use serde_json::Value;

pub(crate) use run::Runner;
pub use run::block_on;
#[cfg(feature = "tokio")]
pub(crate) use run::blocking;

use crate::access::Principal;
use crate::call::reader::{Findings, Reader};
pub(crate) use crate::call::run::{Panicked, contained};
use crate::call::scan::{Scan, Slots, scan};
use crate::context::{CallId, LazyContext};
use crate::definition::ToolDefinition;
use crate::entry::{Call, Step};
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::registry::{Door, Home, Member};
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

/// Calls a tool with the text of its arguments.
pub(crate) async fn invoke(member: &Member, principal: &Principal, arguments: &[u8]) -> Reply {
    let Member { definition: tool, door, home } = member;
    let Home { states, runner, admission } = &**home;
    let context = LazyContext::new(tool.name(), principal);
    let call_id = context.call_id();
    let span = tracing::error_span!("tool", name = tool.name(), %call_id);
    let _counted = runner.counts(tool);
    // Not held while the function runs: a span that is entered across an `await` would cover other calls, too.
    let entered = span.in_scope(|| {
        admission.admit(tool, states, principal)?;
        enter(tool, door, states, &context, arguments, Purpose::Run)
    });
    let result = match entered {
        Err(failure) => Err(failure),
        Ok(Step::Done(result)) => result,
        Ok(Step::Running(future)) => runner.run(tool, &context, span, future).await,
        Ok(Step::Valid | Step::Invalid | Step::Described(_)) => Err(Failure::internal()),
    };
    Reply { call_id, result: result.map(|output| output.framed(tool.wrapped())) }
}

/// Checks the text of the arguments for a tool, and runs nothing.
pub(crate) fn validate(
    tool: &ToolDefinition,
    door: &Door,
    states: &States,
    arguments: &[u8],
) -> Result<(), Failure> {
    let nobody = Principal::anonymous();
    let context = LazyContext::new(tool.name(), &nobody);
    enter(tool, door, states, &context, arguments, Purpose::Validate).map(|_| ())
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
    door: &Door,
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
    if let Door::Written(written) = door {
        return written::enter(tool, written, context, text, purpose);
    }
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
    let nobody = Principal::anonymous();
    let context = LazyContext::new(tool.name(), &nobody);
    let text = arguments.to_string();
    let decodes = |slots: &Slots<'_>| {
        attempt(tool, &States::default(), &context, slots, Purpose::Validate).is_ok_and(|step| step.is_ok())
    };
    tool.validator().is_ok_and(|validator| validator.problems(arguments).is_empty())
        && (tool.entry().is_none()
            || matches!(scan(&text, tool.plan()), Scan::Clean(ref slots) if decodes(slots)))
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
