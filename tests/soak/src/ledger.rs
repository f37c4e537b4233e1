//! The calls that were made, and the audit events that each of them must have.

use std::collections::HashMap;
use std::fmt;
use std::io::BufRead;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use serde::Deserialize;

/// How many audit events a call may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Events {
    /// Its request was refused before it reached a tool, or its task was created.
    None,
    /// Its connection was closed, and nobody knows how far it came.
    AtMostOne,
    /// It was answered.
    One,
}

impl Events {
    fn allow(self, count: usize) -> bool {
        match self {
            Self::None => count == 0,
            Self::AtMostOne => count <= 1,
            Self::One => count == 1,
        }
    }
}

impl fmt::Display for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no event",
            Self::AtMostOne => "at most one event",
            Self::One => "one event",
        })
    }
}

#[derive(Clone, Copy, Debug)]
struct CallEntry {
    action: &'static str,
    events: Events,
}

/// All calls of a run. Each has a number, which is part of its trace or the name of its caller.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// Distinguishes the traces of this run.
    run: u64,
    calls: Mutex<Vec<CallEntry>>,
    /// The tasks that were seen to be completed.
    completed: Mutex<Vec<String>>,
    answered: AtomicU64,
}

/// A call that was begun. Without an answer, its connection counts as closed.
#[derive(Debug)]
pub(crate) struct Call<'l> {
    ledger: &'l Ledger,
    number: u64,
}

impl Ledger {
    pub(crate) fn new(run: u64) -> Self {
        let (calls, completed) = (Mutex::default(), Mutex::default());
        Self { run, calls, completed, answered: AtomicU64::new(0) }
    }

    /// Enters a call of an action.
    pub(crate) fn begin(&self, action: &'static str) -> Call<'_> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(CallEntry { action, events: Events::AtMostOne });
        Call { ledger: self, number: calls.len() as u64 }
    }

    /// Enters a task that was seen to be completed.
    pub(crate) fn complete_task(&self, id: impl Into<String>) {
        self.completed.lock().unwrap_or_else(PoisonError::into_inner).push(id.into());
    }

    /// The number of calls that were begun.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    /// The number of calls that were answered or refused.
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    fn set(&self, number: u64, events: Events) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = calls.get_mut(number as usize - 1) {
            call.events = events;
        }
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of the call that an event belongs to.
    fn number_of(&self, event: &AuditLine) -> Option<u64> {
        let trace = event.traceparent.as_deref().and_then(|parent| parent.get(3..35));
        let id = trace.or(event.principal.as_deref())?;
        let (run, number) = (id.get(..16)?, id.get(16..32)?);
        (u64::from_str_radix(run, 16).ok()? == self.run)
            .then(|| u64::from_str_radix(number, 16).ok())
            .flatten()
    }

    /// Compares the calls with all lines of the audit log, and returns what is wrong.
    ///
    /// # Errors
    ///
    /// Returns an error if a line cannot be read or is not an event.
    pub(crate) fn compare(&self, log: impl BufRead) -> anyhow::Result<Comparison> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut counts = vec![0_usize; calls.len()];
        let mut tasks = HashMap::<String, Attempts>::new();
        let mut comparison = Comparison::default();
        for line in log.lines() {
            let line = line?;
            let event: AuditLine = serde_json::from_str(&line).with_context(|| line.clone())?;
            comparison.events += 1;
            if let Some(task) = event.task {
                let attempts = tasks.entry(task).or_default();
                *attempts.events.entry(event.attempt.unwrap_or(0)).or_default() += 1;
                attempts.succeeded |= event.outcome == "success";
                continue;
            }
            match self.number_of(&event).and_then(|number| counts.get_mut((number as usize).checked_sub(1)?))
            {
                Some(count) => *count += 1,
                None => comparison.faults.push(format!("an event belongs to no call: {line}")),
            }
        }
        for ((number, call), count) in (1..).zip(&calls).zip(counts) {
            if !call.events.allow(count) {
                let CallEntry { action, events } = call;
                comparison
                    .faults
                    .push(format!("call {number} of `{action}` has {count} events, expected {events}"));
            }
        }
        comparison.faults.extend(self.task_faults(&tasks));
        comparison.tasks = tasks.len();
        Ok(comparison)
    }

    fn task_faults(&self, tasks: &HashMap<String, Attempts>) -> Vec<String> {
        let mut faults = Vec::new();
        for (id, attempts) in tasks {
            let twice = attempts.events.iter().filter(|(_, count)| **count > 1);
            faults.extend(
                twice.map(|(attempt, count)| format!("attempt {attempt} of task {id} has {count} events")),
            );
        }
        for id in self.completed.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if !tasks.get(id).is_some_and(|attempts| attempts.succeeded) {
                faults.push(format!("task {id} is completed, and no event says so"));
            }
        }
        faults
    }
}

impl Call<'_> {
    /// Returns the header `traceparent` of the call.
    pub(crate) fn traceparent(&self) -> String {
        format!("00-{}-{:016x}-01", self.principal(), self.number)
    }

    /// Returns the caller of a call that has no trace.
    pub(crate) fn principal(&self) -> String {
        format!("{:016x}{:016x}", self.ledger.run, self.number)
    }

    /// Ends a call whose tool answered.
    pub(crate) fn answered(self) {
        self.ledger.set(self.number, Events::One);
    }

    /// Ends a call whose request reached no tool.
    pub(crate) fn refused(self) {
        self.ledger.set(self.number, Events::None);
    }
}

/// The result of [`Ledger::compare`].
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) events: usize,
    /// The number of tasks with events.
    pub(crate) tasks: usize,
    pub(crate) faults: Vec<String>,
}

/// The events of a task, by the number of the attempt.
#[derive(Debug, Default)]
struct Attempts {
    events: HashMap<u64, usize>,
    succeeded: bool,
}

/// The members of an audit event that are compared.
#[derive(Debug, Deserialize)]
struct AuditLine {
    principal: Option<String>,
    traceparent: Option<String>,
    outcome: String,
    task: Option<String>,
    attempt: Option<u64>,
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    const RUN: u64 = 0xabc;

    fn traced(call: &Call<'_>) -> String {
        format!("{{\"traceparent\":\"{}\",\"outcome\":\"success\"}}\n", call.traceparent())
    }

    fn faults(ledger: &Ledger, log: &str) -> Vec<String> {
        ledger.compare(io::Cursor::new(log)).unwrap().faults
    }

    #[test]
    fn compares_each_call_with_its_events() {
        for (count, end, expected) in [
            (1, Some(Events::One), None),
            (0, Some(Events::One), Some("call 1 of `add` has 0 events, expected one event")),
            (2, Some(Events::One), Some("call 1 of `add` has 2 events, expected one event")),
            (0, None, None),
            (1, None, None),
            (2, None, Some("call 1 of `add` has 2 events, expected at most one event")),
            (0, Some(Events::None), None),
            (1, Some(Events::None), Some("call 1 of `add` has 1 events, expected no event")),
        ] {
            let ledger = Ledger::new(RUN);
            let call = ledger.begin("add");
            let log = traced(&call).repeat(count);
            match end {
                Some(Events::One) => call.answered(),
                Some(Events::None) => call.refused(),
                _ => {}
            }
            assert_eq!(faults(&ledger, &log), Vec::from_iter(expected), "{count} {end:?}");
        }
    }

    #[test]
    fn finds_the_call_of_a_caller() {
        let ledger = Ledger::new(RUN);
        let call = ledger.begin("run add");
        let log = format!("{{\"principal\":\"{}\",\"outcome\":\"success\"}}\n", call.principal());
        call.answered();
        assert!(faults(&ledger, &log).is_empty());
        assert_eq!(faults(&ledger, ""), ["call 1 of `run add` has 0 events, expected one event"]);
    }

    #[test]
    fn reports_events_of_no_call() {
        let ledger = Ledger::new(RUN);
        let other = Ledger::new(RUN + 1);
        ledger.begin("add").answered();
        for line in [
            traced(&other.begin("add")),
            "{\"outcome\":\"success\"}\n".to_owned(),
            "{\"principal\":\"local\",\"outcome\":\"success\"}\n".to_owned(),
        ] {
            let found = faults(&ledger, &line);
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found[0].starts_with("an event belongs to no call"), "{found:?}");
        }
    }

    #[test]
    fn compares_tasks_with_their_attempts() {
        let line = |attempt: u64, outcome: &str| {
            format!("{{\"task\":\"t\",\"attempt\":{attempt},\"outcome\":\"{outcome}\"}}\n")
        };
        for (log, expected) in [
            (line(1, "success"), None),
            (line(1, "unavailable") + &line(2, "success"), None),
            (line(1, "unavailable"), Some("task t is completed, and no event says so")),
            (String::new(), Some("task t is completed, and no event says so")),
            (line(1, "success").repeat(2), Some("attempt 1 of task t has 2 events")),
        ] {
            let ledger = Ledger::new(RUN);
            ledger.complete_task("t");
            assert_eq!(faults(&ledger, &log), Vec::from_iter(expected), "{log}");
        }
    }

    #[test]
    fn rejects_lines_that_are_not_events() {
        let ledger = Ledger::new(RUN);
        assert!(ledger.compare(io::Cursor::new("{\"outcome\":\"suc")).is_err());
    }
}
