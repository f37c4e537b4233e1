//! A process that is killed while it makes the file of a site leaves one that is whole, or none.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use content::Site;

const ROUNDS: usize = 12;

#[test]
fn a_kill_while_the_file_is_made_leaves_it_whole_or_not_there() {
    for round in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("museum.sqlite");
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"))
            .args(["run", "site_overview"])
            .env("CONTENT_DATABASE", &file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Something stands beside the place of the file while it is made; every other round waits for the file itself.
        let begun = |path: &Path| if round % 2 == 0 { holds_something(path) } else { file.exists() };
        while !begun(folder.path()) && program.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        // On Unix, this is SIGKILL.
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(holds_something(folder.path()), "it made nothing");
        // Whichever it is, the next process finds a site that works.
        let overview = Site::at(&file).reader().overview().unwrap();
        assert_eq!((overview.revisions, overview.published), (11, 5), "in round {round}");
    }
}

fn holds_something(folder: &Path) -> bool {
    folder.read_dir().unwrap().next().is_some()
}
