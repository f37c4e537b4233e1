//! Who may read the file of the tasks.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tool_core::tasks::{TaskEngine as _, TaskError};
use tool_tasks::SqliteEngine;

use crate::process::new;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode()
        & 0o777
}

#[tokio::test]
async fn the_file_is_private_to_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state/museum.tasks.db");
    let engine = SqliteEngine::open(&file).await.unwrap();
    engine.create(new("quick", "private", 0)).await.unwrap();
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    // The arguments of the new task are in the write-ahead log first.
    for name in ["museum.tasks.db", "museum.tasks.db-wal", "museum.tasks.db-shm"] {
        assert_eq!(mode(&file.with_file_name(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn a_file_behind_a_symbolic_link_is_private_to_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let (link, file) = (folder.path().join("tasks.db"), folder.path().join("on-another-disk.db"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let engine = SqliteEngine::open(&link).await.unwrap();
    engine.create(new("quick", "private", 0)).await.unwrap();
    assert_eq!(mode(&file), 0o600);
}

#[tokio::test]
async fn keeps_the_permissions_of_an_existing_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o660)).unwrap();
    let engine = SqliteEngine::open(&file).await.unwrap();
    engine.create(new("quick", "shared", 0)).await.unwrap();
    assert_eq!(mode(&file), 0o660, "a group may share it on purpose");
}

#[tokio::test]
async fn refuses_a_file_of_all_users() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    std::fs::write(&file, "").unwrap();
    for mode in [0o604, 0o666] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let error = SqliteEngine::open(&file).await.unwrap_err();
        let cause = format!("all users have access to it (mode {mode:o}): run `chmod o-rwx` on it");
        let expected = TaskError::Unusable(format!("the file {} cannot be used: {cause}", file.display()));
        assert_eq!(error, expected);
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"", "nothing was written");
}

#[tokio::test]
async fn a_path_that_is_no_file_is_unusable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    for path in [folder.path().to_owned(), file.join("tasks.db"), file.join("state/tasks.db")] {
        let error = SqliteEngine::open(&path).await.unwrap_err();
        assert!(matches!(error, TaskError::Unusable(_)), "{}: {error:?}", path.display());
    }
}
