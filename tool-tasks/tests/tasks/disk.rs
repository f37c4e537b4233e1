//! A disk that is full.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tool_core::tasks::{TaskError, TaskState};

use crate::process::{Place, hold, new, until};
use fixture_postgres::{PostgresServer, is_root};

/// Runs a test of this file in a namespace of its own, where a small disk in memory is mounted at the path in `TOOL_TASKS_DISK`. It
/// is gone when that process has ended. Without root, the namespace is one of a user, too, in which the test is not root either.
fn run_with_disk(test: &str, megabytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (namespaces, user) = match is_root() {
        true => (&["--mount"][..], ""),
        false => {
            (&["--mount", "--user", "--map-root-user"][..], "unshare --user --map-user=1000 --map-group=1000")
        }
    };
    let script =
        format!("mount -t tmpfs -o size={megabytes}M disk \"$TOOL_TASKS_DISK\" && exec {user} \"$0\" \"$@\"");
    let mut command = Command::new("unshare");
    command.args(namespaces).args(["sh", "-c", &script]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("disk::{test}"), "--nocapture"]).env("TOOL_TASKS_DISK", folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Fills the disk until what is returned is dropped.
fn fill(disk: &Path) -> Filler {
    let path = disk.join("filler");
    let mut file = std::fs::File::create(&path).unwrap();
    while file.write_all(&[7; 4_096]).is_ok() {}
    Filler(path)
}

struct Filler(PathBuf);

impl Drop for Filler {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

/// A disk is full for three seconds while two workers run tasks, and while a large task is created.
async fn survives_a_full_disk(place: &Place, disk: &Path) {
    let engine = place.engine();
    let _process = place.spawn("work");
    let worker = place.work();
    let ids = hold(place, &engine, 12).await;
    let large = || {
        let mut task = new("quick", "large", 0);
        task.arguments = json!({"text": "text ".repeat(400_000)}).to_string();
        task
    };
    let filler = fill(disk);
    let refused = engine.create(large()).await.expect_err("no space");
    assert!(matches!(refused, TaskError::Unavailable(_)), "{refused:?}");
    for number in 0..6 {
        place.note("go", &number.to_string());
    }
    // The fault itself: the disk is full for this time.
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop(filler);
    place.note("go", "all");
    for id in &ids {
        let task = until(&engine, id, |task| task.state.has_ended()).await;
        assert_eq!((task.attempt, place.begun(id)), (1, 1));
        assert_eq!(task.outcome.unwrap().result().unwrap().value(), json!("late"));
    }
    let id = engine.create(large()).await.unwrap().id;
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&id)), (TaskState::Completed, 1, 1));
    worker.stop().await;
}

#[test]
fn of_sqlite_is_full() {
    run_with_disk("is_full_in_a_namespace_of_sqlite", 48);
}

#[test]
fn of_postgres_is_full() {
    run_with_disk("is_full_in_a_namespace_of_postgres", 112);
}

/// Does what `of_sqlite_is_full` starts this binary for. It passes by itself.
#[tokio::test(flavor = "multi_thread")]
async fn is_full_in_a_namespace_of_sqlite() {
    let Some(disk) = std::env::var_os("TOOL_TASKS_DISK").map(PathBuf::from) else { return };
    let folder = tempfile::tempdir().unwrap();
    let database = disk.join("tasks.db").display().to_string();
    survives_a_full_disk(&Place { database, folder: folder.path().to_owned() }, &disk).await;
}

/// Does what `of_postgres_is_full` starts this binary for. It passes by itself.
#[tokio::test(flavor = "multi_thread")]
async fn is_full_in_a_namespace_of_postgres() {
    let Some(disk) = std::env::var_os("TOOL_TASKS_DISK").map(PathBuf::from) else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = PostgresServer::start_in(&disk);
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    survives_a_full_disk(&place, &disk).await;
}
