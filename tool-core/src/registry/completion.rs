//! Completion of inputs of tools and arguments of prompts.

use std::pin::pin;

use crate::call::target::{Scope, Target};
use crate::context::timeout::{Elapsed, limited};
#[cfg(feature = "tokio")]
use crate::declare::completion::OwnedRequest;
use crate::declare::completion::{
    CompleteFn, Completing, CompletionRequest, Completions, Proposals, push_allowed_values,
};
use crate::declare::states::States;
use crate::definition::ToolDefinition;
use crate::model::catch_panic::{Panicked, catch_panic, catch_panic_future};
use crate::model::failure::Failure;
use crate::registry::Registry;

impl Registry {
    /// Returns values that could complete what was typed for an input.
    pub(super) async fn completions(
        &self,
        target: Target<'_>,
        input: &str,
        request: &CompletionRequest<'_>,
    ) -> Result<Completions, Failure> {
        let Target { definition, scope, .. } = target;
        let inputs = definition.inputs();
        let Some(native) = inputs.iter().find(|native| native.name.as_deref() == Some(input)) else {
            let names: Vec<&str> = inputs.iter().filter_map(|native| native.name.as_deref()).collect();
            return Err(Failure::unknown_input(definition.name(), input, &names));
        };
        let mut values = Vec::new();
        match definition.completion(input) {
            _ if native.secret => {}
            Some(complete) => {
                // A proposal may be stored state, so the caller must be allowed to make the call. The values that a schema allows
                // are shown to every caller that may see the tool.
                scope.admission.admit(definition, &scope.states, self.principal())?;
                let request = request.clone().by(self.principal());
                values = if is_async(complete) {
                    Box::pin(propose_in_time(definition, scope, complete, &request)).await?
                } else {
                    propose_on_thread(definition, scope, complete, &request).await?
                };
            }
            None => {
                let text = request.text().to_lowercase();
                push_allowed_values(native, &mut values);
                values.retain(|value| value.to_lowercase().starts_with(&text));
            }
        }
        Ok(Completions::of(values))
    }
}

fn is_async(complete: CompleteFn) -> bool {
    let mut is_async = false;
    complete(&mut Completing::IsAsync(&mut is_async));
    is_async
}

/// Awaits an `async` function, within the time limit of a call of the tool.
async fn propose_in_time(
    tool: &ToolDefinition,
    scope: &Scope,
    complete: CompleteFn,
    request: &CompletionRequest<'_>,
) -> Result<Vec<String>, Failure> {
    let mut timer = scope.executor.timer(tool)?;
    let proposing = async {
        let states = &scope.states;
        match propose(complete, request, states, tool.guarded())? {
            Proposals::Ready(values) => Ok(values),
            Proposals::Pending(values) => {
                catch_panic_future(values).await.map_err(|Panicked| Failure::internal())
            }
        }
    };
    let proposed = limited(&mut timer, pin!(proposing)).await;
    proposed.map_err(|Elapsed(limit)| Failure::timeout_completion(tool.name(), limit))?
}

/// Calls a function that is not `async` on a blocking thread, because it may read files or wait for a lock.
#[cfg(feature = "tokio")]
async fn propose_on_thread(
    tool: &ToolDefinition,
    scope: &Scope,
    complete: CompleteFn,
    request: &CompletionRequest<'_>,
) -> Result<Vec<String>, Failure> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return propose_now(complete, request, &scope.states, tool.guarded());
    };
    let (request, states, guarded) = (OwnedRequest::new(request), scope.states.clone(), tool.guarded());
    let span = tracing::Span::current();
    let proposing = move || {
        let _inside = span.enter();
        propose_now(complete, &request.request(), &states, guarded)
    };
    // A task is canceled only when the runtime shuts down.
    runtime.spawn_blocking(proposing).await.unwrap_or_else(|_| Err(Failure::internal()))
}

/// Calls a function; there is no other thread.
#[cfg(not(feature = "tokio"))]
#[expect(clippy::unused_async, reason = "as with threads")]
async fn propose_on_thread(
    tool: &ToolDefinition,
    scope: &Scope,
    complete: CompleteFn,
    request: &CompletionRequest<'_>,
) -> Result<Vec<String>, Failure> {
    propose_now(complete, request, &scope.states, tool.guarded())
}

fn propose_now(
    complete: CompleteFn,
    request: &CompletionRequest<'_>,
    states: &States,
    guarded: bool,
) -> Result<Vec<String>, Failure> {
    match propose(complete, request, states, guarded)? {
        Proposals::Ready(values) => Ok(values),
        Proposals::Pending(_) => Err(Failure::internal()),
    }
}

/// Calls a function.
fn propose<'c>(
    complete: CompleteFn,
    request: &'c CompletionRequest<'c>,
    states: &'c States,
    guarded: bool,
) -> Result<Proposals<'c>, Failure> {
    let proposals = Proposals::Ready(Vec::new());
    let mut completing = Completing::Propose { request, states, guarded, proposals };
    catch_panic(|| complete(&mut completing)).map_err(|Panicked| Failure::internal())?;
    Ok(completing.into_proposals())
}
