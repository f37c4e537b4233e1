//! Upstreams over stdio.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::progress::Progress;
use tool_core::{CallOptions, FailureKind, Operation, Principal, Registry, adapter};
use tool_mcp::upstream::{State, Upstream};

use crate::hostile;
use crate::support::{Servers, servers, servers_as, within};

const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn lists_and_calls_tools_in_both_eras() {
    for (modes, protocol) in [("modern", "2026-07-28"), ("legacy", "2025-11-25")] {
        let servers = servers([hostile::server("one", modes)]);
        let registry = servers.registry().await;
        let echo = registry.get("one__echo").expect("it is listed");
        assert_eq!((echo.title(), echo.description()), (Some("Echo"), "Says it again."));
        assert_eq!(echo.operation(), Some(Operation::Read));
        assert!(registry.get("one__change").unwrap().destructive());
        assert!(registry.get("one__trace").is_some(), "it is on the second page");
        let output = servers.call("one__echo", json!({"text": "hello"})).await.unwrap();
        assert_eq!(output.value(), "hello");
        let result = servers.call("one__echo", json!({"text": "hello", "loud": true})).await;
        assert!(result.is_ok(), "its schema allows other inputs");
        let result = servers.call("one__echo", json!({})).await.unwrap_err();
        assert_eq!((result.kind(), result.problems()[0].path.as_str()), (FailureKind::Input, "/text"));
        let status = servers.status("one");
        assert_eq!(status.protocol.as_deref(), Some(protocol));
        assert_eq!((status.identity.as_deref(), status.tools), (Some("hostile 1.0.0"), 20));
        servers.upstreams.shutdown().await;
        assert_eq!(servers.status("one").state, State::Ended);
        let failure = registry.call("one__echo", json!({"text": "hello"})).await.unwrap_err();
        assert_eq!(failure.message(), "server `one` is ended");
    }
}

#[tokio::test]
async fn converts_results_and_failures() {
    for modes in ["modern", "legacy"] {
        let servers = servers([hostile::server("one", modes)]);
        let rich = servers.call("one__rich", json!({})).await.unwrap();
        assert_eq!(rich.structured().unwrap().get(), r#"{"rows":3}"#);
        let content = serde_json::to_value(rich.content()).unwrap();
        assert_eq!(
            content,
            json!([
                {"type": "text", "text": "three rows"},
                {"type": "image", "data": "AQID", "mimeType": "image/png"},
                {"type": "audio", "data": "AQ==", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"},
                {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/plain", "text": "b"}},
                {"type": "text", "text": "{\"type\":\"hologram\",\"depth\":3}"},
            ])
        );
        let truth = servers.call("one__truth", json!({})).await.unwrap();
        assert_eq!((truth.value(), truth.content()[0].clone()), (json!({"n": 3}), r#"{"n":3}"#.into()));

        for (tool, expected) in [
            ("one__error", "the disk is full\n[an image of 3 bytes, image/png]"),
            (
                "one__lie",
                "server `one` answered `one__lie` with output that violates its output schema: type at \"/n\"",
            ),
            ("one__refuse", "server `one` refused `one__refuse`: Unknown tool: refuse (-32602)"),
            ("one__nonsense", "server `one` answered `one__nonsense` with an invalid result"),
        ] {
            let failure = servers.call(tool, json!({})).await.unwrap_err();
            assert_eq!(failure.message(), expected);
            assert_eq!(
                (failure.kind(), failure.retryable()),
                (FailureKind::Failed(Reason::Other), false),
                "{tool}"
            );
        }
    }
}

#[tokio::test]
async fn rejects_requests_to_the_client() {
    let servers = servers([hostile::server("new", "modern"), hostile::server("old", "legacy")]);
    let failure = servers.call("new__ask", json!({})).await.unwrap_err();
    assert_eq!(
        failure.message(),
        "server `new` asks for user input during `new__ask`, which is not supported for tools of other servers"
    );
    let answer = servers.call("old__ask", json!({})).await.unwrap().value();
    assert!(answer.as_str().unwrap().contains(r#""result":null"#), "{answer}");
    assert!(
        answer.as_str().unwrap().contains("sampling/createMessage"),
        "the server gets an error: {answer}"
    );
}

#[tokio::test]
async fn forwards_progress_in_order() {
    for modes in ["modern", "legacy"] {
        let servers = servers([hostile::server("one", modes)]);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let reports = Arc::clone(&reports);
            move |report: &Progress<'_>| {
                reports.lock().unwrap().push((report.done, report.total, report.message.to_owned()));
            }
        };
        let registry = servers.registry().await.with_options(&CallOptions::new().progress(Arc::new(sink)));
        within(registry.call("one__progress", json!({}))).await.unwrap();
        let reports = reports.lock().unwrap();
        let reports: Vec<_> =
            reports.iter().map(|(done, total, message)| (*done, *total, message.as_str())).collect();
        // The server reports fractions, which are forwarded as percentages.
        assert_eq!(reports, [(25, Some(100), "a quarter"), (50, Some(100), "half"), (100, Some(100), "all")]);
    }
}

#[tokio::test]
async fn forwards_the_trace_context() {
    let servers = servers([hostile::server("one", "modern")]);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let registry =
        servers.registry().await.with_options(&CallOptions::new().trace(Some(trace.parse().unwrap())));
    assert_eq!(registry.call("one__trace", json!({})).await.unwrap().value(), trace);
}

/// How many cancellations the server has received.
async fn cancellations(servers: &Servers) -> u64 {
    servers.call("one__cancelled", json!({})).await.unwrap().value().as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn cancels_timed_out_reads_before_writes() {
    for modes in ["modern", "legacy"] {
        let servers = servers([hostile::server("one", modes).timeout(SHORT)]);
        let failure = servers.call("one__slow", json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Timeout, true));
        assert_eq!(failure.message(), "`one__slow` did not end within 300ms");
        within(async { while cancellations(&servers).await != 1 {} }).await;

        let failure = servers.call("one__slow_write", json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Timeout, false));
        assert!(failure.message().contains("; it continues, and may still take effect"), "{failure}");
        assert_eq!(cancellations(&servers).await, 1, "a write is not canceled yet");
        // It is canceled later.
        within(async { while cancellations(&servers).await != 2 {} }).await;
    }
}

#[tokio::test]
async fn cancels_dropped_reads_but_not_writes() {
    let servers = servers([hostile::server("one", "modern")]);
    let registry = servers.registry().await;
    for (tool, expected) in [("one__slow", 1), ("one__slow_write", 1), ("one__slow", 2)] {
        let call = registry.call(tool, json!({}));
        tokio::select! {
            biased;
            _ = call => panic!("the call never ends"),
            // This answer shows that the earlier call was sent.
            output = servers.call("one__echo", json!({"text": "hi"})) => assert!(output.is_ok()),
        }
        within(async { while cancellations(&servers).await < expected {} }).await;
        assert_eq!(cancellations(&servers).await, expected, "{tool}");
    }
}

#[tokio::test]
async fn restarts_a_server_that_dies_during_a_call() {
    let servers = servers([hostile::server("one", "modern"), hostile::server("two", "legacy")]);
    let registry = servers.registry().await;
    for (tool, retryable) in [("one__die", true), ("one__die_writing", false), ("two__die", true)] {
        let failure = within(registry.call(tool, json!({}))).await.unwrap_err();
        let server = &tool[..3];
        let expected =
            format!("server `{server}` did not answer `{tool}`: its process ended with exit status 3");
        assert_eq!(failure.message(), expected);
        assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
        assert_eq!(failure.retryable(), retryable, "{tool}");
        // The server restarts, and the old registry works again.
        let echo = format!("{server}__echo");
        assert!(servers.names().await.contains(&echo));
        assert_eq!(registry.call(&echo, json!({"text": "again"})).await.unwrap().value(), "again");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn notices_the_end_of_a_process_whose_output_stays_open() {
    for modes in ["modern heir", "legacy heir"] {
        let servers = servers([hostile::server("one", modes).timeout(Duration::from_secs(20))]);
        let failure = servers.call("one__die", json!({})).await.unwrap_err();
        assert_eq!(
            failure.message(),
            "server `one` did not answer `one__die`: its process ended with exit status 3"
        );
        // What was written before the end is still read.
        assert_eq!(servers.call("one__last_words", json!({})).await.unwrap().value(), "farewell");
    }
}

#[tokio::test]
async fn starts_to_serve_without_waiting_for_a_server_that_hangs() {
    let servers = servers_as([hostile::server("mute", "mute").start_timeout(Duration::MAX)], |builder| {
        builder.patience(Duration::MAX)
    });
    let server = tool_mcp::Server::new(servers.provider.clone()).serve_http("127.0.0.1:0");
    assert_ne!(within(server).await.unwrap().local_addr().port(), 0);
}

#[tokio::test]
async fn asks_only_the_server_of_a_tool() {
    let servers = servers([hostile::server("one", "modern"), hostile::server("two", "mute")]);
    let provider = servers.upstreams.provider_of("one__echo").expect("there is a server `one`");
    let tools = within(provider.tools(&Principal::anonymous())).await.unwrap();
    assert_eq!(tools.registry().call("one__echo", json!({"text": "hi"})).await.unwrap().value(), "hi");
    assert_eq!(servers.status("two").state, State::Idle);
    for unknown in ["echo", "one", "one_echo", "three__echo"] {
        assert!(servers.upstreams.provider_of(unknown).is_none(), "{unknown}");
    }
}

#[tokio::test]
async fn fails_calls_on_an_endless_line() {
    let servers = servers([hostile::server("one", "modern")]);
    let registry = servers.registry().await;
    let (slow, giant) = within(async {
        tokio::join!(registry.call("one__slow", json!({})), registry.call("one__giant", json!({})))
    })
    .await;
    for failure in [slow.unwrap_err(), giant.unwrap_err()] {
        let message = failure.message();
        assert!(message.starts_with("server `one` did not answer `one__"), "{message}");
        assert!(message.ends_with("it wrote a line of more than 16777216 bytes"), "{message}");
    }
    assert_eq!(servers.call("one__echo", json!({"text": "again"})).await.unwrap().value(), "again");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn shuts_down_a_server_that_stops_reading() {
    for modes in ["modern clogs", "legacy clogs"] {
        let servers = servers([hostile::server("one", modes).timeout(SHORT)]);
        let registry = servers.registry().await;
        // More than a pipe holds, so a write blocks when the server stops reading.
        let text = json!({"text": "x".repeat(1 << 20)});
        // At once: after a timeout, the client looks whether the server still answers, and ends the connection.
        let call = || within(registry.call("one__echo", text.clone()));
        let (first, second) = tokio::join!(call(), call());
        for outcome in [first, second] {
            assert_eq!(outcome.unwrap_err().kind(), FailureKind::Timeout);
        }
        within(servers.upstreams.shutdown()).await;
        assert_eq!(servers.status("one").state, State::Ended);
    }
}

#[tokio::test]
async fn restarts_a_server_that_stops_reading() {
    let server = hostile::server("one", "modern clogs").timeout(SHORT);
    let servers = servers_as([server], |builder| builder.fresh_for(Duration::from_secs(1)));
    let registry = servers.registry().await;
    let (stop, failures) = (tokio_util::sync::CancellationToken::new(), Arc::new(Mutex::new(Vec::new())));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (servers, stop, failures) = (servers.provider.clone(), stop.clone(), Arc::clone(&failures));
            tokio::spawn(stop.run_until_cancelled_owned(async move {
                loop {
                    let Ok(tools) = servers.tools(&Principal::anonymous()).await else { continue };
                    let called = tools.registry().call("one__slow", json!({})).await;
                    failures.lock().unwrap().push(called.unwrap_err().kind());
                }
            }))
        })
        .collect();
    let down = servers.down("one").await;
    stop.cancel();
    for caller in callers {
        within(caller).await.unwrap();
    }
    assert_eq!(down, "down: it sent no message for 3s");
    assert!(failures.lock().unwrap().iter().all(|kind| *kind != FailureKind::Internal));
    drop(registry);
}

#[tokio::test]
async fn fails_calls_of_a_server_that_floods_requests() {
    for modes in ["modern asks", "legacy asks"] {
        let servers = servers([hostile::server("one", modes)]);
        let failure = servers.call("one__echo", json!({"text": "hi"})).await.unwrap_err();
        assert_eq!(
            failure.message(),
            "server `one` did not answer `one__echo`: it sends requests without reading the responses"
        );
    }
}

#[tokio::test]
async fn accepts_any_duration() {
    for time in [Duration::ZERO, Duration::MAX] {
        let server = hostile::server("one", "modern").timeout(Duration::MAX).start_timeout(Duration::MAX);
        let servers = servers_as([server], |builder| builder.fresh_for(time).patience(Duration::MAX));
        for _ in 0..2 {
            assert_eq!(servers.names().await.len(), 20);
        }
        assert_eq!(servers.call("one__echo", json!({"text": "hi"})).await.unwrap().value(), "hi");
    }
    let servers = servers_as([hostile::server("one", "exits")], |builder| {
        builder.backoff(Duration::MAX, Duration::MAX)
    });
    servers.upstreams.start();
    assert_eq!(servers.down("one").await, "down: its process ended with exit status 7");
    within(servers.upstreams.shutdown()).await;
}

#[tokio::test]
async fn skips_invalid_messages() {
    for modes in ["modern", "legacy"] {
        let servers = servers([hostile::server("one", modes)]);
        assert_eq!(servers.call("one__garbage", json!({})).await.unwrap().value(), "after the garbage");
    }
}

#[tokio::test]
async fn reports_failed_starts_without_blocking_others() {
    let bad = [
        (hostile::server("mute", "mute").start_timeout(SHORT), "down: it did not start within 300ms"),
        (hostile::server("exits", "exits"), "down: its process ended with exit status 7"),
        (hostile::server("floods", "floods"), "down: it wrote 10000 lines that are no messages"),
        (
            hostile::server("endless", "endless"),
            "down: its list of tools does not end: it has more than 1000 pages",
        ),
        (
            hostile::server("circles", "circles"),
            "down: its list of tools does not end: it leads back to a page before",
        ),
        (
            Upstream::command("absent", "no-such-program-anywhere"),
            "down: it cannot be started: No such file or directory (os error 2)",
        ),
    ];
    let good = hostile::server("good", "modern");
    let (bad, reasons): (Vec<_>, Vec<_>) = bad.into_iter().unzip();
    let names: Vec<String> = bad.iter().map(|server| server.name().to_owned()).collect();
    let servers = servers(bad.into_iter().chain([good]));
    let tools = servers.toolset().await;
    assert!(tools.registry().tools().all(|tool| tool.name().starts_with("good__")), "no fake tools");
    assert_eq!(tools.registry().tools().count(), 20);
    assert_eq!(
        tools.providers().collect::<Vec<_>>(),
        ["mute", "exits", "floods", "endless", "circles", "absent", "good"]
    );
    for (name, reason) in names.iter().zip(reasons) {
        assert_eq!(servers.down(name).await, reason);
        let skipped =
            tools.skipped().iter().find(|skipped| skipped.to_string().contains(&format!("`{name}`")));
        assert_eq!(skipped.unwrap().to_string(), format!("provider `{name}`: it is {reason}"));
    }
    // A second listing does not wait for them.
    assert_eq!(servers.toolset().await.registry().tools().count(), 20);
}

#[tokio::test]
async fn limits_the_wait_for_a_start() {
    let patience = |builder: tool_mcp::upstream::UpstreamsBuilder| builder.patience(SHORT);
    let servers = servers_as([hostile::server("mute", "mute"), hostile::server("good", "modern")], patience);
    servers.start_until_up("good").await;
    let tools = servers.toolset().await;
    assert_eq!(tools.skipped()[0].to_string(), "provider `mute`: it is starting");
    assert_eq!(tools.registry().tools().count(), 20);
}

#[tokio::test]
async fn skips_invalid_tools() {
    let servers = servers([hostile::server("one", "modern malformed")]);
    let tools = servers.toolset().await;
    assert!(tools.registry().get("one__last").is_some() && tools.registry().get("one__echo").is_some());
    assert_eq!(tools.registry().tools().count(), 21);
    let skipped: Vec<String> = tools.skipped().iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 5, "{skipped:?}");
    for (skipped, expected) in skipped.iter().zip([
        "tool ``: its name is not made of",
        "tool `one__no schema`: its name is not made of",
        "tool `one__elsewhere`: its input schema was refused: at /properties/a/$ref",
        "tool ``: its name is not made of",
        "a second tool of the name `one__echo`",
    ]) {
        assert!(skipped.starts_with(expected), "{skipped}");
    }
    assert_eq!(servers.status("one").skipped, skipped);
}

#[tokio::test]
async fn follows_list_changes() {
    for modes in ["modern", "legacy"] {
        let servers = servers([hostile::server("one", modes)]);
        let before = servers.registry().await;
        assert!(before.get("one__extra").is_none());
        for (tools, has_extra) in [(21, true), (20, false)] {
            servers.call("one__change", json!({})).await.unwrap();
            within(servers.upstreams.wait_for("one", |status| status.tools == tools)).await;
            assert_eq!(servers.registry().await.get("one__extra").is_some(), has_extra);
        }
    }
}

#[tokio::test]
async fn serves_the_last_list_during_a_refresh() {
    let servers = servers([hostile::server("one", "modern deaf").timeout(SHORT)]);
    let before = servers.registry().await;
    // It announces a change, but does not answer `tools/list`.
    assert_eq!(servers.call("one__change", json!({})).await.unwrap().value(), "changed");
    assert!(adapter::same_view(&servers.registry().await, &before));
    assert_eq!(servers.call("one__echo", json!({"text": "here"})).await.unwrap().value(), "here");
    // A server that does not answer is restarted.
    assert_eq!(servers.down("one").await, "down: it did not answer `tools/list` within 300ms");
    within(servers.upstreams.wait_for("one", |status| status.state == State::Up)).await;
    assert_eq!(servers.names().await.len(), 20);
}

#[tokio::test]
async fn reuses_the_registry_of_an_unchanged_list() {
    let servers = servers([hostile::server("one", "modern"), hostile::server("two", "legacy")]);
    let before = servers.registry().await;
    assert!(adapter::same_view(&servers.registry().await, &before));
    let failure = before.call("one__die", json!({})).await.unwrap_err();
    assert!(failure.message().contains("exit status 3"));
    assert!(
        adapter::same_view(&servers.registry().await, &before),
        "the restarted server has the same tools"
    );
}

#[tokio::test]
async fn limits_the_environment_of_a_process() {
    let servers = servers([hostile::server("one", "modern").env("ITS_OWN", "5")]);
    let names = servers.call("one__environment", json!({})).await.unwrap().value();
    let names: Vec<&str> = names.as_str().unwrap().split(' ').collect();
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")), "the test has a variable to remove");
    let allowed =
        ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
    for name in &names {
        assert!(allowed.contains(name) || ["ITS_OWN", "TOOL_MCP_TEST_HOSTILE"].contains(name), "{name}");
    }
    assert!(names.contains(&"ITS_OWN") && names.contains(&"PATH"), "{names:?}");
}

/// Returns `true` if a process runs and is not a zombie.
fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'))
}

async fn process_ids(servers: &Servers) -> Vec<String> {
    let pids = servers.call("one__family", json!({})).await.unwrap().value();
    pids.as_str().unwrap().split(' ').map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn kills_a_process_with_its_children() {
    // One ends with its input, the other ignores SIGTERM.
    for modes in ["modern", "modern stays"] {
        let servers = servers([hostile::server("one", modes)]);
        let pids = process_ids(&servers).await;
        assert!(pids.iter().all(|pid| is_running(pid)), "{pids:?}");
        within(servers.upstreams.shutdown()).await;
        assert!(!is_running(&pids[0]), "the server");
        within(async {
            while is_running(&pids[1]) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn kills_a_process_when_the_last_handle_drops() {
    let servers = servers([hostile::server("one", "modern")]);
    let pids = process_ids(&servers).await;
    drop(servers);
    within(async {
        while pids.iter().any(|pid| is_running(pid)) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn accepts_a_late_answer_to_discovery() {
    // It rejects `server/discover` only after `initialize`.
    let servers = servers([hostile::server("one", "late")]);
    assert_eq!(servers.call("one__echo", json!({"text": "late"})).await.unwrap().value(), "late");
    assert_eq!(servers.status("one").protocol.as_deref(), Some("2025-11-25"));
}

#[tokio::test]
async fn applies_registry_settings_to_upstream_tools() {
    let base = Registry::builder().allow_empty().read_only().build().unwrap();
    let servers = servers_as([hostile::server("one", "modern")], |builder| builder.registry(base));
    let names = servers.names().await;
    assert!(
        names.contains(&"one__echo".to_owned()) && !names.contains(&"one__change".to_owned()),
        "{names:?}"
    );
    let refused: Result<_, _> = servers.call("one__change", Value::Object(Default::default())).await;
    assert_eq!(refused.unwrap_err().kind(), FailureKind::Disabled);
}
