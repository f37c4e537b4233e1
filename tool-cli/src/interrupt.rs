//! Being asked to stop: by Ctrl-C, by SIGTERM, or by a test.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long a server and the calls that change something may take after they were asked to stop.
const GRACE: Duration = Duration::from_secs(30);

/// The exit code of a process that was interrupted and did not wait.
const INTERRUPTED: i32 = 130;

/// Where the wish to stop comes from, and whether it came.
pub(crate) struct Interrupt {
    source: Option<Source>,
    asked: CancellationToken,
    overdue: CancellationToken,
}

enum Source {
    Signals,
    Future(Pin<Box<dyn Future<Output = ()> + Send>>),
}

impl Interrupt {
    pub(crate) fn never() -> Self {
        Interrupt { source: None, asked: CancellationToken::new(), overdue: CancellationToken::new() }
    }

    pub(crate) fn by(end: impl Future<Output = ()> + Send + 'static) -> Self {
        Interrupt { source: Some(Source::Future(Box::pin(end))), ..Interrupt::never() }
    }

    pub(crate) fn signals() -> Self {
        Interrupt { source: Some(Source::Signals), ..Interrupt::never() }
    }

    /// Whether the wish came.
    pub(crate) fn asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Listens from now on: before, a signal ends the process as it always did.
    ///
    /// Returns what is cancelled when the wish comes, and what is cancelled when nobody should wait any longer.
    pub(crate) fn listen(&mut self) -> (CancellationToken, CancellationToken) {
        match self.source.take() {
            Some(Source::Signals) => {
                // Without handlers a signal still ends the process, only less politely.
                let _ = watch(self.asked.clone(), self.overdue.clone());
            }
            Some(Source::Future(end)) => {
                let asked = self.asked.clone();
                tokio::spawn(async move {
                    end.await;
                    asked.cancel();
                });
            }
            None => {}
        }
        (self.asked.clone(), self.overdue.clone())
    }
}

/// Hears signals on a thread and a runtime of its own, so that the second one counts even where a tool that blocks holds
/// up the runtime of the application. The handlers are in place when this returns.
fn watch(asked: CancellationToken, overdue: CancellationToken) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = {
        let _entered = runtime.enter();
        Signals::listen()?
    };
    let watching = move || {
        runtime.block_on(async {
            signals.next().await;
            asked.cancel();
            tokio::select! {
                () = signals.next() => {}
                () = tokio::time::sleep(GRACE) => {
                    overdue.cancel();
                    signals.next().await;
                }
            }
        });
        // Asked for the second time, by somebody who will not wait.
        std::process::exit(INTERRUPTED)
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(watching).map(drop)
}

/// The signals that ask a process to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The events that ask a process to end.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Signals)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
