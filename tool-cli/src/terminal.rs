//! The terminal of a command: writes questions to stderr and reads answers from stdin.

#[cfg(unix)]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use crate::secret_input::EchoOff;
use crate::streams::{self, Stderr, Stdin, Streams, read_line};

/// Writes questions to stderr and reads answers from stdin, of the process or of a test.
#[derive(Clone)]
pub(crate) struct Terminal {
    stdin: Stdin,
    stderr: Stderr,
    /// Whether typed secrets can be hidden.
    hides_input: bool,
    #[cfg(unix)]
    echo_off: Arc<Mutex<Option<EchoOff>>>,
}

impl Terminal {
    pub(crate) fn new(streams: &Streams) -> Self {
        Terminal {
            stdin: streams.stdin(),
            stderr: streams.stderr(),
            hides_input: streams.hides_input(),
            #[cfg(unix)]
            echo_off: Arc::default(),
        }
    }

    /// Writes to stderr unchanged.
    pub(crate) fn write(&self, text: &str) {
        streams::write(&self.stderr, text);
    }

    /// Writes a prompt and returns the next line, without its end; `None` if there is none or it cannot be read. A secret
    /// is hidden while it is typed. If that is not possible, it is not read.
    pub(crate) fn line(&self, prompt: &str, secret: bool) -> Option<String> {
        if secret && self.hides_input {
            return self.secret(prompt);
        }
        self.write(prompt);
        read_line(&self.stdin).ok().flatten()
    }

    #[cfg(unix)]
    fn secret(&self, prompt: &str) -> Option<String> {
        // Before the prompt: a person may type as soon as it appears.
        *self.echo_off() = Some(EchoOff::begin()?);
        self.write(prompt);
        let line = read_line(&self.stdin).ok().flatten();
        self.restore_echo();
        line
    }

    #[cfg(windows)]
    fn secret(&self, prompt: &str) -> Option<String> {
        self.write(prompt);
        rpassword::read_password().ok()
    }

    #[cfg(not(any(unix, windows)))]
    #[expect(clippy::unused_self, reason = "same signature as where input can be hidden")]
    fn secret(&self, _: &str) -> Option<String> {
        None
    }

    /// Shows typed input again, even while a secret is being read.
    pub(crate) fn restore_echo(&self) {
        #[cfg(unix)]
        drop(self.echo_off().take());
    }

    #[cfg(unix)]
    fn echo_off(&self) -> std::sync::MutexGuard<'_, Option<EchoOff>> {
        self.echo_off.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
