//! Logs the standard error of a server, rate limited and without its secrets.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::ChildStderr;
use tokio::time::Instant;

/// The maximum number of logged bytes of a line.
const MAX_LINE_BYTES: usize = 2_000;

/// The maximum number of logged lines in each [period](PERIOD).
const MAX_LINES: u32 = 100;

const PERIOD: Duration = Duration::from_secs(10);

/// Starts a task that logs all lines. It reads to the end, so that the pipe never fills up.
pub(super) fn log_lines(server: &str, stderr: ChildStderr, secrets: Vec<String>) {
    let server = server.to_owned();
    tokio::spawn(async move {
        let mut reader = BufReader::new(stderr);
        let mut log =
            StderrLog { server, secrets, line: Vec::new(), since: Instant::now(), logged: 0, dropped: 0 };
        while let Ok(available) = reader.fill_buf().await {
            if available.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            let room = MAX_LINE_BYTES.saturating_sub(log.line.len());
            log.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let consumed = piece.len() + usize::from(end.is_some());
            reader.consume(consumed);
            if end.is_some() {
                log.end_line();
            }
        }
        log.end_line();
    });
}

struct StderrLog {
    server: String,
    secrets: Vec<String>,
    line: Vec<u8>,
    since: Instant,
    logged: u32,
    dropped: u32,
}

impl StderrLog {
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.since.elapsed() >= PERIOD {
            if self.dropped > 0 {
                tracing::info!(
                    server = self.server,
                    lines = self.dropped,
                    "dropped lines that an upstream server wrote to stderr"
                );
            }
            (self.since, self.logged, self.dropped) = (Instant::now(), 0, 0);
        }
        if self.logged == MAX_LINES {
            self.dropped += 1;
            return;
        }
        self.logged += 1;
        let text = redact(&line, &self.secrets);
        tracing::info!(server = self.server, stderr = text, "upstream server wrote to stderr");
    }
}

/// Returns a line with its secrets and control characters replaced.
fn redact(line: &[u8], secrets: &[String]) -> String {
    let mut text = String::from_utf8_lossy(line).into_owned();
    for secret in secrets {
        text = text.replace(secret.as_str(), "***");
    }
    text.trim_end().chars().map(|c| if c.is_control() && c != '\t' { '\u{FFFD}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_secrets_and_escapes() {
        let secrets = ["0b7c5f1e9d2a".to_owned()];
        let line = b"key=0b7c5f1e9d2a \x1b[31mred\x1b[0m \xff\r";
        assert_eq!(redact(line, &secrets), "key=*** \u{FFFD}[31mred\u{FFFD}[0m \u{FFFD}");
    }
}
