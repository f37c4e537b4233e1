//! A server that runs during checks.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::process::{self, Invocation};

/// The timeout for a server to print its address.
const START: Duration = Duration::from_secs(30);

/// A running server, killed on drop.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a server and waits for the first line of its standard error, `listening on http://ADDR`.
    pub(crate) fn start(invocation: &Invocation) -> Result<Self, Failure> {
        let mut command = invocation.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| invocation.no_start(source))?;
        let first_line = first_line(child.stderr.take());
        // Created before anything can fail, so that the child is killed on errors.
        let mut server = Self { child, address: String::new() };
        let Ok(line) = first_line.recv_timeout(START) else {
            let command = invocation.to_string();
            return Err(Failure::Late { command, due: "say where it listens", limit: START });
        };
        let Some(address) = line.trim_end().strip_prefix("listening on ") else {
            return Err(Failure::Address { command: invocation.to_string(), output: line });
        };
        address.clone_into(&mut server.address);
        Ok(server)
    }

    /// Returns the address, like `http://127.0.0.1:40123`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        process::end(&mut self.child);
    }
}

/// Returns the first line of a pipe. Later lines are copied to standard error: they may explain a failure, and a full pipe would
/// block the server.
fn first_line(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(pipe?);
        let mut first = String::new();
        lines.read_line(&mut first).ok()?;
        sender.send(first).ok()?;
        std::io::copy(&mut lines, &mut std::io::stderr()).ok()
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> Result<Server, Failure> {
        Server::start(&Invocation::of("sh").arguments(["-c", script]))
    }

    #[test]
    fn reads_the_address_from_the_first_line() {
        let server = start("echo 'listening on http://127.0.0.1:4711' >&2; exec tail -f /dev/null").unwrap();
        assert_eq!(server.address(), "http://127.0.0.1:4711");
    }

    #[test]
    fn shows_an_unexpected_first_line() {
        let failure = start("echo 'error: no such command' >&2").unwrap_err().to_string();
        assert!(failure.contains("error: no such command"), "{failure}");
    }

    #[test]
    fn reports_a_server_that_ends_silently() {
        assert!(matches!(start("exit 1"), Err(Failure::Address { output, .. }) if output.is_empty()));
    }
}
