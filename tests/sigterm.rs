//! A program that serves MCP on stdio and is sent SIGTERM while a modifying call is under way: shared by the examples.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A program that is ended with the test.
struct Program {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn say(&mut self, id: u32, tool: &str, arguments: &Value) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(self.input, "{request}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let line = self.output.next().expect("the program ended and dropped the call").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The answer to the call of a tool that is not there.
    fn probe(&mut self) -> Value {
        self.say(2, "not_there", &json!({}));
        let answer = self.hear();
        assert_eq!(answer["id"], 2, "the call was not under way: {answer}");
        answer
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a modifying tool that does not end before `release` was called, and sends SIGTERM once `begun` has returned.
///
/// Returns the result of the call. Panics if the program drops it, begins another one, or does not end well.
pub(crate) fn call_through_sigterm(
    program: &mut Command,
    tool: &str,
    arguments: &Value,
    begun: impl FnOnce(),
    release: impl FnOnce(),
) -> Value {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut program = Program { input: child.stdin.take().unwrap(), child, output };
    program.say(1, tool, arguments);
    // One line is read after the other.
    program.probe();
    begun();
    let kill = Command::new("kill").args(["-TERM", &program.child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    while program.probe()["error"]["data"]["retryable"] != true {}
    release();
    let mut answer = program.hear();
    assert_eq!(answer["id"], 1, "{answer}");
    assert!(program.output.next().is_none(), "there is nothing more to say");
    assert_eq!(program.child.wait().unwrap().code(), Some(0));
    answer["result"].take()
}
