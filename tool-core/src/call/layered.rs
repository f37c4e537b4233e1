//! Running a call through the layers of its registry.

use std::hash::BuildHasher as _;
use std::sync::Mutex;

use foldhash::fast::FixedState;
use tracing::Instrument as _;

use crate::call::audit::SharedRecord;
use crate::call::invocation::Invocation;
use crate::call::layer::{CallRequest, Next, RunCall};
use crate::call::output_check::Outputs;
use crate::model::failure::{Failure, FailureKind};
use crate::model::future::BoxFuture;
use crate::model::lock::lock;
use crate::model::output::Output;

impl Invocation<'_> {
    /// Runs the layers, and the tool inside of them. The outcome is logged and recorded.
    pub(super) async fn run_layers(&mut self) -> Result<Output, Failure> {
        let record = self.record.take().map(SharedRecord::new);
        self.is_logged = true;
        let call = LayeredCall { call: self, record, last: Mutex::default() };
        let Invocation { tool, kind, arguments, context, span, scope, .. } = call.call;
        let request = CallRequest { tool, kind: *kind, arguments, context };
        let next = Next::new(&scope.layers, &request, &call);
        let result = next.run().instrument(span.clone()).await;
        span.in_scope(|| call.end(result))
    }
}

/// A call inside of its layers.
struct LayeredCall<'c> {
    call: &'c Invocation<'c>,
    record: Option<SharedRecord>,
    /// The outcome of the last run that has ended.
    last: Mutex<Option<Outcome>>,
}

/// The outcome of a run, for comparison.
#[derive(PartialEq)]
enum Outcome {
    /// A hash and the size of the output.
    Output(u64, usize),
    Failure(Failure),
}

impl Outcome {
    fn of(result: &Result<Output, Failure>) -> Self {
        match result {
            Ok(output) => {
                Outcome::Output(FixedState::default().hash_one(output.structured_text()), output.size())
            }
            Err(failure) => Outcome::Failure(failure.clone()),
        }
    }
}

impl RunCall for LayeredCall<'_> {
    fn run(&self) -> BoxFuture<'_, Result<Output, Failure>> {
        Box::pin(async move {
            // A suspended call starts again with the answers to its questions, and not before.
            if let Some(Outcome::Failure(failure)) = &*lock(&self.last)
                && failure.kind() == FailureKind::InputRequired
            {
                return Err(failure.clone());
            }
            let record = self.record.as_ref().map(SharedRecord::begin_run);
            let result = self.call.again(record).run_once().await;
            *lock(&self.last) = Some(Outcome::of(&result));
            result
        })
    }
}

impl LayeredCall<'_> {
    /// Checks and logs an outcome that is not that of the last run, and records it.
    fn end(self, mut result: Result<Output, Failure>) -> Result<Output, Failure> {
        let LayeredCall { call, record, last } = self;
        if *lock(&last) != Some(Outcome::of(&result)) {
            if result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::InputRequired) {
                tracing::error!("a layer suspends a call whose tool asked nothing");
                result = Err(Failure::internal());
            }
            let outputs = call.scope.executor.limits.outputs;
            // No type guarantees the output of a layer.
            let outputs = Outputs { checked: Some(outputs.checked.unwrap_or(true)), ..outputs };
            outputs.check_output(call.tool, &mut result, || call.keeps());
            if let Err(failure) = &result {
                call.log().write(failure);
            }
        }
        if let Some(record) = record {
            record.end(&result);
        }
        result
    }
}
