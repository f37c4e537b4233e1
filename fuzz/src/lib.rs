//! Fuzz targets of everything that reads what others write: functions of bytes that panic if an invariant does not hold.
//!
//! `README.md` says how to run them.

mod arguments;
mod canonical;
mod catalog_rows;
mod command_grammar;
mod command_line;
mod cursor;
mod dispatch;
mod foreign_schema;
mod http_head;
mod json;
mod json_rpc;
mod mcp_servers;
mod message;
mod pattern;
mod query;
mod range;
mod request_state;
mod server;
mod sse_resumption;
mod stdio;
mod tokens;
mod tools;
mod upstream;
mod uri;
mod validator;
mod yaml;

use std::io;

pub use arguments::arguments;
pub use canonical::canonical;
pub use catalog_rows::catalog_rows;
pub use command_line::command_line;
pub use cursor::cursor;
pub use dispatch::dispatch;
pub use foreign_schema::foreign_schema;
pub use http_head::http_head;
pub use json::json;
pub use mcp_servers::mcp_servers;
pub use message::message;
pub use pattern::pattern;
pub use query::query;
pub use range::range;
pub use request_state::request_state;
pub use sse_resumption::sse_resumption;
pub use stdio::stdio;
pub use tokens::tokens;
pub use upstream::upstream;
pub use uri::uri;
pub use yaml::yaml;

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

    #[test]
    fn json_holds_for_its_corpus() {
        replay("json", super::json);
    }

    #[test]
    fn canonical_holds_for_its_corpus() {
        replay("canonical", super::canonical);
    }

    #[test]
    fn arguments_holds_for_its_corpus() {
        replay("arguments", super::arguments);
    }

    #[test]
    fn foreign_schema_holds_for_its_corpus() {
        replay("foreign_schema", super::foreign_schema);
    }

    #[test]
    fn catalog_rows_holds_for_its_corpus() {
        replay("catalog_rows", super::catalog_rows);
    }

    #[test]
    fn pattern_holds_for_its_corpus() {
        replay("pattern", super::pattern);
    }

    #[test]
    fn uri_holds_for_its_corpus() {
        replay("uri", super::uri);
    }

    #[test]
    fn query_holds_for_its_corpus() {
        replay("query", super::query);
    }

    #[test]
    fn range_holds_for_its_corpus() {
        replay("range", super::range);
    }

    #[test]
    fn cursor_holds_for_its_corpus() {
        replay("cursor", super::cursor);
    }

    #[test]
    fn request_state_holds_for_its_corpus() {
        replay("request_state", super::request_state);
    }

    #[test]
    fn command_line_holds_for_its_corpus() {
        replay("command_line", super::command_line);
    }

    #[test]
    fn yaml_holds_for_its_corpus() {
        replay("yaml", super::yaml);
    }

    #[test]
    fn mcp_servers_holds_for_its_corpus() {
        replay("mcp_servers", super::mcp_servers);
    }

    #[test]
    fn upstream_holds_for_its_corpus() {
        replay("upstream", super::upstream);
    }
}
