//! A disk that is slow, full or read-only, as `strace` makes it look to one process.

use std::path::Path;
use std::thread;

use crate::memory::{path, preview, read, report, stored};
use crate::process::{Server, with_results};

/// The system calls that give a written file its name, on all platforms.
const RENAMES: &str = "?rename,?renameat,?renameat2,?link,linkat";

/// Starts a server to which these system calls look as if the disk had this fault. The server is the child, and not `strace`.
fn start(folder: &Path, fault: &str) -> Server {
    let (trace, inject) = (format!("trace={RENAMES}"), format!("inject={RENAMES}:{fault}"));
    with_results(folder, &["strace", "-D", "-fqq", "-o", "/dev/null", "-e", &trace, "-e", &inject])
}

pub(crate) fn answers_while_the_disk_is_slow() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "delay_enter=1000000");
    let slow = thread::scope(|scope| {
        let slow = scope.spawn(|| stored(&server, "slow"));
        let mut answered = 0;
        while !slow.is_finished() {
            server.assert_answers();
            answered += 1;
        }
        assert!(answered >= 5, "{answered} calls during one that waits for the disk");
        slow.join().unwrap()
    });
    assert_eq!(read(&server, &slow), report("slow"));
    server.process.terminate();
}

pub(crate) fn answers_when_the_disk_fails() {
    for error in ["ENOSPC", "EROFS", "EMFILE"] {
        let folder = tempfile::tempdir().unwrap();
        let server = start(folder.path(), &format!("error={error}"));
        for title in ["first", "second"] {
            let shown = preview(&server, title);
            assert!(path(&shown).is_none(), "{error}: {shown}");
            assert!(shown.to_string().contains("could not be kept"), "{error}: {shown}");
        }
        server.process.terminate();
        // Where the disk has no fault, the folder is as good as new.
        let server = with_results(folder.path(), &[]);
        assert_eq!(read(&server, &stored(&server, "third")), report("third"), "{error}");
        server.process.terminate();
    }
}
