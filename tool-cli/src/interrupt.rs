//! Being asked to stop: by Ctrl-C, by SIGTERM, or by a test.

use std::io;
use std::pin::Pin;
use std::thread;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long a server and the calls that change something may take after they were asked to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(30);

/// The exit code of a process that was interrupted and did not wait.
const INTERRUPTED: i32 = 130;

/// A request to stop, such as SIGTERM.
pub(crate) struct Interrupt {
    source: Option<SignalSource>,
    requested: CancellationToken,
    overdue: CancellationToken,
}

enum SignalSource {
    Signals,
    Future(Pin<Box<dyn Future<Output = ()> + Send>>),
}

impl Interrupt {
    pub(crate) fn never() -> Self {
        Interrupt { source: None, requested: CancellationToken::new(), overdue: CancellationToken::new() }
    }

    pub(crate) fn from_future(end: impl Future<Output = ()> + Send + 'static) -> Self {
        Interrupt { source: Some(SignalSource::Future(Box::pin(end))), ..Interrupt::never() }
    }

    pub(crate) fn signals() -> Self {
        Interrupt { source: Some(SignalSource::Signals), ..Interrupt::never() }
    }

    /// Returns `true` after the request.
    pub(crate) fn requested(&self) -> bool {
        self.requested.is_cancelled()
    }

    /// Installs the signal handlers. Before, a signal ends the process.
    ///
    /// Returns a token that is canceled by the request, and one that is canceled [`GRACE`] after the first signal.
    pub(crate) fn listen(&mut self) -> (CancellationToken, CancellationToken) {
        match self.source.take() {
            Some(SignalSource::Signals) => {
                // Without handlers a signal still ends the process, but at once.
                let _ = watch(self.requested.clone(), self.overdue.clone());
            }
            Some(SignalSource::Future(end)) => {
                let requested = self.requested.clone();
                tokio::spawn(async move {
                    end.await;
                    requested.cancel();
                });
            }
            None => {}
        }
        (self.requested.clone(), self.overdue.clone())
    }
}

/// Waits for signals on a thread of its own, so that the second one ends the process even if a blocking tool holds up the runtime of the
/// application. The handlers are installed when this returns.
fn watch(requested: CancellationToken, overdue: CancellationToken) -> io::Result<()> {
    let signals = Signals::listen()?;
    let grace = move || {
        thread::sleep(GRACE);
        overdue.cancel();
    };
    let wait = move || {
        signals.wait_twice(|| {
            requested.cancel();
            // Without a thread, there is no time limit; a second signal still ends the process.
            let _ = thread::Builder::new().name("grace".to_owned()).spawn(grace);
        });
        // The second signal.
        std::process::exit(INTERRUPTED)
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The signals that ask a process to end.
///
/// Does not use the signals of tokio: linking them makes every runtime allocate for them at the start, even if unused.
#[cfg(unix)]
struct Signals(signal_hook::iterator::Signals);

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};

        signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).map(Signals)
    }

    /// Waits for two signals, and calls `on_first` after the first.
    fn wait_twice(mut self, on_first: impl FnOnce()) {
        let mut arriving = self.0.forever();
        arriving.next();
        on_first();
        arriving.next();
    }
}

/// The events that ask a process to end.
#[cfg(windows)]
struct Signals {
    runtime: tokio::runtime::Runtime,
    events: tokio::signal::windows::CtrlC,
}

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let events = {
            let _entered = runtime.enter();
            tokio::signal::windows::ctrl_c()?
        };
        Ok(Signals { runtime, events })
    }

    /// Waits for the second one, and tells of the first.
    fn wait_twice(mut self, on_first: impl FnOnce()) {
        self.runtime.block_on(async {
            self.events.recv().await;
            on_first();
            self.events.recv().await;
        });
    }
}
