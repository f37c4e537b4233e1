//! Where arguments are read from that are not on the command line: files, stdin, the environment.

use std::collections::HashSet;
use std::env::{self, VarError};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use tool_core::ToolDefinition;

use crate::error::CliError;
use crate::streams::Streams;

/// The most bytes that a file or stdin may bring: far more than any tool takes, and far less than would harm.
const MAX_BYTES: u64 = 16 << 20;

/// Reads for one command.
pub(super) struct Source<'s> {
    streams: &'s mut Streams,
    /// Stdin can be read once.
    stdin_used: bool,
    warned: HashSet<String>,
}

impl<'s> Source<'s> {
    pub(super) fn new(streams: &'s mut Streams) -> Self {
        Source { streams, stdin_used: false, warned: HashSet::new() }
    }

    /// Returns the arguments of `--input-json`: the JSON itself, of a file after `@`, or of stdin for `-`.
    pub(super) fn json(&mut self, given: &str) -> Result<Vec<u8>, CliError> {
        match given.strip_prefix('@') {
            Some(path) => file(Path::new(path)),
            None if given == "-" => self.stdin(),
            None => Ok(given.as_bytes().to_owned()),
        }
    }

    /// Reads a secret from a file, or from stdin for `-`, without the line break at its end.
    pub(super) fn secret_file(&mut self, path: &str) -> Result<String, CliError> {
        let bytes = if path == "-" { self.stdin()? } else { file(Path::new(path))? };
        let mut text = String::from_utf8(bytes).map_err(|_| CliError::NotUtf8 { path: path.into() })?;
        if text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        Ok(text)
    }

    /// Reads a secret from an environment variable.
    #[expect(clippy::unused_self, reason = "as the other sources")]
    pub(super) fn variable(&self, name: &str) -> Result<String, CliError> {
        // A name with `=` or NUL is none that the environment could have.
        env::var(name).map_err(|error| CliError::Variable {
            name: name.to_owned(),
            is_set: matches!(error, VarError::NotUnicode(_)),
        })
    }

    /// Warns once about a secret on the command line, which other processes can read.
    pub(super) fn warn_if_secret(&mut self, tool: &ToolDefinition, key: &str) {
        let is_secret = tool.inputs().iter().any(|input| input.secret && input.name.as_deref() == Some(key));
        if is_secret && self.warned.insert(key.to_owned()) {
            self.streams.notice(&format!(
                "warning: `{key}` is a secret, and other processes can read command lines\n\
                 help: use --{key}-file or --{key}-env"
            ));
        }
    }

    fn stdin(&mut self) -> Result<Vec<u8>, CliError> {
        if std::mem::replace(&mut self.stdin_used, true) {
            return Err(CliError::StdinReused);
        }
        if self.streams.stdin_is_terminal() {
            return Err(CliError::StdinTerminal);
        }
        let bytes = self.streams.read_all(MAX_BYTES + 1).map_err(CliError::ReadStdin)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(CliError::TooLarge { what: "stdin".to_owned(), limit: MAX_BYTES });
        }
        Ok(bytes)
    }
}

/// Returns `true` if the JSON itself was given on the command line.
pub(super) fn is_inline(given: &str) -> bool {
    given != "-" && !given.starts_with('@')
}

fn file(path: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |error| CliError::ReadFile { path: path.to_owned(), error };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // Its length is not asked for: that of a pipe is not known.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CliError::TooLarge { what: format!("`{}`", path.display()), limit: MAX_BYTES });
    }
    Ok(bytes)
}
