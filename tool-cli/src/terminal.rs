//! Where a question is put and answered: stderr and stdin, of a process or of a test.

#[cfg(unix)]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use crate::secret_input::EchoOff;
use crate::streams::{self, Stderr, Stdin, read_line};

/// Where a question is put and answered.
#[derive(Clone)]
pub(crate) struct Terminal {
    stdin: Stdin,
    stderr: Stderr,
    /// Whether what is typed can be kept from being shown.
    hides_input: bool,
    #[cfg(unix)]
    echo_off: Arc<Mutex<Option<EchoOff>>>,
}

impl Terminal {
    pub(crate) fn new(stdin: Stdin, stderr: Stderr, hides_input: bool) -> Self {
        Terminal {
            stdin,
            stderr,
            hides_input,
            #[cfg(unix)]
            echo_off: Arc::default(),
        }
    }

    /// Writes to stderr, as it is.
    pub(crate) fn write(&self, text: &str) {
        streams::write(&self.stderr, text);
    }

    /// The next line after these words, without its end; `None` where there is none, or it cannot be read. A secret is not
    /// shown while it is typed, and not read where it would be.
    pub(crate) fn line(&self, prompt: &str, secret: bool) -> Option<String> {
        if secret && self.hides_input {
            return self.secret(prompt);
        }
        self.write(prompt);
        read_line(&self.stdin).ok().flatten()
    }

    #[cfg(unix)]
    fn secret(&self, prompt: &str) -> Option<String> {
        // Whoever sees the prompt may type at once.
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
    #[expect(clippy::unused_self, reason = "as where it can be hidden")]
    fn secret(&self, _: &str) -> Option<String> {
        None
    }

    /// Shows again what is typed, also where somebody is still waiting for a secret.
    pub(crate) fn restore_echo(&self) {
        #[cfg(unix)]
        drop(self.echo_off().take());
    }

    #[cfg(unix)]
    fn echo_off(&self) -> std::sync::MutexGuard<'_, Option<EchoOff>> {
        self.echo_off.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
