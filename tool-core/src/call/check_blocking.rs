//! Validation of arguments that takes long: on a blocking thread, within the limits of calls.

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tracing::Span;

use crate::call::decode::check::{Checked, takes_long};
use crate::call::decode::{ArgumentDecoder, Purpose, check_text};
use crate::call::executor::Executor;
use crate::call::target::Target;
use crate::context::LazyContext;
use crate::context::options::{ContextOptions, NO_OPTIONS};
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::catch_panic::catch_panic;
use crate::model::failure::Failure;
use crate::schema::leniency::{Leniency, Validation};

/// Validates arguments on a blocking thread.
pub(super) async fn check_blocking(
    executor: &Executor,
    tool: &ToolDefinition,
    leniency: Leniency,
    arguments: &[u8],
    context: &LazyContext<'_>,
    timer: &mut Option<Timer>,
) -> Result<Checked<'static>, Failure> {
    let thread = executor.acquire_thread(tool, context, timer).await?;
    let (owned, arguments, span) = (tool.clone(), arguments.to_vec(), Span::current());
    let check = move || {
        let _inside = span.enter();
        let _thread = thread;
        catch_panic(|| check_text(&owned, leniency, &arguments).map(Checked::into_owned))
    };
    let checked = limited(timer, spawn_blocking(check)).await;
    let checked = checked.map_err(|Elapsed(limit)| Failure::timeout_before(tool.name(), limit))?;
    // A panic is a bug of this crate; a canceled task means that the runtime shuts down.
    checked.ok().and_then(Result::ok).ok_or_else(Failure::internal)?
}

/// Validates the JSON text of the arguments for a tool without calling it. If this takes long, it waits for a permit as a call
/// does.
pub(crate) async fn validate_limited(
    principal: &Principal,
    options: &ContextOptions,
    member: Target<'_>,
    arguments: &[u8],
) -> Result<Validation, Failure> {
    let Target { definition: tool, implementation, scope, .. } = member;
    let anonymous = Principal::anonymous();
    let context = LazyContext::new(tool.name(), &anonymous, &NO_OPTIONS);
    let decoder = ArgumentDecoder {
        tool,
        implementation,
        states: &scope.states,
        leniency: scope.leniency,
        context: &context,
    };
    let mut coercions = Vec::new();
    if !takes_long(tool, arguments) || Handle::try_current().is_err() {
        let entered = decoder.enter(arguments, Purpose::Validate, &mut coercions);
        return entered.map(|_| Validation { coercions });
    }
    if decoder.enter_unchecked(arguments, Purpose::Validate)?.is_some() {
        return Ok(Validation { coercions });
    }
    let mut turn = LazyContext::new(tool.name(), principal, options);
    let mut timer = scope.executor.timer(tool)?;
    let permit = scope.executor.acquire(tool, &turn, &mut timer).await?;
    if let Some(permit) = &permit {
        turn.hold(permit);
    }
    let checked = check_blocking(&scope.executor, tool, scope.leniency, arguments, &turn, &mut timer).await?;
    decoder.enter_checked(checked, Purpose::Validate, &mut coercions).map(|_| Validation { coercions })
}
