//! Processes of the application, and requests to them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for something that happens, far beyond the time that it takes.
const PATIENCE: Duration = Duration::from_secs(25);

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http,
    Mcp,
}

/// Returns the command of the application, run by another program such as `prlimit` unless `wrapper` is empty.
pub(crate) fn application(wrapper: &[&str]) -> Command {
    let own = std::env::current_exe().unwrap();
    let [program, arguments @ ..] = wrapper else { return Command::new(own) };
    let mut command = Command::new(program);
    command.args(arguments).arg(own);
    command
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}: it does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A running process, killed on drop.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// Sends a signal, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    /// Stops the process, and waits until it is.
    pub(crate) fn stop(&self) {
        self.signal("STOP");
        self.until_stopped();
    }

    pub(crate) fn until_stopped(&self) {
        until("the process is stopped", || self.stat()[0] == "T");
    }

    /// Waits until it ends.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        until("the process ends", || {
            ended = self.0.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }

    /// Ends the process by SIGTERM, to which it answers with a success.
    pub(crate) fn terminate(mut self) {
        self.signal("TERM");
        let status = self.wait();
        assert_eq!((status.code(), status.signal()), (Some(0), None));
    }

    /// Returns the fields of `/proc/PID/stat` after the name, as the manual page `proc_pid_stat` has them.
    fn stat(&self) -> Vec<String> {
        let text = self.proc("stat");
        let (_, fields) = text.rsplit_once(')').unwrap();
        fields.split_whitespace().map(str::to_owned).collect()
    }

    /// Returns the time of the processor that was used, in hundredths of a second.
    pub(crate) fn ticks(&self) -> u64 {
        let stat = self.stat();
        [11, 12].map(|field| stat[field].parse::<u64>().unwrap()).iter().sum()
    }

    /// Returns how many file descriptors are open.
    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.0.id())).unwrap().count()
    }

    /// Returns the largest resident memory so far, in mebibytes.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.0.id())).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of the application over TCP.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) address: String,
    protocol: Protocol,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(protocol: Protocol, command: &mut Command) -> Self {
        let (server, lines) = Self::start_unread(protocol, command);
        let log = Arc::clone(&server.log);
        thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                log.lock().unwrap().push(line);
            }
        });
        server
    }

    /// Starts a server whose log nobody reads after its first line.
    pub(crate) fn start_unread(
        protocol: Protocol,
        command: &mut Command,
    ) -> (Self, BufReader<std::process::ChildStderr>) {
        let name = if protocol == Protocol::Http { "http" } else { "mcp" };
        command.args(["serve", name, "--addr", "127.0.0.1:0"]).env("NO_COLOR", "1");
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let process = Process(child);
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended without an address");
            if let Some(address) = line.trim_end().strip_prefix("listening on http://") {
                break address.to_owned();
            }
            eprint!("{line}");
        };
        (Server { process, address, protocol, log: Arc::default() }, lines)
    }

    /// Returns the lines of the log with this text.
    pub(crate) fn logged(&self, text: &str) -> Vec<String> {
        self.log.lock().unwrap().iter().filter(|line| line.contains(text)).cloned().collect()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Returns the head and the body of a call.
    pub(crate) fn request(&self, tool: &str, arguments: &Value) -> (String, String) {
        match self.protocol {
            Protocol::Http => self.post(&format!("/tools/{tool}/call"), "", arguments),
            Protocol::Mcp => self.post_message(tool, &message(1, tool, arguments)),
        }
    }

    fn post_message(&self, tool: &str, message: &Value) -> (String, String) {
        let headers = format!(
            "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
             mcp-method: tools/call\r\nmcp-name: {tool}\r\n"
        );
        self.post("/mcp", &headers, message)
    }

    fn post(&self, path: &str, headers: &str, body: &Value) -> (String, String) {
        let (host, body) = (&self.address, body.to_string());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n",
            body.len()
        );
        (head, body)
    }

    /// Sends a call as a message of MCP.
    pub(crate) fn send(&self, tool: &str, message: &Value) -> Response {
        let (head, body) = self.post_message(tool, message);
        let mut stream = self.connect();
        stream.write_all((head + &body).as_bytes()).unwrap();
        Response::read(&mut stream).unwrap()
    }

    /// Calls a tool on a connection of its own, and returns the response.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Response {
        self.call_on(&mut self.connect(), tool, arguments).expect("a response")
    }

    /// Calls a tool on a connection.
    pub(crate) fn call_on(
        &self,
        stream: &mut TcpStream,
        tool: &str,
        arguments: &Value,
    ) -> std::io::Result<Response> {
        let (head, body) = self.request(tool, arguments);
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        Response::read(stream)
    }

    /// Calls `echo`, which must answer.
    pub(crate) fn assert_answers(&self) {
        let response = self.call("echo", &json!({"text": "hello"}));
        assert_eq!((response.status, response.value()), (200, json!("hello")), "{}", response.body);
    }
}

/// Returns a call over MCP as a message.
pub(crate) fn message(id: u32, tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// A response whose body has a length.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn read(stream: &mut TcpStream) -> std::io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.unwrap_or_else(|| panic!("no length: {head}")).parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let status = head[9..12].parse().unwrap();
        Ok(Response { status, head, body: String::from_utf8(body).unwrap() })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the value of the tool, as JSON or as a text.
    pub(crate) fn value(&self) -> Value {
        let response = self.json();
        let result = response.get("result").unwrap_or(&response);
        let structured = result["structuredContent"].get("result");
        structured.unwrap_or(&result["content"][0]["text"]).clone()
    }
}

/// An address that the tool `wait` connects to, and waits for.
pub(crate) struct Gate(TcpListener);

impl Gate {
    pub(crate) fn new() -> Self {
        Gate(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Returns the arguments of `wait`.
    pub(crate) fn arguments(&self) -> Value {
        json!({"address": self.0.local_addr().unwrap().to_string()})
    }

    /// Waits until a call runs. It ends when the connection is dropped.
    pub(crate) fn running(&self) -> TcpStream {
        self.0.accept().unwrap().0
    }
}

/// Starts a server over HTTP whose large results are in this folder.
pub(crate) fn with_results(folder: &Path, wrapper: &[&str]) -> Server {
    Server::start(Protocol::Http, application(wrapper).env("FAULTS_FOLDER", folder.join("results")))
}
