//! A PostgreSQL that a test starts.

use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The user `nobody`: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// A server on the loopback interface. It ends when it is dropped.
pub(crate) struct PostgresServer {
    folder: PathBuf,
    /// Deleted after the server.
    temporary: Option<TempDir>,
    programs: PathBuf,
    port: u16,
}

impl PostgresServer {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = PostgresServer::start_in(folder.path());
        server.temporary = Some(folder);
        server
    }

    /// Starts a server whose files are in this folder.
    pub(crate) fn start_in(folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server =
            PostgresServer { folder: folder.to_owned(), temporary: None, programs: programs(), port };
        if is_root() {
            chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        server.run("initdb", &["--auth=trust", "--username=tasks", "--encoding=UTF8", "--no-locale"]);
        server.control(&["start"]);
        server
    }

    pub(crate) fn url(&self) -> String {
        self.url_of("postgres")
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres://tasks@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates another database, and returns its URL.
    pub(crate) async fn create_database(&self, name: &str) -> String {
        let statement = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        let mut connection = self.connect().await;
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        self.url_of(name)
    }

    pub(crate) async fn connect(&self) -> sqlx::PgConnection {
        <sqlx::PgConnection as sqlx::Connection>::connect(&self.url()).await.unwrap()
    }

    /// Stops all processes of the server, which keep their connections and locks, until what is returned is dropped.
    pub(crate) fn freeze(&self) -> FrozenServer {
        let pid = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        let mut stopped = vec![Pid::from_raw(pid.lines().next().unwrap().parse().unwrap()).unwrap()];
        kill_process(stopped[0], Signal::STOP).unwrap();
        stopped.extend(children(stopped[0]));
        for process in &stopped[1..] {
            kill_process(*process, Signal::STOP).unwrap();
        }
        FrozenServer(stopped)
    }

    /// Kills the server, and starts it again.
    pub(crate) fn crash(&self) {
        self.control(&["-m", "immediate", "restart"]);
    }

    fn control(&self, arguments: &[&str]) {
        let folder = self.folder.display();
        let options =
            format!("-p {} -c listen_addresses=127.0.0.1 -c max_connections=400 -k {folder}", self.port);
        let log = format!("{folder}/log");
        self.run("pg_ctl", &[&["-w", "-s", "-l", &log, "-o", &options], arguments].concat());
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command.arg("-D").arg(self.folder.join("data")).args(arguments).current_dir("/");
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        // A server inherits what it writes to: nobody reads it to its end.
        let log = std::fs::File::create(self.folder.join(format!("{program}.log"))).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(status.success(), "{command:?}: {status}");
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.control(&["-m", "immediate", "stop"]);
    }
}

/// A server whose processes are stopped.
pub(crate) struct FrozenServer(Vec<Pid>);

impl Drop for FrozenServer {
    fn drop(&mut self) {
        for process in &self.0 {
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

/// Returns the processes that another one has started.
fn children(parent: Pid) -> Vec<Pid> {
    let parent = format!("PPid:\t{}", parent.as_raw_nonzero());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_child = |pid: &Pid| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero()));
        status.is_ok_and(|status| status.lines().any(|line| line == parent))
    };
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Pid::from_raw).filter(is_child).collect()
}

pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Returns the folder with the programs of the server, which Debian does not put into the path.
fn programs() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let installed =
        folders.map(|folder| folder.path().join("bin")).filter(|bin| bin.join("initdb").is_file());
    let in_path = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file())
    };
    let found = installed.max().or_else(in_path);
    found.unwrap_or_else(|| {
        panic!(
            "no `initdb` in {} or the path: install PostgreSQL",
            Path::new("/usr/lib/postgresql").display()
        )
    })
}
