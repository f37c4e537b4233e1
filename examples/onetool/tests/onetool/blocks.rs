//! Blocks: syntax, values, errors and access.

use std::sync::{Arc, Mutex};

use onetool::{Block, BlockLimits, Callable, Sandbox};
use serde_json::{Value, json};
use tool_core::audit::AuditEvent;
use tool_core::{Failure, FailureKind, Principal, ToolError, tool};

use crate::{Fixture, workshop};

#[tokio::test]
async fn returns_the_last_expression_or_the_result_variable() {
    let fixture = Fixture::new().await;
    for (command, value) in [
        ("1 + 1", json!(2)),
        ("__onetool__run\n```python\n[n * n for n in range(4)]\n```", json!([0, 1, 4, 9])),
        ("x = {'a': (1, None, True), 'b': 1.5}\nx", json!({"a": [1, null, true], "b": 1.5})),
        ("def double(n):\n    return 2 * n\nresult = double(21)", json!(42)),
        ("result = []\nresult.append(1)", json!([1])),
        ("result = 1\n'the last expression counts'", json!("the last expression counts")),
        ("x = 1", json!(null)),
        ("for n in range(3):\n    if n > 1:\n        result = n", json!(2)),
        ("n = 2\nf'{n} of ' + \"%d\" % 3", json!("2 of 3")),
        ("struct(a = 1, b = [2])", json!({"a": 1, "b": [2]})),
        ("json.decode('[1]') + map(lambda n: n + 1, [1])", json!([1, 2])),
        ("'föhn \u{1f300}'", json!("föhn \u{1f300}")),
    ] {
        assert_eq!(fixture.run(command).await.unwrap(), value, "{command}");
    }
}

#[tokio::test]
async fn exposes_tools_as_functions() {
    let fixture = Fixture::new().await;
    let by_name = fixture.run("brave_web_search(query='tcp', count=1)[0]['title']").await.unwrap();
    let by_position = fixture.run("brave_web_search('tcp', 1)[0]['title']").await.unwrap();
    let mixed = fixture.run("brave_web_search('tcp', **{'count': 1})[0]['title']").await.unwrap();
    assert_eq!((&by_name, &by_position, &mixed), (&json!("TCP"), &json!("TCP"), &json!("TCP")));
    let page =
        fixture.run("web_fetch(brave_web_search('föhn')[0]['url'])['text'].splitlines()[0]").await.unwrap();
    assert_eq!(page, "# Zürich");
    assert_eq!(fixture.run("explain_blocks()['marker']").await.unwrap(), "__onetool__run");
}

#[tokio::test]
async fn keeps_function_names_unique_among_builtins() {
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_onetool"), BlockLimits::default());
    let names = ["books.list", "partial", "books_list", "len", "json", "result", "__partial", "__call"];
    let tools = names.map(|name| Callable { name: name.to_owned(), inputs: Vec::new() });
    for (block, value) in [
        ("[books_list(), books_list_()]", json!(["books_list", "books.list"])),
        ("[len('abc'), len_()]", json!([3, "len"])),
        ("[json.encode(1), json_()]", json!(["1", "json"])),
        ("[partial(len, 'ab')(), partial_()]", json!([2, "partial"])),
        ("[__partial_(), __call_()]", json!(["__partial", "__call"])),
        ("result_()", json!("result")),
        ("x = 1", json!(null)),
    ] {
        let block = Block::parse(block).unwrap();
        let value_of = sandbox.run(&block, tools.to_vec(), |name, _| async move { Ok(name.into()) });
        assert_eq!(value_of.await.unwrap(), value, "{}", block.source());
    }
}

#[tokio::test]
async fn reports_errors_with_their_line() {
    let fixture = Fixture::new().await;
    for (command, line, words) in [
        ("__onetool__run\n```python\nx = 1\ny = x +\n```", 4, "Parse error"),
        ("x = 1\n\nx.nope", 3, "has no attribute"),
        ("def f(x):\n    return 1 // x\n\nf(0)", 2, "division by zero"),
        ("a = 1\nfail('enough')", 2, "enough"),
        ("a = 1\nnope(1)", 2, "`nope` not found"),
        ("a = 1\nbrave_web_search(quer='tcp')", 2, "there is one with a similar name: `query`"),
        ("web_fetch('ftp://x')", 1, "`web_fetch` failed: `ftp:` cannot be fetched"),
        ("brave_web_search('a', 1, 2)", 1, "takes these inputs: query, count"),
        ("brave_web_search('a', query='b')", 1, "given `query` twice"),
        ("brave_web_search(len)", 1, "cannot be handed to a tool"),
        ("\nload('x.star', 'y')", 2, "load"),
        ("a = 1\nwhile True:\n    pass", 2, "Parse error"),
    ] {
        let message = fixture.error_message(command).await;
        assert!(
            message.starts_with(&format!("line {line}: ")) && message.contains(words),
            "{command}: {message}"
        );
    }
}

#[tokio::test]
async fn provides_only_values_and_tools() {
    let fixture = Fixture::new().await;
    for command in [
        "open('/etc/passwd')",
        "print('x')",
        "run(command='1')",
        "run('1')",
        "__call('run', [], command='1')",
        "__import__('os')",
        "import os",
        "breakpoint()",
        "eval('1')",
        "result = len",
    ] {
        let message = fixture.error_message(command).await;
        assert!(!message.is_empty() && !message.contains("root:"), "{command}: {message}");
    }
    let message = fixture.error_message("__call('run', ['command'], '1')").await;
    assert_eq!(message, "line 1: `run` failed: `run` cannot be called from a block");
}

/// What is for a few.
#[tool(operation = Read, permission = "vault.open")]
fn vault() -> &'static str {
    "gold"
}

/// Burns everything.
#[tool(operation = Write, destructive = true)]
fn burn() {}

/// Keeps a word.
#[tool(operation = Write, destructive = false, name = "notes.keep")]
fn keep(word: String) -> Result<String, ToolError> {
    if word.is_empty() { Err(ToolError::failed("there is no word")) } else { Ok(format!("kept {word}")) }
}

#[tokio::test]
async fn checks_and_audits_calls_from_blocks() {
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&events);
    let registry = onetool::builder(workshop("http://127.0.0.1:1", BlockLimits::default()))
        .audit(move |event: &AuditEvent<'_>| {
            let principal = event.principal.unwrap_or("nobody");
            sink.lock().unwrap().push(format!("{principal} {} {}", event.name, event.outcome.is_ok()));
        })
        .build()
        .unwrap();
    let run = async |principal: Principal, command: &str| -> Result<Value, Failure> {
        let output = registry.as_principal(principal).call("run", json!({"command": command})).await;
        output.map(|output| output.value())
    };
    let ada = Principal::new("ada").grant("vault.open");
    assert_eq!(run(ada, "[vault(), notes_keep('a')]").await.unwrap(), json!(["gold", "kept a"]));
    // Tools denied to the caller are not functions of its blocks.
    let denied = run(Principal::new("bob"), "vault()").await.unwrap_err();
    assert!(denied.message().contains("`vault` not found"), "{denied}");
    let denied = run(Principal::new("bob"), "__call('vault', [])").await.unwrap_err();
    assert!(denied.message().starts_with("line 1: `vault` failed: "), "{denied}");
    let denied = run(Principal::new("eve"), "__call('burn', [])").await.unwrap_err();
    assert_eq!(denied.message(), "line 1: `burn` failed: `burn` cannot be called from a block");
    let mut events = events.lock().unwrap().clone();
    events.truncate(3);
    assert_eq!(events, ["ada vault true", "ada notes.keep true", "ada run true"]);
}

#[tokio::test]
async fn rejects_invalid_blocks() {
    let fixture = Fixture::new().await;
    assert_eq!(
        fixture.error_message("__onetool__run").await,
        "there is no code to run: write it behind `__onetool__run`"
    );
    assert_eq!(fixture.error_message("```\n1").await, "line 1: the fence that begins here does not end");
    let failure = fixture.run("").await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
}
