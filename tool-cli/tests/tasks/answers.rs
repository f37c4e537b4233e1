//! The questions of tasks.

use crate::Bench;

#[tokio::test]
async fn says_how_to_answer_without_a_terminal() {
    let bench = Bench::new();
    let id = bench.ended(&["run", "paint", "--detach"]).await;
    for command in ["wait", "answer"] {
        bench.run(&["task", command, &id]).await.is(
            9,
            "",
            &format!(
                "error: no terminal to answer \"Which colour?\": answer with `demo task answer {id} colour=… coats=…`, or \
                 decline with `demo task answer {id} wall=:no`\n"
            ),
        );
    }
}

#[tokio::test]
async fn answers_by_field() {
    let bench = Bench::new();
    for (answers, expected) in [
        (&["colour=red", "coats=2"][..], "2 coats of red\n"),
        (&["wall.colour=red", "coats:=3"], "3 coats of red\n"),
        (&["wall=:no"], "nothing\n"),
    ] {
        let id = bench.ended(&["run", "paint", "--detach"]).await;
        let notice = format!("answered; wait for the result with `demo task wait {id}`\n");
        bench.run(&[&["task", "answer", &id][..], answers].concat()).await.is(0, "", &notice);
        let worker = bench.work();
        bench.run(&["task", "wait", &id, "-q"]).await.is(0, expected, "");
        worker.stop().await;
        let message = format!("error: task {id} has no open question: it is completed\n");
        bench.run(&[&["task", "answer", &id][..], answers].concat()).await.is(11, "", &message);
    }
}

#[tokio::test]
async fn refuses_wrong_answers() {
    let bench = Bench::new();
    let id = bench.ended(&["run", "paint", "--detach"]).await;
    for (answer, code, message) in [
        ("color=red", 2, "no open question has `color`; there is `colour`, `coats`\n"),
        ("wallcolour=red", 2, "no open question has `wallcolour`; there is `colour`, `coats`\n"),
        ("red", 2, "expected KEY=VALUE or KEY:=JSON\n"),
    ] {
        let ran = bench.run(&["task", "answer", &id, answer]).await;
        ran.is(code, "", &format!("error: {message}"));
    }
    let ran = bench.run(&["task", "answer", &id, "colour=red", "coats=9"]).await;
    ran.is(9, "", "error: the answers are invalid:\n- /coats: expected at most 3, got `9`\n");
    let data = bench.run(&["task", "show", &id, "--format", "json"]).await.json();
    assert_eq!(data["status"], "input_required");
}

#[tokio::test]
async fn answers_some_of_several_questions() {
    let bench = Bench::new();
    let id = bench.ended(&["run", "sign", "--detach"]).await;
    let ran = bench.run(&["task", "answer", &id, "page=:yes"]).await;
    ran.is(0, "", "answered; still open: `ink`\n");
    let ran = bench.run(&["task", "answer", &id, "colour=blue", "coats=1", "--format", "json"]).await;
    assert_eq!(ran.json()["status"], "working");
    let worker = bench.work();
    bench.run(&["task", "wait", &id, "-q"]).await.is(0, "Some(\"blue\") true\n", "");
    worker.stop().await;
}

#[tokio::test]
async fn asks_on_the_terminal() {
    let bench = Bench::new();
    let question = "Which colour?\n(`:no` declines, Ctrl-D dismisses)\ncolour: The colour of the walls.\n\
                    colour: coats (a whole number, 1 to 3): ";
    let worker = bench.work();
    for command in ["answer", "wait"] {
        let id = bench.ended(&["run", "paint", "--detach"]).await;
        let ran = bench.typed(&["task", command, &id], "green\n1\n").await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.starts_with(question), "{ran:?}");
        bench.run(&["task", "wait", &id, "-q"]).await.is(0, "1 coats of green\n", "");
    }
    worker.stop().await;
}

#[tokio::test]
async fn takes_the_answers_of_run() {
    let bench = Bench::new();
    let worker = bench.work();
    let arguments = ["run", "paint", "--key", "k", "--answer", "colour=red", "--answer", "coats=2", "-q"];
    bench.run(&arguments).await.is(0, "2 coats of red\n", "");
    worker.stop().await;
}
