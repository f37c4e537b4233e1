//! The program as a server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Returns the program with arguments, without the settings of whoever runs the tests.
pub(crate) fn weather(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weather"));
    command.args(arguments).env_remove("WEATHER_TOKEN").env_remove("WEATHER_RESULTS").env_remove("RUST_LOG");
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
    command
}

/// A running server, killed on drop.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts a server, and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on ").map(str::to_owned);
        Server { child, address: address.unwrap_or_else(|| panic!("{line}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
