//! The part of the process that runs a block.

use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::process::ExitCode;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::block::interpreter::interpret;
use crate::block::wire::{CallResult, Say, Task};

/// The argument with which a program starts itself to run a block.
pub const ROLE: &str = "__onetool__block";

/// Memory of the process beside the values of a block: the program itself, its stack, what the allocator keeps.
#[cfg(target_os = "linux")]
const OVERHEAD: u64 = 192 << 20;

/// Runs one block, which comes on standard input: what a program does when its first argument is [`ROLE`].
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
    say(&interpret(task)).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// Gives up what the process does not need: from here on it can open no file, make no connection, and have no more memory.
/// It says so to the system, which holds to it whatever the interpreter does.
#[cfg(unix)]
fn confine(#[cfg_attr(not(target_os = "linux"), expect(unused_variables))] memory: u64) -> bool {
    use nix::sys::resource::{Resource, setrlimit};

    let limits = [
        // Elsewhere it means something else, and the interpreter alone counts the memory of values.
        #[cfg(target_os = "linux")]
        (Resource::RLIMIT_AS, memory.saturating_add(OVERHEAD)),
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, 0),
        // The three that are open stay open.
        (Resource::RLIMIT_NOFILE, 3),
    ];
    limits.into_iter().all(|(resource, limit)| setrlimit(resource, limit, limit).is_ok())
}

/// Elsewhere the interpreter itself counts the memory of values, and knows nothing that would open a file.
#[cfg(not(unix))]
fn confine(_: u64) -> bool {
    true
}

/// Asks the process that waits for the block to call a tool.
pub(super) fn call(tool: &str, arguments: Map<String, Value>) -> CallResult {
    let gone = || "the server has gone".to_owned();
    say(&Say::Call { tool: tool.to_owned(), arguments }).ok_or_else(gone)?;
    read().unwrap_or_else(|| Err(gone()))
}

fn read<T: DeserializeOwned>() -> Option<T> {
    let mut line = String::new();
    stdin().lock().read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

fn say(message: &impl Serialize) -> Option<()> {
    let mut line = serde_json::to_vec(message).ok()?;
    line.push(b'\n');
    let mut out = stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).ok()
}
