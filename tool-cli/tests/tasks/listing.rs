//! `task list`, `task show` and `task cancel`.

use serde_json::json;

use crate::{Bench, Ran};

const UNKNOWN: &str = "00112233445566778899aabbccddeeff";

/// Replaces the ids and times, which differ each time.
fn without_chance(ran: &Ran, ids: &[&str]) -> String {
    let mut page = ran.stdout.clone();
    for (position, id) in ids.iter().enumerate() {
        page = page.replace(id, &format!("{position}").repeat(32));
    }
    let time = regex::Regex::new(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap();
    time.replace_all(&page, "2026-01-02T03:04:05Z").into_owned()
}

#[tokio::test]
async fn lists_tasks_newest_first() {
    let bench = Bench::new();
    bench.run(&["task", "list"]).await.is(0, "", "no tasks\n");
    let asking = bench.ended(&["run", "paint", "--detach"]).await;
    let failed = bench.ended(&["run", "build_house", "key=Villa", "storeys=0", "--detach"]).await;
    let counted = bench.ended(&["run", "count", "to=3", "--detach"]).await;
    let waiting = bench.run(&["run", "count", "to=3", "--detach"]).await.id();
    let listed = bench.run(&["task", "list"]).await;
    assert_eq!(
        without_chance(&listed, &[&asking, &failed, &counted, &waiting]),
        "ID                                TOOL         STATUS          CREATED               DETAIL\n\
         33333333333333333333333333333333  count        working         2026-01-02T03:04:05Z\n\
         22222222222222222222222222222222  count        completed       2026-01-02T03:04:05Z\n\
         11111111111111111111111111111111  build_house  completed       2026-01-02T03:04:05Z  Villa has no\n\
         \x20                                                                                    storeys\n\
         00000000000000000000000000000000  paint        input_required  2026-01-02T03:04:05Z  asks: wall\n"
    );
    let first = bench.run(&["task", "list", "--limit", "1"]).await;
    assert_eq!(first.stderr, format!("more: demo task list --after {waiting}\n"));
    let data =
        bench.run(&["task", "list", "--after", &waiting, "--limit", "2", "--format", "json"]).await.json();
    assert_eq!((&data[0]["taskId"], &data[1]["taskId"]), (&json!(counted), &json!(failed)));
    assert_eq!(data[1]["statusMessage"], "Villa has no storeys");
}

#[tokio::test]
async fn shows_tasks() {
    let bench = Bench::new();
    let asking = bench.ended(&["run", "paint", "--detach"]).await;
    let failed = bench.ended(&["run", "build_house", "key=Villa", "storeys=0", "--detach"]).await;
    let counted = bench.ended(&["run", "count", "to=3", "--detach"]).await;
    let mut pages = String::new();
    for id in [&asking, &failed, &counted] {
        pages += &without_chance(&bench.run(&["task", "show", id]).await, &[&asking, &failed, &counted]);
    }
    assert_eq!(
        pages,
        "Task      00000000000000000000000000000000\n\
         Tool      paint\n\
         Status    input_required\n\
         Created   2026-01-02T03:04:05Z\n\
         Changed   2026-01-02T03:04:05Z\n\
         Attempts  1\n\
         Question  wall: Which colour?\n\
         Answer    demo task answer 00000000000000000000000000000000\n\
         Task      11111111111111111111111111111111\n\
         Tool      build_house\n\
         Status    completed\n\
         Created   2026-01-02T03:04:05Z\n\
         Changed   2026-01-02T03:04:05Z\n\
         Attempts  1\n\
         Failure   Villa has no storeys\n\
         Task      22222222222222222222222222222222\n\
         Tool      count\n\
         Status    completed\n\
         Created   2026-01-02T03:04:05Z\n\
         Changed   2026-01-02T03:04:05Z\n\
         Attempts  1\n\
         Progress  3/3 counted\n\
         \n\
         number  is_last\n\
         1       false\n\
         2       false\n\
         3       true\n"
    );
    let data = bench.run(&["task", "show", &asking, "--format", "json"]).await.json();
    assert_eq!(data["inputRequests"]["wall"]["params"]["message"], "Which colour?");
    let data = bench.run(&["task", "show", &failed, "--format", "json"]).await.json();
    assert_eq!((&data["exitCode"], &data["result"]["error"]), (&json!(11), &json!("Villa has no storeys")));
    let data = bench.run(&["task", "show", &counted, "--format", "json"]).await.json();
    assert_eq!((&data["exitCode"], &data["result"]["output"][2]["number"]), (&json!(0), &json!(3)));
}

#[tokio::test]
async fn answers_the_same_for_unknown_and_foreign_tasks() {
    let bench = Bench::new();
    let foreign = bench.run(&["run", "count", "to=3", "--detach", "--as", "ada"]).await.id();
    bench.run(&["task", "list"]).await.is(0, "", "no tasks\n");
    for command in ["show", "wait", "answer", "cancel"] {
        for id in [foreign.as_str(), UNKNOWN, "42"] {
            let ran = bench.run(&["task", command, id]).await;
            ran.is(10, "", &format!("error: Task not found: {id}\n"));
        }
        let ran = bench.run(&["task", command, UNKNOWN, "--format", "json"]).await;
        assert_eq!((ran.code, &ran.json()["success"]), (10, &json!(false)));
    }
    bench.run(&["task", "list", "--after", "42"]).await.is(10, "", "error: Task not found: 42\n");
    let listed = bench.run(&["task", "list", "--as", "ada", "--format", "json"]).await.json();
    assert_eq!(listed[0]["taskId"], foreign);
}

#[tokio::test]
async fn cancels_tasks() {
    let bench = Bench::new();
    let waiting = bench.run(&["run", "count", "to=3", "--detach"]).await.id();
    bench.run(&["task", "cancel", &waiting]).await.is(0, "", &format!("task {waiting} is cancelled\n"));
    bench.run(&["task", "wait", &waiting]).await.is(130, "", "error: the task was canceled\n");
    let ended = bench.ended(&["run", "count", "to=3", "--detach"]).await;
    let notice = format!("task {ended} had ended already: completed\n");
    bench.run(&["task", "cancel", &ended]).await.is(0, "", &notice);
    let data = bench.run(&["task", "cancel", &ended, "-q", "--format", "json"]).await.json();
    assert_eq!(data["status"], "completed");
}
