//! The functions that `complete = …` takes: with state or without, with the whole request or its text, `async` or not.

use crate::declare::completion::{CompletionRequest, Proposals};
use crate::declare::inject::Needs;
use crate::declare::states::{States, WithoutState};

/// A function for `complete`: `fn(&str) -> Vec<String>`, or `fn(&str, &S) -> Vec<String>` with `S` a state of the
/// registry, both also as `async fn`. It takes the text so far, or `&CompletionRequest<'_>` to see the other inputs and
/// the caller. If the tool has an access function, only completions that take a `CompletionRequest` run.
#[diagnostic::on_unimplemented(
    message = "a completion is `fn(&str) -> Vec<String>` or `fn(&str, &State) -> Vec<String>`",
    label = "this function does not propose values",
    note = "it may be an `async fn`, whose future must be `Send`"
)]
pub trait Complete<Marker>: Sized {
    /// Whether the function sees the caller, and so can filter by it.
    const SEES_CALLER: bool = false;
    /// Whether the function returns a future.
    const IS_ASYNC: bool = false;

    /// Describes the state that the function takes.
    fn needs(self, needs: &mut Needs);

    /// Proposes values.
    fn propose<'c>(self, request: &'c CompletionRequest<'c>, states: &'c States) -> Proposals<'c>;
}

/// Marks a completion that takes the whole request.
#[derive(Debug)]
pub enum WithRequest {}

/// Marks a completion that is `async`, and otherwise takes what `Marker` says.
#[derive(Debug)]
pub struct Async<Marker>(Marker);

/// An `async fn` with one parameter. The trait names the future, whose lifetime is that of the parameter.
pub trait AsyncFn1<A>: Fn(A) -> Self::Future {
    /// The future.
    type Future: Future<Output = Vec<String>> + Send;
}

impl<A, P: Future<Output = Vec<String>> + Send, F: Fn(A) -> P> AsyncFn1<A> for F {
    type Future = P;
}

/// An `async fn` with two parameters.
pub trait AsyncFn2<A, B>: Fn(A, B) -> Self::Future {
    /// The future.
    type Future: Future<Output = Vec<String>> + Send;
}

impl<A, B, P: Future<Output = Vec<String>> + Send, F: Fn(A, B) -> P> AsyncFn2<A, B> for F {
    type Future = P;
}

impl<F: Fn(&str) -> Vec<String>> Complete<WithoutState> for F {
    fn needs(self, _: &mut Needs) {}

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, _: &'c States) -> Proposals<'c> {
        Proposals::Ready(self(request.text()))
    }
}

impl<F: for<'a> AsyncFn1<&'a str> + Send + 'static> Complete<Async<WithoutState>> for F {
    const IS_ASYNC: bool = true;

    fn needs(self, _: &mut Needs) {}

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, _: &'c States) -> Proposals<'c> {
        Proposals::Pending(Box::pin(async move { self(request.text()).await }))
    }
}

impl<S: Send + Sync + 'static, F: Fn(&str, &S) -> Vec<String>> Complete<(S,)> for F {
    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, states: &'c States) -> Proposals<'c> {
        Proposals::Ready(states.get::<S>().map(|state| self(request.text(), &state)).unwrap_or_default())
    }
}

impl<S, F> Complete<Async<(S,)>> for F
where
    S: Send + Sync + 'static,
    F: for<'a, 's> AsyncFn2<&'a str, &'s S> + Send + 'static,
{
    const IS_ASYNC: bool = true;

    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, states: &'c States) -> Proposals<'c> {
        let Some(state) = states.get::<S>() else { return Proposals::Ready(Vec::new()) };
        Proposals::Pending(Box::pin(async move { self(request.text(), &state).await }))
    }
}

impl<F: Fn(&CompletionRequest<'_>) -> Vec<String>> Complete<WithRequest> for F {
    const SEES_CALLER: bool = true;

    fn needs(self, _: &mut Needs) {}

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, _: &'c States) -> Proposals<'c> {
        Proposals::Ready(self(request))
    }
}

impl<F> Complete<Async<WithRequest>> for F
where
    F: for<'a, 't> AsyncFn1<&'a CompletionRequest<'t>> + Send + 'static,
{
    const SEES_CALLER: bool = true;
    const IS_ASYNC: bool = true;

    fn needs(self, _: &mut Needs) {}

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, _: &'c States) -> Proposals<'c> {
        Proposals::Pending(Box::pin(async move { self(request).await }))
    }
}

impl<S: Send + Sync + 'static, F: Fn(&CompletionRequest<'_>, &S) -> Vec<String>> Complete<(WithRequest, S)>
    for F
{
    const SEES_CALLER: bool = true;

    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, states: &'c States) -> Proposals<'c> {
        Proposals::Ready(states.get::<S>().map(|state| self(request, &state)).unwrap_or_default())
    }
}

impl<S, F> Complete<Async<(WithRequest, S)>> for F
where
    S: Send + Sync + 'static,
    F: for<'a, 't, 's> AsyncFn2<&'a CompletionRequest<'t>, &'s S> + Send + 'static,
{
    const SEES_CALLER: bool = true;
    const IS_ASYNC: bool = true;

    fn needs(self, needs: &mut Needs) {
        needs.state::<S>();
    }

    fn propose<'c>(self, request: &'c CompletionRequest<'c>, states: &'c States) -> Proposals<'c> {
        let Some(state) = states.get::<S>() else { return Proposals::Ready(Vec::new()) };
        Proposals::Pending(Box::pin(async move { self(request, &state).await }))
    }
}
