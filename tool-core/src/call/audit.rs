//! Audit: one record of every call.

mod shared_record;

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::call::options::CallOrigin;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::audit_kind::AuditKind;
use crate::model::call_id::CallId;
use crate::model::catch_panic::catch_panic;
use crate::model::digest::Digest;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;
use crate::model::task::RunningTask;
use crate::model::trace::TraceParent;

pub(crate) use shared_record::SharedRecord;

/// A sink for records of calls, see [`RegistryBuilder::audit`](crate::RegistryBuilder::audit).
///
/// Every call is recorded once, however it ends: denied, invalid, failed, panicked, timed out or canceled. A call that outlives
/// its caller is recorded when it ends. A call that is suspended for input is recorded each time, as `suspended` except for the
/// last. A function or closure of an [`AuditEvent`] is a sink.
///
/// The sink is called on the thread that ends the call and should be fast: send the event to a queue and write it elsewhere. A
/// panic does not change the reply.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tool_core::audit::AuditEvent;
/// use tool_core::{CallOptions, Registry};
///
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let sink = {
///     let log = Arc::clone(&log);
///     move |event: &AuditEvent<'_>| log.lock().unwrap().push(serde_json::to_string(event).unwrap())
/// };
/// let registry = Registry::builder().allow_empty().audit(sink).build().unwrap();
/// # tool_core::private::block_on(async {
/// let reply = registry.call_with("nope", b"{}", &CallOptions::new()).await;
/// let line = &log.lock().unwrap()[0];
/// let begin = format!(r#"{{"callId":"{}","principal":"local","kind":"tool","name":"nope""#, reply.call_id);
/// assert!(line.starts_with(&begin));
/// assert!(line.contains(r#""outcome":"tool_not_found""#));
/// # });
/// ```
pub trait AuditSink: Send + Sync {
    /// Records one call.
    fn record(&self, event: &AuditEvent<'_>);
}

impl<F: Fn(&AuditEvent<'_>) + Send + Sync> AuditSink for F {
    fn record(&self, event: &AuditEvent<'_>) {
        self(event);
    }
}

/// The record of one call. It contains neither arguments nor output, and so no secrets.
///
/// A call that modifies continues if its caller leaves or its time is over. `outcome` is then its real outcome, and
/// `reported` the earlier reply to the caller.
///
/// Its JSON is `{"callId", "principal"?, "kind", "name", "digest"?, "argumentsDigest", "outcome", "reported"?, "durationMs",
/// "bytesIn", "bytesOut", "traceparent"?, "task"?, "attempt"?}`, where `outcome` is `success` or the word for a [`FailureKind`], and `reported` is
/// `reported`.
///
/// ```
/// use tool_core::audit::AuditEvent;
///
/// fn line(event: &AuditEvent<'_>) -> String {
///     let end = match event.outcome {
///         Ok(()) => "success",
///         Err(kind) => kind.codes().error_type,
///     };
///     format!("{} {}: {end} after {:?}", event.call_id, event.name, event.duration)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEvent<'e> {
    /// The identifier of the call, which the reply and the log have as well.
    pub call_id: CallId,
    /// The id of the caller; `None` for an anonymous caller.
    pub principal: Option<&'e str>,
    /// Whether a tool or a prompt was called.
    pub kind: AuditKind,
    /// The name of the tool or the prompt; for one that does not exist, the first 128 characters of the given name.
    pub name: &'e str,
    /// The digest of the tool or the prompt; `None` if it does not exist.
    pub digest: Option<Digest>,
    /// BLAKE3 over the bytes of the arguments, with a key that only this process has, so that a secret of few values cannot be
    /// guessed. Equal arguments have the same digest within a process, and within processes that share
    /// [`RegistryBuilder::audit_key`](crate::RegistryBuilder::audit_key). For a prompt the bytes are the JSON of its parsed
    /// arguments.
    pub arguments_digest: Digest,
    /// How the call ended.
    pub outcome: Result<(), FailureKind>,
    /// The earlier reply to the caller: `Timeout`, `Cancelled` for a caller that left, or the failure that a
    /// [layer](crate::layer::Layer) returned in the meantime.
    pub reported: Option<FailureKind>,
    /// The time from the arrival of the call to its end; zero without a clock.
    pub duration: Duration,
    /// The length of the arguments in bytes.
    pub bytes_in: usize,
    /// The length of the output in bytes: of its JSON, its text, or all of its content. Zero after a failure.
    pub bytes_out: usize,
    /// The trace that the call is part of.
    pub traceparent: Option<TraceParent>,
    /// The task that the call is an attempt of.
    pub task: Option<&'e RunningTask>,
}

impl Serialize for AuditEvent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |kind: FailureKind| kind.codes().error_type;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("callId", &self.call_id.to_string())?;
        if let Some(principal) = self.principal {
            map.serialize_entry("principal", principal)?;
        }
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("name", self.name)?;
        if let Some(digest) = &self.digest {
            map.serialize_entry("digest", &digest.to_string())?;
        }
        map.serialize_entry("argumentsDigest", &self.arguments_digest.to_string())?;
        map.serialize_entry("outcome", self.outcome.map_or_else(word, |()| "success"))?;
        if let Some(reported) = self.reported {
            map.serialize_entry("reported", word(reported))?;
        }
        map.serialize_entry("durationMs", &self.duration.as_millis())?;
        map.serialize_entry("bytesIn", &self.bytes_in)?;
        map.serialize_entry("bytesOut", &self.bytes_out)?;
        if let Some(trace) = &self.traceparent {
            map.serialize_entry("traceparent", &trace.to_string())?;
        }
        if let Some(task) = self.task {
            map.serialize_entry("task", &task.id)?;
            map.serialize_entry("attempt", &task.attempt)?;
        }
        map.end()
    }
}

/// The audit settings of a registry.
#[derive(Clone)]
pub(crate) struct Audit {
    pub(crate) sink: Arc<dyn AuditSink>,
    /// The key for digests of arguments.
    pub(crate) key: [u8; 32],
}

/// Returns a random key for this process.
pub(crate) fn process_key() -> [u8; 32] {
    static KEY: OnceLock<[u8; 32]> = OnceLock::new();
    *KEY.get_or_init(|| {
        let seeded = RandomState::new();
        let mut hasher = blake3::Hasher::new_derive_key("tool-core: digests of arguments in audit events");
        for part in 0..4_u64 {
            hasher.update(&seeded.hash_one(part).to_le_bytes());
        }
        hasher.finalize().into()
    })
}

/// The record of one call. It is written on drop, so that every call is recorded; a record that was not ended counts as
/// canceled.
pub(crate) struct Record {
    /// The sink, or `None` once the record was discarded.
    sink: Option<Arc<dyn AuditSink>>,
    call_id: CallId,
    principal: Principal,
    trace: Option<TraceParent>,
    task: Option<RunningTask>,
    kind: AuditKind,
    subject: AuditSubject,
    arguments: Digest,
    bytes_in: usize,
    began: Option<Instant>,
    outcome: Result<usize, FailureKind>,
    reported: Reported,
}

/// The tool or the prompt that was called.
pub(crate) enum AuditSubject {
    Definition(ToolDefinition),
    UnknownName(String),
}

/// The failure that was reported to the caller before the call ended.
pub(crate) type Reported = Arc<OnceLock<FailureKind>>;

/// On this target `std` panics when it reads the clock.
const CLOCKLESS: bool = cfg!(all(target_family = "wasm", target_os = "unknown"));

impl Record {
    pub(crate) fn begin(
        audit: &Audit,
        call_id: CallId,
        origin: CallOrigin<'_>,
        kind: AuditKind,
        subject: AuditSubject,
        arguments: &[u8],
    ) -> Box<Self> {
        Box::new(Record {
            sink: Some(Arc::clone(&audit.sink)),
            call_id,
            principal: origin.principal.clone(),
            trace: origin.options.context.trace,
            task: origin.options.context.task.as_ref().map(|call| call.0.task.clone()),
            kind,
            subject,
            arguments: Digest::keyed(&audit.key, arguments),
            bytes_in: arguments.len(),
            began: (!CLOCKLESS).then(Instant::now),
            outcome: Err(FailureKind::Cancelled),
            reported: Reported::default(),
        })
    }

    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "no function outlives its caller"))]
    /// Returns the cell for a failure that is reported before the call ends.
    pub(crate) fn reported(&self) -> Reported {
        Arc::clone(&self.reported)
    }

    /// Ends and writes the record.
    pub(crate) fn end(mut self, result: &Result<Output, Failure>) {
        self.set_outcome(result);
    }

    /// Writes nothing: no call was made.
    #[cfg(feature = "tasks")]
    pub(crate) fn discard(mut self) {
        self.sink = None;
    }

    fn set_outcome(&mut self, result: &Result<Output, Failure>) {
        self.outcome = match result {
            Ok(output) => Ok(output.size()),
            Err(failure) => Err(failure.kind()),
        };
    }

    /// Sets the failure that was reported to the caller before the call ended, unless there is one.
    fn report(&self, failure: FailureKind) {
        let _ = self.reported.set(failure);
    }

    fn write(&self) {
        let Some(sink) = &self.sink else { return };
        let (name, digest) = match &self.subject {
            AuditSubject::Definition(tool) => (tool.name(), Some(tool.digest())),
            AuditSubject::UnknownName(name) => (name.as_str(), None),
        };
        sink.record(&AuditEvent {
            call_id: self.call_id,
            principal: self.principal.id(),
            kind: self.kind,
            name,
            digest,
            arguments_digest: self.arguments,
            outcome: self.outcome.map(|_| ()),
            reported: self.reported.get().copied(),
            duration: self.began.map(|began| began.elapsed()).unwrap_or_default(),
            bytes_in: self.bytes_in,
            bytes_out: self.outcome.unwrap_or_default(),
            traceparent: self.trace,
            task: self.task.as_ref(),
        });
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // A panic is logged already, and does not change the reply.
        let _ = catch_panic(|| self.write());
    }
}
