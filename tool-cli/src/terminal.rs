//! Where a question is put and answered: stderr and stdin, of a process or of a test.

#[cfg(unix)]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use crate::hidden::Hidden;
use crate::streams::{Stderr, Stdin, read_line, write};

/// Where a question is put and answered.
#[derive(Clone)]
pub(crate) struct Terminal {
    stdin: Stdin,
    stderr: Stderr,
    /// Whether what is typed can be kept from being shown.
    hides: bool,
    #[cfg(unix)]
    hidden: Arc<Mutex<Option<Hidden>>>,
}

impl Terminal {
    pub(crate) fn new(stdin: Stdin, stderr: Stderr, hides: bool) -> Self {
        Terminal {
            stdin,
            stderr,
            hides,
            #[cfg(unix)]
            hidden: Arc::default(),
        }
    }

    /// Writes to stderr, as it is.
    pub(crate) fn say(&self, text: &str) {
        write(&self.stderr, text);
    }

    /// The next line after these words, without its end; `None` where there is none, or it cannot be read. A secret is not
    /// shown while it is typed, and not read where it would be.
    pub(crate) fn line(&self, prompt: &str, secret: bool) -> Option<String> {
        if secret && self.hides {
            return self.secret(prompt);
        }
        self.say(prompt);
        read_line(&self.stdin).ok().flatten()
    }

    #[cfg(unix)]
    fn secret(&self, prompt: &str) -> Option<String> {
        // Whoever sees the prompt may type at once.
        *self.hidden() = Some(Hidden::begin()?);
        self.say(prompt);
        let line = read_line(&self.stdin).ok().flatten();
        self.show();
        line
    }

    #[cfg(windows)]
    fn secret(&self, prompt: &str) -> Option<String> {
        self.say(prompt);
        rpassword::read_password().ok()
    }

    #[cfg(not(any(unix, windows)))]
    #[expect(clippy::unused_self, reason = "as where it can be hidden")]
    fn secret(&self, _: &str) -> Option<String> {
        None
    }

    /// Shows again what is typed, also where somebody is still waiting for a secret.
    pub(crate) fn show(&self) {
        #[cfg(unix)]
        drop(self.hidden().take());
    }

    #[cfg(unix)]
    fn hidden(&self) -> std::sync::MutexGuard<'_, Option<Hidden>> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
