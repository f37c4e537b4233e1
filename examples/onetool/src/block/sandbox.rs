//! The parent's side of the process that runs a block.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use crate::block::wire::{CallResult, Task, WorkerMessage};
use crate::block::{Block, BlockError, BlockLimits, ROLE};

/// The time after the limit in which a block can report its line: its own clock starts later, with the process.
const GRACE: Duration = Duration::from_secs(5);

/// A tool that a block may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callable {
    /// The name of the function.
    pub name: String,
    /// The names of the inputs, in the order of positional arguments.
    pub inputs: Vec<String>,
}

/// A sandbox that runs each block in its own process.
///
/// ```no_run
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use onetool::{Block, BlockLimits, Sandbox};
///
/// let sandbox = Sandbox::of_this_program(BlockLimits::default()).unwrap();
/// let block = Block::parse("[n * n for n in range(4)]").unwrap();
/// let value = sandbox.run(&block, Vec::new(), |_, _| async { Err("there is no tool".to_owned()) }).await.unwrap();
/// assert_eq!(value, serde_json::json!([0, 1, 4, 9]));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: BlockLimits,
    /// Limits the number of concurrent blocks.
    places: Arc<Semaphore>,
}

impl Sandbox {
    /// Creates a sandbox that starts this program, which must call [`worker`](crate::worker) if its first argument is [`ROLE`].
    ///
    /// # Errors
    ///
    /// When the path of this program is unknown.
    ///
    /// ```
    /// let sandbox = onetool::Sandbox::of_this_program(onetool::BlockLimits::default()).unwrap();
    /// ```
    pub fn of_this_program(limits: BlockLimits) -> std::io::Result<Self> {
        Ok(Sandbox::new(std::env::current_exe()?, limits))
    }

    /// Creates a sandbox that starts another program with such a worker.
    ///
    /// ```
    /// let sandbox = onetool::Sandbox::new("/usr/bin/onetool", onetool::BlockLimits::default());
    /// ```
    pub fn new(program: impl Into<PathBuf>, limits: BlockLimits) -> Self {
        // Blocks are CPU-bound: more than this would only compete for the processors.
        let places = std::thread::available_parallelism().map_or(2, usize::from) * 2;
        Sandbox {
            program: program.into(),
            arguments: vec![ROLE.into()],
            limits,
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Returns the limits of a block.
    ///
    /// ```
    /// let sandbox = onetool::Sandbox::new("onetool", onetool::BlockLimits::default());
    /// assert_eq!(sandbox.limits().calls, 100);
    /// ```
    pub fn limits(&self) -> &BlockLimits {
        &self.limits
    }

    /// Runs a block with these tools as functions, calls tools by `call`, and returns the value of its last expression, or of its
    /// variable `result`.
    ///
    /// Dropping the future ends the process.
    ///
    /// # Errors
    ///
    /// See [`BlockError`].
    ///
    /// ```no_run
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use onetool::{Block, BlockLimits, Callable, Sandbox};
    ///
    /// let sandbox = Sandbox::of_this_program(BlockLimits::default()).unwrap();
    /// let block = Block::parse("shout('hello')").unwrap();
    /// let shout = Callable { name: "shout".into(), inputs: vec!["text".into()] };
    /// let value = sandbox.run(&block, vec![shout], |_, arguments| async move {
    ///     Ok(arguments["text"].as_str().unwrap_or_default().to_uppercase().into())
    /// });
    /// assert_eq!(value.await.unwrap(), "HELLO");
    /// # });
    /// ```
    pub async fn run<F: Future<Output = CallResult> + Send>(
        &self,
        block: &Block,
        tools: Vec<Callable>,
        call: impl Fn(String, Map<String, Value>) -> F,
    ) -> Result<Value, BlockError> {
        let place = timeout(self.limits.time(), self.places.acquire()).await.map_err(|_| BlockError::Busy)?;
        let _place = place.map_err(|_| BlockError::Busy)?;
        let end = Instant::now() + self.limits.time();
        let mut process = Process::start(self)?;
        let task = Task { source: block.source().to_owned(), tools, limits: self.limits };
        let outcome = timeout_at(end + GRACE, process.converse(&task, end, call)).await;
        outcome.unwrap_or(Err(BlockError::Late(self.limits.seconds)))
    }
}

/// A process that runs one block, killed on drop.
struct Process {
    // Killed when dropped.
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    limits: BlockLimits,
}

impl Process {
    fn start(sandbox: &Sandbox) -> Result<Self, BlockError> {
        let mut command = Command::new(&sandbox.program);
        command.args(&sandbox.arguments).env_clear().kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            tracing::error!(%error, program = %sandbox.program.display(), "a block cannot be run");
            BlockError::NoProcess
        })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return Err(BlockError::NoProcess) };
        Ok(Process { child, stdin, stdout: BufReader::new(stdout), stderr, limits: sandbox.limits })
    }

    /// Sends the block, and answers its calls until it has ended.
    async fn converse<F: Future<Output = CallResult> + Send>(
        &mut self,
        task: &Task,
        end: Instant,
        call: impl Fn(String, Map<String, Value>) -> F,
    ) -> Result<Value, BlockError> {
        self.tell(task).await?;
        let mut calls = 0;
        loop {
            let (tool, arguments) = match self.receive().await? {
                WorkerMessage::Done(value) => return Ok(value),
                WorkerMessage::Failed { line: Some(line), message } => {
                    return Err(BlockError::Line { line, message });
                }
                WorkerMessage::Failed { line: None, message } => return Err(BlockError::Failed(message)),
                WorkerMessage::Call { tool, arguments } => (tool, arguments),
            };
            calls += 1;
            let answer = if calls > self.limits.calls {
                Err(format!("a block may make {} calls and no more", self.limits.calls))
            } else {
                let late = || Err(format!("the {} seconds of the block are over", self.limits.seconds));
                timeout_at(end, call(tool, arguments)).await.unwrap_or_else(|_| late())
            };
            self.tell(&answer).await?;
        }
    }

    async fn tell(&mut self, message: &impl Serialize) -> Result<(), BlockError> {
        let mut line = serde_json::to_vec(message).map_err(|error| BlockError::Failed(error.to_string()))?;
        line.push(b'\n');
        match self.stdin.write_all(&line).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.gone().await),
        }
    }

    async fn receive(&mut self) -> Result<WorkerMessage, BlockError> {
        let most = self.limits.output as u64;
        let mut line = Vec::new();
        // The process is not trusted to keep to any limit.
        let read = (&mut self.stdout).take(most).read_until(b'\n', &mut line).await;
        if read.is_err() || line.is_empty() {
            return Err(self.gone().await);
        }
        if line.last() != Some(&b'\n') {
            return Err(if line.len() as u64 == most {
                BlockError::Output(self.limits.output)
            } else {
                self.gone().await
            });
        }
        let unreadable = |_| BlockError::Failed("the value of the block is nested too deeply".to_owned());
        serde_json::from_slice(&line).map_err(unreadable)
    }

    /// Returns the reason why the process has ended without an answer.
    async fn gone(&mut self) -> BlockError {
        let mut last_words = Vec::new();
        // An unreadable stderr explains nothing; the error stays generic.
        let _ = (&mut self.stderr).take(4096).read_to_end(&mut last_words).await;
        let last_words = String::from_utf8_lossy(&last_words);
        let status = self.child.wait().await.ok();
        tracing::debug!(?status, %last_words, "the process of a block has ended");
        if last_words.contains("memory") {
            BlockError::Memory(self.limits.memory)
        } else {
            BlockError::Crashed
        }
    }
}
