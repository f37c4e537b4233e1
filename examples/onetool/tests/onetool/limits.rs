//! A block takes no more than it may, whatever it does.

use onetool::BlockLimits;
use serde_json::json;
use tool_core::FailureKind;

use crate::World;

const LIMITS: BlockLimits =
    BlockLimits { seconds: 30, steps: 10_000, memory: 16 << 20, calls: 3, output: 100_000 };

#[tokio::test]
async fn steps_are_counted() {
    let world = World::limited(LIMITS).await;
    let message = world.refused("n = 0\nfor i in range(1000000):\n    n += 1\nn").await;
    assert_eq!(message, "line 3: the block takes more than the 10000 steps that it may take");
    assert_eq!(world.run("n = 0\nfor i in range(100):\n    n += 1\nn").await.unwrap(), 100);
}

#[tokio::test]
async fn memory_is_counted_statement_by_statement() {
    let world = World::limited(LIMITS).await;
    let message = world
        .refused("s = 'x'\nkept = []\nfor i in range(100):\n    kept.append('x' * 1000000)\nlen(kept)")
        .await;
    assert_eq!(message, "line 4: the block needs more than the 16777216 bytes of memory that it may use");
}

#[tokio::test]
async fn one_expression_takes_no_more_memory_than_all_may() {
    let world = World::limited(LIMITS).await;
    for command in
        ["len('x' * (1 << 30))", "len([0] * (1 << 28))", "s = 'x' * 100000\nlen(s.replace('x', s))"]
    {
        let message = world.refused(command).await;
        assert_eq!(
            message, "the block needs more than the 16777216 bytes of memory that it may use",
            "{command}"
        );
    }
}

#[tokio::test]
async fn time_is_over_within_a_statement_and_between_two() {
    let world = World::limited(BlockLimits { seconds: 1, steps: u64::MAX, ..LIMITS }).await;
    let between = world.refused("def f():\n    for i in range(1000000000):\n        last = i\nf()").await;
    assert_eq!(between, "line 3: the block did not end within 1 seconds");
    let within = world.refused("len([i for i in range(1000000000) if i < 0])").await;
    assert_eq!(within, "the block did not end within 1 seconds");
}

#[tokio::test]
async fn calls_are_counted() {
    let world = World::limited(LIMITS).await;
    let command = |calls: u32| format!("[len(brave_web_search('tcp')) for i in range({calls})]");
    assert_eq!(world.run(&command(3)).await.unwrap().as_array().unwrap().len(), 3);
    assert!(world.refused(&command(4)).await.ends_with("failed: a block may make 3 calls and no more"));
}

#[tokio::test]
async fn the_value_has_a_greatest_size() {
    let world = World::limited(LIMITS).await;
    assert_eq!(world.run("'x' * 90000").await.unwrap().as_str().unwrap().len(), 90_000);
    assert_eq!(world.refused("'x' * 100000").await, "the block came to more than 100000 bytes");
}

#[tokio::test]
async fn depth_has_an_end() {
    let world = World::limited(LIMITS).await;
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let recursive = "def f(g, n):\n    return g(g, n + 1)\nf(f, 0)";
    let circle = "a = []\na.append(a)\na";
    let nested = "a = []\nfor i in range(500):\n    a = [a]\na";
    for command in [deep.as_str(), recursive, circle, nested] {
        let failure = world.run(command).await.unwrap_err();
        assert!(matches!(failure.kind(), FailureKind::Failed(_)), "{failure}");
    }
    // The server has not been hurt by any of them.
    assert_eq!(world.run("1").await.unwrap(), 1);
}

#[tokio::test]
async fn a_block_whose_caller_has_gone_is_ended() {
    let world = World::limited(BlockLimits { seconds: 3600, ..LIMITS }).await;
    let forever =
        world.registry.call("run", json!({"command": "len([i for i in range(1000000000) if i < 0])"}));
    let answered = tokio::time::timeout(std::time::Duration::from_millis(200), forever).await;
    assert!(answered.is_err());
    // The call was dropped; what runs on is told that, and ends long before the hour of the block.
    let idle = tokio::time::timeout(std::time::Duration::from_secs(60), world.registry.drain()).await;
    assert!(idle.is_ok(), "the block still runs");
}
