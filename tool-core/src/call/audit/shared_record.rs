//! The record of a call with layers, whose tool may run several times, and may outlive the call.

use std::sync::{Arc, Mutex};

use crate::call::audit::{AuditEvent, AuditSink, AuditSubject, Record};
use crate::model::failure::{Failure, FailureKind};
use crate::model::lock::lock;
use crate::model::output::Output;

/// The record of a call with layers. It is written when the call and all of its runs have ended.
pub(crate) struct SharedRecord(Arc<SharedSink>);

struct SharedSink(Mutex<RecordState>);

struct RecordState {
    record: Box<Record>,
    /// The number of runs that have not ended.
    running: usize,
    /// Whether the caller got a reply.
    is_answered: bool,
}

impl SharedRecord {
    pub(crate) fn new(record: Box<Record>) -> Self {
        SharedRecord(Arc::new(SharedSink(Mutex::new(RecordState { record, running: 0, is_answered: false }))))
    }

    /// Begins the record of a run, whose outcome becomes that of the call.
    pub(crate) fn begin_run(&self) -> Box<Record> {
        let mut state = lock(&self.0.0);
        state.running += 1;
        let record = &state.record;
        Box::new(Record {
            sink: Some(Arc::<SharedSink>::clone(&self.0)),
            call_id: record.call_id,
            principal: record.principal.clone(),
            trace: None,
            task: None,
            kind: record.kind,
            // The record of the call has the definition.
            subject: AuditSubject::UnknownName(String::new()),
            arguments: record.arguments,
            bytes_in: 0,
            began: None,
            outcome: Err(FailureKind::Cancelled),
            reported: Arc::default(),
        })
    }

    /// Ends the call. The outcome of a function that still runs is recorded when it ends.
    pub(crate) fn end(self, result: &Result<Output, Failure>) {
        let mut state = lock(&self.0.0);
        state.is_answered = true;
        match result {
            Err(failure) if state.running > 0 => state.record.report(failure.kind()),
            Ok(_) if state.running > 0 => {}
            result => state.record.set_outcome(result),
        }
    }
}

impl AuditSink for SharedSink {
    fn record(&self, run: &AuditEvent<'_>) {
        let mut state = lock(&self.0);
        state.running -= 1;
        state.record.outcome = run.outcome.map(|()| run.bytes_out);
    }
}

impl Drop for RecordState {
    fn drop(&mut self) {
        if !self.is_answered && self.record.outcome != Err(FailureKind::Cancelled) {
            self.record.report(FailureKind::Cancelled);
        }
    }
}
