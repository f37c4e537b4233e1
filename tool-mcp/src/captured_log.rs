//! For the tests of this crate: the log as text.

use std::io;
use std::sync::{Arc, Mutex};

use tracing::Subscriber;

/// What a [subscriber](Self::subscriber) has written.
#[derive(Clone, Default)]
pub(crate) struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Returns a subscriber that writes here.
    pub(crate) fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        let log = self.clone();
        tracing_subscriber::fmt().with_writer(move || log.clone()).finish()
    }

    /// Returns the log so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
