//! A histogram of durations.

use std::sync::Once;
use std::time::Duration;

use metrics::{Key, Label, Level, Metadata, Unit};

/// A histogram of durations in seconds, for the recorder of [`metrics`] that the application has installed.
///
/// ```
/// use std::time::Duration;
/// use metrics::Label;
/// use tool_serve::DurationHistogram;
///
/// static WAITS: DurationHistogram = DurationHistogram::new("wait.duration", "How long callers wait.");
/// WAITS.record(Duration::from_millis(20), vec![Label::new("queue", "short")]);
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
    /// static WAITS: DurationHistogram = DurationHistogram::new("wait.duration", "How long callers wait.");
    /// ```
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        DurationHistogram { name, description, described: Once::new() }
    }

    /// Records a duration. No label may have more than a few values.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_serve::DurationHistogram;
    /// # static WAITS: DurationHistogram = DurationHistogram::new("wait.duration", "How long callers wait.");
    /// WAITS.record(Duration::from_secs(1), Vec::new());
    /// ```
    pub fn record(&self, duration: Duration, labels: Vec<Label>) {
        const METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));
        let key = Key::from_parts(self.name, labels);
        metrics::with_recorder(|recorder| {
            self.described.call_once(|| {
                recorder.describe_histogram(self.name.into(), Some(Unit::Seconds), self.description.into());
            });
            recorder.register_histogram(&key, &METADATA).record(duration.as_secs_f64());
        });
    }
}
