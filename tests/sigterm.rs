//! Sends SIGTERM to an MCP server on stdio during a modifying call. Shared by the examples.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running program, killed on drop.
struct Program {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn send(&mut self, id: u32, tool: &str, arguments: &Value) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(self.input, "{request}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let line = self.output.next().expect("the program ended and dropped the call").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Calls a missing tool and returns the error.
    fn probe(&mut self) -> Value {
        self.send(2, "not_there", &json!({}));
        let answer = self.receive();
        assert_eq!(answer["id"], 2, "the call is not running: {answer}");
        answer
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a modifying tool that waits for `release`, and sends SIGTERM after `started` returns.
///
/// Returns the result of the call. Panics if the program drops the call, starts another one or fails.
pub(crate) fn call_through_sigterm(
    program: &mut Command,
    tool: &str,
    arguments: &Value,
    started: impl FnOnce(),
    release: impl FnOnce(),
) -> Value {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut program = Program { input: child.stdin.take().unwrap(), child, output };
    program.send(1, tool, arguments);
    // Lines are read in order, so the call is running once the probe is answered.
    program.probe();
    started();
    let kill = Command::new("kill").args(["-TERM", &program.child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    while program.probe()["error"]["data"]["retryable"] != true {}
    release();
    let mut answer = program.receive();
    assert_eq!(answer["id"], 1, "{answer}");
    assert!(program.output.next().is_none(), "unexpected output after the answer");
    assert_eq!(program.child.wait().unwrap().code(), Some(0));
    answer["result"].take()
}
