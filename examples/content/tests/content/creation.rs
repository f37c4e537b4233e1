//! A process killed while creating the file of a site leaves a complete file or none.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use content::Site;

const ROUNDS: usize = 12;

#[tokio::test]
async fn survives_a_kill_while_creating_the_file() {
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("museum.sqlite");
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"))
            .args(["run", "site_overview"])
            .env("CONTENT_DATABASE", &file)
            .env_remove("DATABASE_URL")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // A temporary file exists during creation; every other round waits for the final file.
        let is_started = |path: &Path| if round % 2 == 0 { is_not_empty(path) } else { file.exists() };
        while !is_started(folder.path()) && program.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        // On Unix, this is SIGKILL.
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(is_not_empty(folder.path()), "no file was created");
        // In either case, the next process finds a working site.
        let overview = Site::at(&file).reader().overview().await.unwrap();
        assert_eq!((overview.revisions, overview.published), (11, 5), "in round {round}");
    }
}

fn is_not_empty(folder: &Path) -> bool {
    folder.read_dir().unwrap().next().is_some()
}
