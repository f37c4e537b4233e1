//! Fuzz targets of the MCP server and of the resource server: functions of bytes that panic if an invariant does not hold.
//!
//! `README.md` says how to run them.

mod dispatch;
mod http_head;
mod json_rpc;
mod message;
mod server;
mod sse_resumption;
mod stdio;
mod tokens;
mod tools;

use std::io;

pub use dispatch::dispatch;
pub use http_head::http_head;
pub use message::message;
pub use sse_resumption::sse_resumption;
pub use stdio::stdio;
pub use tokens::tokens;

/// Runs a target on each file that the command line names.
///
/// # Errors
///
/// When a file cannot be read.
pub fn replay_arguments(target: fn(&[u8])) -> io::Result<()> {
    std::env::args_os().skip(1).try_for_each(|file| std::fs::read(file).map(|input| target(&input)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Runs a target on every file of its corpus.
    fn replay(name: &str, target: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let mut files: Vec<_> =
            std::fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{} is empty", corpus.display());
        for file in files {
            let input = std::fs::read(&file).unwrap();
            let held = std::panic::catch_unwind(|| target(&input));
            assert!(held.is_ok(), "an invariant does not hold for {}", file.display());
        }
    }

    #[test]
    fn message_holds_for_its_corpus() {
        replay("message", super::message);
    }

    #[test]
    fn dispatch_holds_for_its_corpus() {
        replay("dispatch", super::dispatch);
    }

    #[test]
    fn http_head_holds_for_its_corpus() {
        replay("http_head", super::http_head);
    }

    #[test]
    fn sse_resumption_holds_for_its_corpus() {
        replay("sse_resumption", super::sse_resumption);
    }

    #[test]
    fn stdio_holds_for_its_corpus() {
        replay("stdio", super::stdio);
    }

    #[test]
    fn tokens_holds_for_its_corpus() {
        replay("tokens", super::tokens);
    }
}
