//! The program in its own folder.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::migrate::Migrate as _;
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// The timeout for steps that are immediate on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A catalogue in a folder of its own.
pub(crate) struct Fixture {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let variables = vec![
            ("CATALOGUE_LOOPBACK", "allow".to_owned()),
            ("CATALOGUE_KEY_LIBRARY", catalogue::demo::TOKEN.to_owned()),
        ];
        Fixture { folder: tempfile::tempdir().unwrap(), variables }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.retain(|(other, _)| *other != name);
        self.variables.push((name, value.to_owned()));
        self
    }

    /// A catalogue in a database of PostgreSQL.
    pub(crate) fn on_postgres(url: &str) -> Self {
        Fixture::new().with("DATABASE_URL", url)
    }

    /// Connects to the database, past the program.
    pub(crate) fn sql(&self) -> Sql {
        let url = self.variables.iter().find(|(name, _)| *name == "DATABASE_URL").map(|(_, url)| url.clone());
        Sql::connect(&url.unwrap_or_else(|| format!("sqlite:{}", self.database().display())))
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("catalogue.sqlite")
    }

    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_catalogue"));
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CATALOGUE_"))
        {
            program.env_remove(name);
        }
        program
            .env_remove("RUST_LOG")
            .env_remove("DATABASE_URL")
            .env("CATALOGUE_DATABASE", self.database())
            .envs(self.variables.clone());
        program
    }

    /// Runs the program and returns its output.
    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.program().args(arguments).output().unwrap()
    }

    /// Runs a tool on the command line and returns its output or failure.
    pub(crate) fn run(&self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let arguments = arguments.to_string();
        let output = self.output(&["run", tool, "--yes", "--format", "json", "--input-json", &arguments]);
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{tool}: {}", String::from_utf8_lossy(&output.stderr)));
        match answer["success"].as_bool() {
            Some(true) => Ok(answer["output"].clone()),
            _ => Err(answer["error"].as_str().unwrap().to_owned()),
        }
    }

    pub(crate) fn run_ok(&self, tool: &str, arguments: &Value) -> Value {
        self.run(tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// Imports the lending library at this address.
    pub(crate) fn with_library(self, origin: &str) -> Self {
        let text = include_str!("../../seed/demo.json").replace("http://127.0.0.1:8081", origin);
        self.run_ok("import_catalogue", &text.parse().unwrap());
        self
    }

    pub(crate) fn serve(&self, arguments: &[&str]) -> Server {
        Server::start(self.program().arg("serve").args(arguments))
    }

    pub(crate) fn http(&self) -> Server {
        self.serve(&["http", "--addr", "127.0.0.1:0", "--allow-execute"])
    }
}

/// A connection to a database.
pub(crate) struct Sql {
    runtime: Runtime,
    connection: AnyConnection,
}

impl Sql {
    fn connect(url: &str) -> Self {
        sqlx::any::install_default_drivers();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let connection = runtime.block_on(AnyConnection::connect(url)).unwrap();
        Sql { runtime, connection }
    }

    pub(crate) fn execute(&mut self, statements: &'static str) {
        self.runtime.block_on(self.connection.execute(sqlx::raw_sql(statements))).unwrap();
    }

    /// Returns the answer to a question.
    pub(crate) fn is(&mut self, question: &'static str) -> bool {
        self.runtime.block_on(sqlx::query_scalar(question).fetch_one(&mut self.connection)).unwrap()
    }
}

/// The lock that the migrator of sqlx takes. Any role of a database of PostgreSQL can take it.
pub(crate) struct MigrationLock(Sql);

impl Sql {
    /// Takes the lock of migrations. It is held for [`PATIENCE`] at most: what waits for it goes on then, and the test fails.
    pub(crate) fn lock_migrations(mut self) -> MigrationLock {
        self.execute("SET idle_session_timeout = '60s'");
        self.runtime.block_on(self.connection.lock()).unwrap();
        MigrationLock(self)
    }
}

impl MigrationLock {
    /// Checks that nothing has waited for the end of the lock, and releases it.
    pub(crate) fn assert_held(mut self) {
        self.0.runtime.block_on(self.0.connection.unlock()).expect("nothing waits for the lock");
    }
}

/// A running server, killed on drop.
pub(crate) struct Server {
    child: Child,
    pub(crate) origin: String,
    log: Arc<Mutex<String>>,
}

impl Server {
    fn start(program: &mut Command) -> Self {
        let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let log = Arc::new(Mutex::new(String::new()));
        // Errors precede the address.
        let origin = lines.by_ref().find_map(|line| match line.strip_prefix("listening on ") {
            Some(origin) => Some(origin.to_owned()),
            None => {
                *log.lock().unwrap() += &format!("{line}\n");
                None
            }
        });
        let origin = origin.unwrap_or_else(|| panic!("{}", log.lock().unwrap()));
        let captured = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines {
                *captured.lock().unwrap() += &format!("{line}\n");
            }
        });
        Server { child, origin, log }
    }

    /// Returns the log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let mut answer = agent().get(format!("{}{path}", self.origin)).call().unwrap();
        (answer.status().as_u16(), body(&mut answer))
    }

    pub(crate) fn post(&self, path: &str, value: &Value) -> (u16, Value) {
        let request = agent().post(format!("{}{path}", self.origin)).content_type("application/json");
        let mut answer = request.send(value.to_string()).unwrap();
        (answer.status().as_u16(), body(&mut answer))
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> (u16, Value) {
        self.post(&format!("/tools/{tool}/call"), arguments)
    }

    /// Returns the status and the text of a failed call.
    pub(crate) fn failure(&self, tool: &str, arguments: &Value) -> (u16, String) {
        let (status, answer) = self.call(tool, arguments);
        let text = answer["content"][0]["text"].as_str().or(answer["error"].as_str());
        (status, text.unwrap_or_else(|| panic!("{answer}")).to_owned())
    }

    /// Returns the names of the listed tools, or the error.
    pub(crate) fn names(&self) -> Result<Vec<String>, Value> {
        let (status, answer) = self.get("/mcp/tools/list");
        assert_eq!(status, 200);
        match answer["result"]["tools"].as_array() {
            Some(tools) => Ok(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()),
            None => Err(answer),
        }
    }

    /// Waits until the list satisfies the predicate.
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&Result<Vec<String>, Value>) -> bool) {
        let start = Instant::now();
        loop {
            let names = self.names();
            if holds(&names) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{what}: {names:?}\n{}", self.log());
            std::thread::yield_now();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already if the test is failing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into()
}

fn body(answer: &mut ureq::http::Response<ureq::Body>) -> Value {
    let mut text = String::new();
    answer.body_mut().as_reader().read_to_string(&mut text).unwrap();
    text.parse().unwrap_or_else(|_| json!(text))
}
