//! Input on a terminal that is not echoed.

/// Turns off the echo of the terminal until it is dropped.
#[cfg(unix)]
pub(crate) struct EchoOff(nix::sys::termios::Termios);

#[cfg(unix)]
impl EchoOff {
    /// Turns off the echo; `None` if that fails, for example because stdin is not a terminal.
    pub(crate) fn begin() -> Option<Self> {
        use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};

        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut quiet = before.clone();
        quiet.local_flags.remove(LocalFlags::ECHO);
        // The end of the line is shown all the same, so that one sees that it was taken.
        quiet.local_flags.insert(LocalFlags::ECHONL);
        tcsetattr(std::io::stdin(), SetArg::TCSADRAIN, &quiet).ok()?;
        Some(EchoOff(before))
    }
}

#[cfg(unix)]
impl Drop for EchoOff {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing either way.
        let _ = nix::sys::termios::tcsetattr(std::io::stdin(), nix::sys::termios::SetArg::TCSADRAIN, &self.0);
    }
}
