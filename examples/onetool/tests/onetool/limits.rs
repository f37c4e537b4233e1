//! Limits of a block.

use onetool::BlockLimits;
use serde_json::json;
use tool_core::FailureKind;

use crate::Fixture;

const LIMITS: BlockLimits =
    BlockLimits { seconds: 30, steps: 10_000, memory: 16 << 20, calls: 3, output: 100_000 };

#[tokio::test]
async fn limits_steps() {
    let fixture = Fixture::limited(LIMITS).await;
    let message = fixture.error_message("n = 0\nfor i in range(1000000):\n    n += 1\nn").await;
    assert_eq!(message, "line 3: the block takes more than the 10000 steps that it may take");
    assert_eq!(fixture.run("n = 0\nfor i in range(100):\n    n += 1\nn").await.unwrap(), 100);
}

#[tokio::test]
async fn limits_memory_across_statements() {
    let fixture = Fixture::limited(LIMITS).await;
    let message = fixture
        .error_message("s = 'x'\nkept = []\nfor i in range(100):\n    kept.append('x' * 1000000)\nlen(kept)")
        .await;
    assert_eq!(message, "line 4: the block needs more than the 16777216 bytes of memory that it may use");
}

#[tokio::test]
async fn limits_memory_within_an_expression() {
    let fixture = Fixture::limited(LIMITS).await;
    for command in
        ["len('x' * (1 << 30))", "len([0] * (1 << 28))", "s = 'x' * 100000\nlen(s.replace('x', s))"]
    {
        let message = fixture.error_message(command).await;
        assert_eq!(
            message, "the block needs more than the 16777216 bytes of memory that it may use",
            "{command}"
        );
    }
}

#[tokio::test]
async fn limits_time_within_and_between_statements() {
    let fixture = Fixture::limited(BlockLimits { seconds: 1, steps: u64::MAX, ..LIMITS }).await;
    let between =
        fixture.error_message("def f():\n    for i in range(1000000000):\n        last = i\nf()").await;
    assert_eq!(between, "line 3: the block did not end within 1 seconds");
    let within = fixture.error_message("len([i for i in range(1000000000) if i < 0])").await;
    assert_eq!(within, "the block did not end within 1 seconds");
}

#[tokio::test]
async fn limits_calls() {
    let fixture = Fixture::limited(LIMITS).await;
    let command = |calls: u32| format!("[len(brave_web_search('tcp')) for i in range({calls})]");
    assert_eq!(fixture.run(&command(3)).await.unwrap().as_array().unwrap().len(), 3);
    assert!(
        fixture.error_message(&command(4)).await.ends_with("failed: a block may make 3 calls and no more")
    );
}

#[tokio::test]
async fn limits_the_size_of_the_value() {
    let fixture = Fixture::limited(LIMITS).await;
    assert_eq!(fixture.run("'x' * 90000").await.unwrap().as_str().unwrap().len(), 90_000);
    assert_eq!(fixture.error_message("'x' * 100000").await, "the block came to more than 100000 bytes");
}

#[tokio::test]
async fn limits_depth() {
    let fixture = Fixture::limited(LIMITS).await;
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let recursive = "def f(g, n):\n    return g(g, n + 1)\nf(f, 0)";
    let circle = "a = []\na.append(a)\na";
    let nested = "a = []\nfor i in range(500):\n    a = [a]\na";
    for command in [deep.as_str(), recursive, circle, nested] {
        let failure = fixture.run(command).await.unwrap_err();
        assert!(matches!(failure.kind(), FailureKind::Failed(_)), "{failure}");
    }
    // The server still works.
    assert_eq!(fixture.run("1").await.unwrap(), 1);
}

#[tokio::test]
async fn ends_blocks_of_dropped_calls() {
    let fixture = Fixture::limited(BlockLimits { seconds: 3600, ..LIMITS }).await;
    let forever =
        fixture.registry.call("run", json!({"command": "len([i for i in range(1000000000) if i < 0])"}));
    let timed_out = tokio::time::timeout(std::time::Duration::from_millis(200), forever).await;
    assert!(timed_out.is_err());
    // Dropping the call cancels the block, long before its limit of an hour.
    let idle = tokio::time::timeout(std::time::Duration::from_secs(60), fixture.registry.drain()).await;
    assert!(idle.is_ok(), "the block still runs");
}
