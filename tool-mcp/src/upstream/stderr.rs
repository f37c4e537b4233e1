//! What a server writes to standard error, in our log: no more of it than is of use, and no secret that it was given.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::ChildStderr;
use tokio::time::Instant;

/// Bytes of a line.
const LONGEST: usize = 2_000;

/// So many lines are logged in a [period](PERIOD).
const MOST: u32 = 100;

const PERIOD: Duration = Duration::from_secs(10);

/// Reads it to its end, so that the pipe never runs full.
pub(super) fn follow(server: &str, stderr: ChildStderr, secrets: Vec<String>) {
    let server = server.to_owned();
    tokio::spawn(async move {
        let mut reader = BufReader::new(stderr);
        let mut lines =
            Lines { server, secrets, line: Vec::new(), since: Instant::now(), logged: 0, dropped: 0 };
        while let Ok(available) = reader.fill_buf().await {
            if available.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', available);
            let piece = &available[..end.unwrap_or(available.len())];
            let room = LONGEST.saturating_sub(lines.line.len());
            lines.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let consumed = piece.len() + usize::from(end.is_some());
            reader.consume(consumed);
            if end.is_some() {
                lines.log();
            }
        }
        lines.log();
    });
}

struct Lines {
    server: String,
    secrets: Vec<String>,
    line: Vec<u8>,
    since: Instant,
    logged: u32,
    dropped: u32,
}

impl Lines {
    fn log(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.since.elapsed() >= PERIOD {
            if self.dropped > 0 {
                tracing::info!(
                    server = self.server,
                    lines = self.dropped,
                    "a server wrote more than is logged"
                );
            }
            (self.since, self.logged, self.dropped) = (Instant::now(), 0, 0);
        }
        if self.logged == MOST {
            self.dropped += 1;
            return;
        }
        self.logged += 1;
        let text = shown(&line, &self.secrets);
        tracing::info!(server = self.server, stderr = text, "a server says");
    }
}

/// A line without what was given as a secret, and without characters that do something to a terminal.
fn shown(line: &[u8], secrets: &[String]) -> String {
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
        assert_eq!(shown(line, &secrets), "key=*** \u{FFFD}[31mred\u{FFFD}[0m \u{FFFD}");
    }
}
