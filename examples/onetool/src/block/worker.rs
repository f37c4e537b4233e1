//! The child process that runs a block.

use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::block::interpreter::interpret;
use crate::block::wire::{CallResult, Task, WorkerMessage};

/// The first argument of a child process.
pub const ROLE: &str = "__onetool__block";

/// Memory beyond the values of a block: the program itself, its stack, the allocator.
#[cfg(target_os = "linux")]
const OVERHEAD: u64 = 192 << 20;

/// Runs one block from standard input. Call it if the first argument of your program is [`ROLE`].
///
/// ```no_run
/// if std::env::args_os().nth(1).is_some_and(|argument| argument == onetool::ROLE) {
///     onetool::worker();
/// }
/// ```
pub fn worker() -> ExitCode {
    let Some(task) = read::<Task>() else { return ExitCode::FAILURE };
    if !confine(task.limits.memory) {
        return ExitCode::FAILURE;
    }
    send(&interpret(task)).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// Sets resource limits of the system: from here on, the process can open no file or connection and get no more memory.
#[cfg(unix)]
fn confine(#[cfg_attr(not(target_os = "linux"), expect(unused_variables))] memory: u64) -> bool {
    use nix::sys::resource::{Resource, setrlimit};

    let limits = [
        // Elsewhere this limit differs, and only the interpreter limits memory.
        #[cfg(target_os = "linux")]
        (Resource::RLIMIT_AS, memory.saturating_add(OVERHEAD)),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        // The three standard streams stay open.
        (Resource::RLIMIT_NOFILE, 3),
    ];
    limits.into_iter().all(|(resource, limit)| setrlimit(resource, limit, limit).is_ok())
}

/// Does nothing: elsewhere the interpreter limits memory, and has no functions that open files.
#[cfg(not(unix))]
fn confine(_: u64) -> bool {
    true
}

/// Asks the parent to call a tool.
pub(super) fn call(tool: &str, arguments: Map<String, Value>) -> CallResult {
    let gone = || "the server has gone".to_owned();
    send(&WorkerMessage::Call { tool: tool.to_owned(), arguments }).ok_or_else(gone)?;
    read().unwrap_or_else(|| Err(gone()))
}

fn read<T: DeserializeOwned>() -> Option<T> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

fn send(message: &impl Serialize) -> Option<()> {
    let mut line = serde_json::to_vec(message).ok()?;
    line.push(b'\n');
    let mut out = stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).ok()
}
