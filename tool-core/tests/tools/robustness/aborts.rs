//! Rows 87 and 89: faults that end their process, as in every Rust program.

#![cfg(unix)]

use std::hint::black_box;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use serde_json::json;
use tool_core::tool;

use super::Recorded;

/// Environment variable that makes a child process call a tool.
const TOOL_VARIABLE: &str = "TOOL_CORE_TEST_ABORT";

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the second panic");
    }
}

/// Panics while it unwinds.
#[tool(operation = Read)]
fn panic_twice() {
    let _bomb = Bomb;
    panic!("the first panic");
}

/// Calls itself until the stack overflows.
#[tool(operation = Read)]
fn overflow_the_stack() -> u64 {
    fn deeper(level: u64) -> u64 {
        let frame = black_box([level; 512]);
        if black_box(true) { deeper(level + 1) + frame[511] } else { level }
    }
    deeper(0)
}

/// Ends nothing.
#[tool(operation = Read)]
fn return_one() -> u64 {
    1
}

#[tokio::test]
async fn rows_87_and_89_end_only_their_process() {
    let recorded = Recorded::new(module_path!(), |builder| builder);
    if let Ok(tool) = std::env::var(TOOL_VARIABLE) {
        let output = recorded.registry.call(&tool, json!({})).await.unwrap();
        assert_eq!(output.value(), 1);
        return;
    }
    // A process that is started again answers.
    for (tool, signal, line) in [
        ("panic_twice", Some(6), "the second panic"),
        ("return_one", None, ""),
        ("overflow_the_stack", Some(6), "has overflowed its stack"),
        ("return_one", None, ""),
    ] {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "robustness::aborts::rows_87_and_89_end_only_their_process", "--nocapture"]);
        let output = process.env(TOOL_VARIABLE, tool).output().unwrap();
        let (status, stderr) = (output.status, String::from_utf8_lossy(&output.stderr));
        assert_eq!((status.success(), status.signal()), (signal.is_none(), signal), "{tool}: {stderr}");
        assert!(stderr.contains(line), "{tool}: {stderr}");
        recorded.next(tool).await;
    }
}
