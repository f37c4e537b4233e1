//! The log of a test.

use std::cell::RefCell;
use std::io;
use std::marker::PhantomData;
use std::sync::Once;

thread_local! {
    /// What is logged on this thread, while a test reads it.
    static TEXT: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Installs the subscriber of all tests. One for each thread would race with the first events of other threads, which decide for
/// all whether an event is of interest.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
        subscriber.with_writer(|| Writer).init();
    });
}

/// The log of this thread. A test runs on one thread.
pub(crate) struct Log(PhantomData<*const ()>);

impl Log {
    pub(crate) fn start() -> Self {
        install();
        TEXT.set(Some(Vec::new()));
        Log(PhantomData)
    }

    /// Returns what was logged since the last time.
    pub(crate) fn take(&self) -> String {
        let text = TEXT.replace(Some(Vec::new())).unwrap_or_default();
        String::from_utf8(text).unwrap()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        TEXT.set(None);
    }
}

struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        TEXT.with_borrow_mut(|text| text.as_mut().map(|text| text.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
