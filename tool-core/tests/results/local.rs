//! Results in a directory: its permissions, killed processes and foreign files.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use tool_core::results::{ResultLimits, ResultStore};
use tool_core::{Digest, Principal};

use crate::{ada, bob, text_of};

/// Returns a directory that does not exist yet, so that the store creates it.
fn root(cache: &tempfile::TempDir) -> PathBuf {
    cache.path().join("results")
}

/// Returns the only file under a directory.
fn file(root: &Path) -> PathBuf {
    let files = files(root);
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next().unwrap()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let directories = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    directories.flat_map(|path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path())).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn requires_a_private_directory() {
    let cache = tempfile::tempdir().unwrap();
    let root = cache.path().join("app/results");
    let store = ResultStore::local(&root).unwrap();
    assert_eq!((mode(&root), mode(root.parent().unwrap())), (0o700, 0o700));
    store.keep(&ada(), "text/plain", "mine").await.unwrap();
    // A directory that others can read is rejected.
    for mode in [0o755, 0o750, 0o701, 0o777] {
        fs::set_permissions(&root, fs::Permissions::from_mode(mode)).unwrap();
        let error = ResultStore::local(&root).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("make it 700"), "{error}");
    }
    let file = cache.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(ResultStore::local(&file).is_err());
}

#[tokio::test]
async fn keeps_results_across_processes() {
    let cache = tempfile::tempdir().unwrap();
    let digest = {
        let store = ResultStore::local(root(&cache)).unwrap();
        store.keep(&ada(), "application/json", "[1]").await.unwrap()
    };
    let store = ResultStore::local(root(&cache)).unwrap();
    let stored = store.read(&ada(), digest).await.unwrap().unwrap();
    assert_eq!((stored.media_type(), stored.text()), ("application/json", Some("[1]")));
    assert_eq!(text_of(&store, &bob(), digest).await, None);
    // The total limit applies to earlier results, too.
    let store = ResultStore::local(root(&cache)).unwrap().limits(ResultLimits::new().total(60));
    store.keep(&ada(), "text/plain", "another text").await.unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None);
    // Concurrent processes see each other's results.
    let other = ResultStore::local(root(&cache)).unwrap();
    assert!(other.read(&ada(), digest).await.unwrap().is_none());
    let third = store.keep(&ada(), "text/plain", "third").await.unwrap();
    assert_eq!(text_of(&other, &ada(), third).await.as_deref(), Some("third"));
}

#[tokio::test]
async fn tolerates_clock_changes() {
    let cache = tempfile::tempdir().unwrap();
    let store = ResultStore::local(root(&cache)).unwrap();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    let (now, file) = (SystemTime::now(), file(&root(&cache)));
    for (modified, present) in [
        (now + Duration::from_secs(60), true),
        // Far in the future, and after 2038.
        (now + 50 * year, true),
        (now - year, false),
        (SystemTime::UNIX_EPOCH, false),
        (SystemTime::UNIX_EPOCH - year, false),
    ] {
        fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
        let store = ResultStore::local(root(&cache)).unwrap();
        assert_eq!(text_of(&store, &ada(), digest).await.is_some(), present, "{modified:?}");
    }
}

/// Links, devices, directories, pipes and changed files are not read.
#[tokio::test]
async fn ignores_files_that_others_replaced() {
    let cache = tempfile::tempdir().unwrap();
    let root = root(&cache);
    let store = ResultStore::local(&root).unwrap();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    let file = file(&root);
    let elsewhere = cache.path().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "gone");
    symlink(&elsewhere, &file).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "a link");
    fs::remove_file(&file).unwrap();
    fs::hard_link(&elsewhere, &file).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "a second name");
    fs::remove_file(&file).unwrap();
    symlink("/dev/zero", &file).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "a device");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "a directory");
    fs::remove_dir(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    // Opening it would wait for a writer.
    assert_eq!(text_of(&store, &ada(), digest).await, None, "a pipe");
    fs::remove_file(&file).unwrap();
    fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    fs::write(&file, "{\"mediaType\":\"text/plain\"}\nyours").unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "another content");
    fs::write(&file, "").unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None, "cut off");
    // Storing the result again replaces the file.
    store.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
}

#[tokio::test]
async fn recreates_a_deleted_directory() {
    let cache = tempfile::tempdir().unwrap();
    let root = root(&cache);
    let store = ResultStore::local(&root).unwrap();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None);
    store.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
    assert_eq!(mode(&root), 0o700);
    // A file in its place is an error.
    fs::remove_dir_all(&root).unwrap();
    fs::write(&root, "").unwrap();
    assert!(store.keep(&ada(), "text/plain", "yours").await.is_err());
    fs::remove_file(&root).unwrap();
    store.keep(&ada(), "text/plain", "yours").await.unwrap();
}

#[tokio::test]
async fn ignores_partial_files() {
    let cache = tempfile::tempdir().unwrap();
    let store = ResultStore::local(root(&cache)).unwrap();
    let digest = store.keep(&ada(), "text/plain", "mine").await.unwrap();
    let whole = file(&root(&cache));
    let partial = |number: u32| PathBuf::from(format!("{}#{number}", whole.display()));
    let age = |path: &Path, age: u64| {
        let then = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    };
    fs::write(partial(1), "{\"mediaType\":").unwrap();
    fs::write(partial(2), "{\"mediaType\":").unwrap();
    age(&partial(1), 2 * 60 * 60);
    fs::remove_file(&whole).unwrap();
    fs::create_dir(root(&cache).join("0".repeat(64))).unwrap();
    let store = ResultStore::local(root(&cache)).unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await, None);
    assert!(!partial(1).exists(), "no write takes two hours");
    assert!(partial(2).exists(), "a write may be in progress");
    assert!(!root(&cache).join("0".repeat(64)).exists());
    // It does not prevent storing the result again.
    store.keep(&ada(), "text/plain", "mine").await.unwrap();
    assert_eq!(text_of(&store, &ada(), digest).await.as_deref(), Some("mine"));
}

#[tokio::test]
async fn keeps_unrelated_files() {
    let cache = tempfile::tempdir().unwrap();
    let root = root(&cache);
    drop(ResultStore::local(&root).unwrap());
    let (notes, empty) = (root.join("notes"), root.join("empty"));
    fs::create_dir(&notes).unwrap();
    fs::create_dir(&empty).unwrap();
    let (draft, lock) = (notes.join("#draft#"), root.join("0".repeat(64)).join("#lock"));
    fs::create_dir(lock.parent().unwrap()).unwrap();
    for file in [&draft, &lock] {
        fs::write(file, "mine").unwrap();
        let then = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        fs::File::options().write(true).open(file).unwrap().set_modified(then).unwrap();
    }
    let store = ResultStore::local(&root).unwrap().limits(ResultLimits::new().total(1_000));
    for number in 0..20 {
        store.keep(&ada(), "text/plain", format!("{number}{}", "x".repeat(400))).await.unwrap();
    }
    assert!(draft.exists() && lock.exists() && empty.exists());
}

/// Returns a result of the process that is killed.
fn text(number: usize) -> String {
    format!("{number} ").repeat(500_000)
}

const DIRECTORY: &str = "TOOL_CORE_TEST_RESULTS";

/// Not a test itself: the next test starts and kills it.
#[tokio::test]
async fn stores_results_until_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let store = ResultStore::local(directory).unwrap();
    for number in 0.. {
        let digest = store.keep(&Principal::local(), "text/plain", text(number)).await.unwrap();
        writeln!(std::io::stdout(), "kept {} {number}", digest.hex()).unwrap();
    }
}

#[tokio::test]
async fn leaves_complete_results_when_killed() {
    for most in [1, 3, 6] {
        let cache = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "local::stores_results_until_killed", "--nocapture"])
            .env(DIRECTORY, root(&cache))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut confirmed = Vec::new();
        while confirmed.len() < most {
            let line = lines.next().unwrap().unwrap();
            let words: Vec<&str> = line.split(' ').collect();
            if let ["kept", digest, number] = words[..] {
                confirmed.push((digest.parse::<Digest>().unwrap(), number.parse().unwrap()));
            }
        }
        // While the next result is written.
        child.kill().unwrap();
        child.wait().unwrap();
        let store = ResultStore::local(root(&cache)).unwrap();
        for (digest, number) in &confirmed {
            assert_eq!(text_of(&store, &Principal::local(), *digest).await, Some(text(*number)));
        }
        // Every other named result is complete, too.
        for file in files(&root(&cache)) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            if let Ok(digest) = name.parse::<Digest>() {
                assert!(text_of(&store, &Principal::local(), digest).await.is_some(), "{name}");
            } else {
                assert!(name.contains('#'), "{name}");
            }
        }
    }
}
