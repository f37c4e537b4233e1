//! Help, completion and the manual, which have the commands only with an engine.

use tool_cli::{App, Streams};

use crate::{Bench, on, registry};

#[tokio::test]
async fn offers_tasks_only_with_an_engine() {
    let bench = Bench::new();
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let without = || App::new("demo", registry::without_engine());
    for (arguments, word) in [
        (&["--help"][..], "\n  task  "),
        (&["run", "--help"], "--detach"),
        (&["run", "count", "--help"], "--detach"),
        (&["man"], "demo\\-task(1)"),
        (&["__complete", "fish", "--", ""], "\ntask\t"),
        (&["__complete", "fish", "--", "run", "count", "--"], "\n--key\t"),
    ] {
        let with = bench.run(arguments).await;
        assert!(with.stdout.contains(word), "{with:?}");
        let without = on(without(), arguments, streams).await;
        assert!(without.code == 0 && !without.stdout.contains(word), "{without:?}");
    }
    let greet = bench.run(&["run", "greet", "--help"]).await;
    assert!(!greet.stdout.contains("--detach"), "{greet:?}");
    assert!(greet.stdout.contains("--key <STRING>"), "{greet:?}");
    let build = bench.run(&["run", "build_house", "--help"]).await;
    assert!(build.stdout.contains("Only as key=value, key:=json or in --input-json: `key`"), "{build:?}");
}

#[tokio::test]
async fn completes_commands_and_ids() {
    let bench = Bench::new();
    let id = bench.run(&["run", "count", "to=1", "--detach"]).await.id();
    bench.run(&["run", "count", "to=1", "--detach", "--as", "ada"]).await.id();
    let commands = bench.run(&["__complete", "fish", "--", "task", ""]).await;
    let names: Vec<&str> = commands.stdout.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(names, ["list", "show", "wait", "answer", "cancel", "work", "help"]);
    for command in ["show", "wait", "answer", "cancel"] {
        bench.run(&["__complete", "fish", "--", "task", command, ""]).await.is(
            0,
            &format!("{id}\tcount\n"),
            "",
        );
    }
    bench.run(&["__complete", "fish", "--", "task", "work", ""]).await.is(0, "", "");
}

#[tokio::test]
async fn describes_the_commands() {
    let bench = Bench::new();
    let help = bench.run(&["task", "--help"]).await;
    let expected = include_str!("help/task.txt");
    assert_eq!(help.stdout, expected);
    let help = bench.run(&["task", "answer", "--help"]).await;
    assert_eq!(help.stdout, include_str!("help/answer.txt"));
}
