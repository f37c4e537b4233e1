//! A PostgreSQL of the measurement's own.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use nix::unistd::Uid;
use tempfile::TempDir;

use crate::cost;
use crate::error::Error;
use crate::workspace;

/// The user `nobody`: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// A server on the loopback interface, with the settings that it comes with. It ends when it is dropped.
pub(super) struct PostgresServer {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl PostgresServer {
    pub(super) fn start() -> Result<Self, Error> {
        let no_port = |source| Error::io("127.0.0.1:0", source);
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_err(no_port)?;
        let folder = tempfile::tempdir().map_err(|source| Error::io("a temporary folder", source))?;
        let server = PostgresServer { folder, programs: programs(), port: port.port() };
        if Uid::effective().is_root() {
            let folder = server.folder.path();
            chown(folder, Some(NOBODY), Some(NOBODY)).map_err(|source| Error::io(folder, source))?;
        }
        server.run("initdb", &["--auth=trust", "--username=tasks", "--encoding=UTF8", "--no-locale"])?;
        server.control(&["start"])?;
        Ok(server)
    }

    /// The version, as `postgres --version` prints it.
    pub(super) fn version(&self) -> Result<String, Error> {
        let (output, _) = cost::run(Command::new(self.programs.join("postgres")).arg("--version"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version =
            text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
        Ok(version.unwrap_or("?").to_owned())
    }

    /// Creates an empty database, and returns its URL.
    pub(super) fn create(&self, name: &str) -> Result<String, Error> {
        let mut command = Command::new(self.programs.join("createdb"));
        command.args(["--host=127.0.0.1", "--username=tasks", &format!("--port={}", self.port), name]);
        cost::run(&mut command)?;
        Ok(format!("postgres://tasks@127.0.0.1:{}/{name}", self.port))
    }

    /// The process that the other ones of the server are children of.
    pub(super) fn process(&self) -> Result<i32, Error> {
        let path = self.folder.path().join("data/postmaster.pid");
        let first = workspace::read(&path)?.lines().next().and_then(|line| line.trim().parse().ok());
        first
            .ok_or(Error::Unreadable { command: path.display().to_string(), expected: "the id of a process" })
    }

    fn control(&self, arguments: &[&str]) -> Result<(), Error> {
        let folder = self.folder.path().display();
        let options = format!("-p {} -c listen_addresses=127.0.0.1 -k {folder}", self.port);
        let log = format!("{folder}/log");
        self.run("pg_ctl", &[&["-w", "-s", "-l", &log, "-o", &options], arguments].concat())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<(), Error> {
        let mut command = Command::new(self.programs.join(program));
        command.arg("-D").arg(self.folder.path().join("data")).args(arguments).current_dir("/");
        if Uid::effective().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        // A server inherits what it writes to: nobody reads a pipe to its end.
        let path = self.folder.path().join(format!("{program}.log"));
        let log = File::create(&path).and_then(|log| Ok((log.try_clone()?, log)));
        let (stdout, stderr) = log.map_err(|source| Error::io(&path, source))?;
        let line = cost::line(&command);
        let status = command.stdout(stdout).stderr(stderr).status();
        match status.map_err(|source| Error::Start { command: line.clone(), source })?.success() {
            true => Ok(()),
            false => Err(Error::Command { command: line, output: workspace::read(&path)? }),
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // Not started, when this fails.
        let _ = self.control(&["-m", "immediate", "stop"]);
    }
}

/// Returns the folder with the programs of the server, which Debian does not put into the path; empty for those of the path.
fn programs() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let installed =
        folders.map(|folder| folder.path().join("bin")).filter(|bin| bin.join("initdb").is_file());
    installed.max().unwrap_or_default()
}
