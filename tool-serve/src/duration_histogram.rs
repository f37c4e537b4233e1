//! A histogram of durations.

use std::cell::Cell;
use std::sync::Once;
use std::time::Instant;

use metrics::{IntoF64, Key, Label, Level, Metadata, Recorder, Unit};

/// A histogram of durations in seconds, for the recorder of [`metrics`] that the application has installed.
///
/// ```
/// use std::time::Instant;
/// use metrics::Label;
/// use tool_serve::DurationHistogram;
///
/// static WAITS: DurationHistogram = DurationHistogram::new("http.server.request.duration", "How long callers wait.");
/// let began = Instant::now();
/// WAITS.record_since(began, || vec![Label::new("http.route", "/tools")]);
/// ```
#[derive(Debug)]
pub struct DurationHistogram {
    name: &'static str,
    description: &'static str,
    /// Completed when a recorder knows the unit and the description.
    described: Once,
}

impl DurationHistogram {
    /// Returns the histogram of this name.
    ///
    /// ```
    /// use tool_serve::DurationHistogram;
    ///
    /// static WAITS: DurationHistogram = DurationHistogram::new("http.server.request.duration", "How long callers wait.");
    /// ```
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        DurationHistogram { name, description, described: Once::new() }
    }

    /// Records the time since `began`. No label may have more than a few values; without a recorder, none is made.
    ///
    /// ```
    /// # use std::time::Instant;
    /// # use tool_serve::DurationHistogram;
    /// # static WAITS: DurationHistogram = DurationHistogram::new("http.server.request.duration", "How long callers wait.");
    /// WAITS.record_since(Instant::now(), || panic!("there is no recorder"));
    /// ```
    pub fn record_since(&self, began: Instant, labels: impl FnOnce() -> Vec<Label>) {
        metrics::with_recorder(|recorder| {
            if self.is_discarded_by(recorder) {
                return;
            }
            self.described.call_once(|| {
                recorder.describe_histogram(self.name.into(), Some(Unit::Seconds), self.description.into());
            });
            let key = Key::from_parts(self.name, labels());
            recorder.register_histogram(&key, &METADATA).record(began.elapsed());
        });
    }

    /// Returns `true` for the recorder that `metrics` has while the application has installed none.
    ///
    /// It has no fields. A recorder of the application may have none either, so its handle is asked whether it reads values.
    fn is_discarded_by(&self, recorder: &dyn Recorder) -> bool {
        if size_of_val(recorder) > 0 || self.described.is_completed() {
            return false;
        }
        let is_read = Cell::new(false);
        let handle = recorder.register_histogram(&Key::from_static_name(self.name), &METADATA);
        handle.record_many(Probe(&is_read), 0);
        !is_read.get()
    }
}

const METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// A value that notes whether it is read.
struct Probe<'p>(&'p Cell<bool>);

impl IntoF64 for Probe<'_> {
    fn into_f64(self) -> f64 {
        self.0.set(true);
        0.0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use metrics::{Counter, Gauge, Histogram, HistogramFn, KeyName, SharedString};

    use super::*;

    thread_local! {
        static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    fn note(call: String) {
        CALLS.with_borrow_mut(|calls| calls.push(call));
    }

    /// A recorder without fields, as the one that `metrics` has in place of none.
    struct Fieldless;

    struct Notes(Key);

    impl HistogramFn for Notes {
        fn record(&self, _: f64) {
            let labels = self.0.labels().map(|label| format!(" {}={}", label.key(), label.value()));
            note(format!("{}{}", self.0.name(), labels.collect::<String>()));
        }
    }

    impl Recorder for Fieldless {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
            note(format!("{} in {}", name.as_str(), unit.unwrap().as_str()));
        }

        fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
            Counter::noop()
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::noop()
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(Arc::new(Notes(key.clone())))
        }
    }

    #[test]
    fn records_as_soon_as_there_is_a_recorder() {
        let waits = DurationHistogram::new("http.server.request.duration", "How long callers wait.");
        let record = || waits.record_since(Instant::now(), || vec![Label::new("http.route", "/tools")]);
        record();
        metrics::with_local_recorder(&Fieldless, || (0..2).for_each(|_| record()));
        let recorded = "http.server.request.duration http.route=/tools";
        assert_eq!(CALLS.take(), ["http.server.request.duration in seconds", recorded, recorded]);
    }
}
