//! The option `task`.

use syn::{Expr, ExprLit, Lit, Type};

use super::execution::execution;
use super::operation::operation;
use super::{duration, name};
use crate::diagnostics::{Errors, Section};
use crate::model::{Execution, Task};
use crate::parse::{Argument, Attribute, Function, Spanned, TaskOption, peel_groups};

/// More retries than this are a mistake.
const MAX_RETRIES: u32 = 100;

/// Ten years. A deadline beyond that may not fit into the clock of a database.
const MAX_DURATION: u64 = 10 * 365 * 24 * 3_600_000;

/// How long a task exists that does not declare it, as in `tool_core::tasks::TaskOptions`.
const DEFAULT_TTL: u64 = 24 * 3_600_000;

pub(super) fn check(attribute: &Attribute, function: &Function, errors: &mut Errors) {
    let Some(task) = &attribute.task else { return };
    check_operation(attribute, task, errors);
    check_support(task, errors);
    check_retries(attribute, function, task, errors);
    check_durations(task, errors);
    check_timeout(attribute, errors);
    check_execution(attribute, function, task, errors);
    check_secrets(function, errors);
}

/// Returns the model of a task without errors.
pub(super) fn valid(task: &TaskOption) -> Option<Task> {
    let milliseconds =
        |given: &Option<Spanned<String>>| given.as_ref().and_then(|given| duration::parse(&given.value).ok());
    Some(Task {
        is_required: task.required.is_some(),
        retries: match &task.retries {
            Some(given) => Some(retries(given)?),
            None => None,
        },
        attempt_timeout: milliseconds(&task.attempt_timeout),
        ttl: milliseconds(&task.ttl),
        poll: milliseconds(&task.poll),
    })
}

// A task is an effect that takes long.
fn check_operation(attribute: &Attribute, task: &TaskOption, errors: &mut Errors) {
    if let Some(operation) = operation(attribute)
        && operation != "Trigger"
    {
        errors.push(
            Section::Attribute,
            &task.tokens,
            format!("a `{operation}` tool cannot run as a task"),
            "declare `operation = Trigger`, or remove `task`",
        );
    }
}

// Callers that cannot run tasks are refused by the one and served by the other, so it is never guessed.
fn check_support(task: &TaskOption, errors: &mut Errors) {
    match (&task.optional, &task.required) {
        (None, None) if !task.unread => errors.push(
            Section::Attribute,
            &task.tokens,
            "`task` is neither `optional` nor `required`",
            "write `task(optional)` if a caller may also wait for the call, else `task(required)`",
        ),
        (Some(_), Some(required)) => errors.push(
            Section::Attribute,
            required,
            "`task` cannot be both `optional` and `required`",
            "keep one",
        ),
        _ => {}
    }
}

fn retries(given: &Expr) -> Option<u32> {
    match peel_groups(given) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            number.base10_parse().ok().filter(|retries| *retries <= MAX_RETRIES)
        }
        _ => None,
    }
}

// A function that may begin again has to know that, or must not care.
fn check_retries(attribute: &Attribute, function: &Function, task: &TaskOption, errors: &mut Errors) {
    let Some(given) = &task.retries else { return };
    let Some(retries) = retries(given) else {
        errors.push(
            Section::Attribute,
            given,
            format!("`retries` expects a whole number up to {MAX_RETRIES}"),
            "write `retries = 2`",
        );
        return;
    };
    let is_idempotent = attribute.idempotent.as_ref().is_some_and(|given| given.value);
    let has_key = function.arguments.iter().any(takes_key);
    if retries > 0 && !is_idempotent && !has_key && !errors.is_unreadable("idempotent") {
        errors.push(
            Section::Attribute,
            given,
            format!("`{}` may run twice, which it does not declare to be harmless", name::of_function(function)),
            "add `idempotent = true` if it is, take `#[inject] key: TaskKey` and send the key with each effect, or remove `retries`",
        );
    }
}

/// Returns `true` if it is `#[inject] …: TaskKey`.
fn takes_key(argument: &Argument) -> bool {
    let Type::Path(kind) = &argument.kind else { return false };
    argument.inject.is_some() && kind.path.segments.last().is_some_and(|last| last.ident == "TaskKey")
}

fn check_durations(task: &TaskOption, errors: &mut Errors) {
    let attempt_timeout = check_duration("attempt_timeout", task.attempt_timeout.as_ref(), errors);
    let ttl = check_duration("ttl", task.ttl.as_ref(), errors);
    check_duration("poll", task.poll.as_ref(), errors);
    let shown = task.ttl.as_ref().or(task.attempt_timeout.as_ref());
    // The task would expire while it runs.
    if let (Some(attempt_timeout), Some(shown)) = (attempt_timeout, shown)
        && (task.ttl.is_none() || ttl.is_some())
        && ttl.unwrap_or(DEFAULT_TTL) < attempt_timeout
    {
        let (fact, help) = match ttl {
            Some(_) => ("`ttl` is shorter than `attempt_timeout`", "use a longer `ttl`"),
            None => (
                "`attempt_timeout` is longer than the default `ttl`, 24 hours",
                "add a longer `ttl = \"48h\"`",
            ),
        };
        errors.push(Section::Attribute, &shown.tokens, fact, help);
    }
}

/// Returns the duration in milliseconds, if it is valid.
fn check_duration(option: &str, given: Option<&Spanned<String>>, errors: &mut Errors) -> Option<u64> {
    let given = given?;
    let parsed = duration::parse(&given.value).and_then(|milliseconds| {
        if milliseconds <= MAX_DURATION { Ok(milliseconds) } else { Err(duration::DurationError::TooLong) }
    });
    parsed.map_err(|error| duration::push(&error, option, &given.value, &given.tokens, errors)).ok()
}

// A caller that waits and a task would have different limits.
fn check_timeout(attribute: &Attribute, errors: &mut Errors) {
    if let Some(given) = &attribute.timeout {
        errors.push(
            Section::Attribute,
            &given.tokens,
            "a tool that runs as a task cannot have a `timeout`",
            "use `attempt_timeout`, as in `task(optional, attempt_timeout = \"1h\")`",
        );
    }
}

// A worker has to see a cancellation while the function runs.
fn check_execution(attribute: &Attribute, function: &Function, task: &TaskOption, errors: &mut Errors) {
    if execution(attribute, function) == Execution::Sync && !errors.is_unreadable("blocking") {
        errors.push(
            Section::Attribute,
            &task.tokens,
            "a plain `fn` cannot run as a task",
            "add `blocking`, make it an `async fn`, or remove `task`",
        );
    }
}

// The arguments of a task are stored.
fn check_secrets(function: &Function, errors: &mut Errors) {
    for secret in function.arguments.iter().filter_map(|argument| argument.options.secret.as_ref()) {
        errors.push(
            Section::Parameters,
            secret,
            "a tool that runs as a task cannot take a secret: its arguments are stored",
            "take the secret from a `State`, or remove `task`",
        );
    }
}
