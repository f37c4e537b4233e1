//! The streams of a command: those of the process, or those of a test.

use std::env;
use std::io::{self, IsTerminal as _, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};

use crate::interrupt::Interrupt;
use crate::style::{Paint, neutral};

/// The default width of a line.
const WIDTH: u16 = 100;

/// The minimum width of a line.
const MIN_WIDTH: u16 = 20;

/// The streams that a command reads from and writes to.
///
/// ```
/// use tool_cli::{Buffer, Streams};
///
/// let (stdout, stderr) = (Buffer::default(), Buffer::default());
/// let streams = Streams::new(&b"yes\n"[..], stdout.clone(), stderr.clone()).interactive();
/// ```
#[must_use]
pub struct Streams {
    stdin: Stdin,
    stdout: Box<dyn Write + Send>,
    stderr: Stderr,
    /// Whether stdout and stderr show colors.
    colors: [bool; 2],
    /// Whether questions can be answered.
    interactive: bool,
    stdin_terminal: bool,
    /// Whether stderr is a terminal that can show a progress bar.
    bars: bool,
    /// Whether typed secrets can be hidden.
    hides_input: bool,
    verbosity: Verbosity,
    width: u16,
    interrupt: Interrupt,
    /// Whether abandoned work is still running.
    abandoned: bool,
}

/// The amount of output on stderr, besides errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    #[default]
    Normal,
    Verbose,
}

/// Stdin, locked by one reader at a time.
pub(crate) type Stdin = Arc<Mutex<dyn Read + Send>>;

/// Stderr, shared with servers.
pub(crate) type Stderr = Arc<Mutex<dyn Write + Send>>;

impl Streams {
    /// Creates streams without a terminal: no colors, no questions, no signals.
    ///
    /// ```
    /// let streams = tool_cli::Streams::new(std::io::empty(), std::io::sink(), std::io::sink());
    /// ```
    pub fn new(
        stdin: impl Read + Send + 'static,
        stdout: impl Write + Send + 'static,
        stderr: impl Write + Send + 'static,
    ) -> Self {
        Streams {
            stdin: Arc::new(Mutex::new(stdin)),
            stdout: Box::new(stdout),
            stderr: Arc::new(Mutex::new(stderr)),
            colors: [false; 2],
            interactive: false,
            stdin_terminal: false,
            bars: false,
            hides_input: false,
            verbosity: Verbosity::Normal,
            width: WIDTH,
            interrupt: Interrupt::never(),
            abandoned: false,
        }
    }

    /// Treats stdin and stderr as a terminal: enables questions and the progress bar.
    ///
    /// ```
    /// let streams = tool_cli::Streams::new(&b"y\n"[..], std::io::sink(), std::io::sink()).interactive();
    /// ```
    pub fn interactive(mut self) -> Self {
        (self.interactive, self.stdin_terminal, self.bars) = (true, true, true);
        self
    }

    /// Sets the width of a line in columns; the default is 100, the minimum 20.
    ///
    /// ```
    /// let streams = tool_cli::Streams::new(std::io::empty(), std::io::sink(), std::io::sink()).columns(60);
    /// ```
    pub fn columns(mut self, columns: u16) -> Self {
        self.width = columns.max(MIN_WIDTH);
        self
    }

    /// Interrupts a call or a server when this future completes, like Ctrl-C.
    ///
    /// ```
    /// let streams = tool_cli::Streams::new(std::io::empty(), std::io::sink(), std::io::sink())
    ///     .interrupted_by(std::future::ready(()));
    /// ```
    pub fn interrupted_by(mut self, end: impl Future<Output = ()> + Send + 'static) -> Self {
        self.interrupt = Interrupt::from_future(end);
        self
    }

    /// Creates the streams of this process.
    pub(crate) fn process() -> Self {
        let shows = |choice| !matches!(choice, ColorChoice::Never);
        let stdout = AutoStream::auto(io::stdout());
        let stderr = AutoStream::auto(io::stderr());
        let (stdin_terminal, stderr_terminal) = (io::stdin().is_terminal(), io::stderr().is_terminal());
        let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Streams {
            colors: [shows(stdout.current_choice()), shows(stderr.current_choice())],
            interactive: stdin_terminal && stderr_terminal,
            stdin_terminal,
            bars: stderr_terminal && !is_dumb,
            hides_input: stdin_terminal,
            interrupt: Interrupt::signals(),
            ..Streams::new(io::stdin(), io::stdout(), io::stderr()).columns(columns())
        }
    }

    /// Overrides whether colors are shown.
    pub(crate) fn set_color(&mut self, always: Option<bool>) {
        if let Some(always) = always {
            self.colors = [always; 2];
        }
    }

    pub(crate) fn is_colored(&self, stderr: bool) -> bool {
        self.colors[usize::from(stderr)]
    }

    /// Returns the style of stdout.
    pub(crate) fn paint(&self) -> Paint {
        Paint(self.is_colored(false))
    }

    pub(crate) fn width(&self) -> u16 {
        self.width
    }

    pub(crate) fn is_interactive(&self) -> bool {
        self.interactive
    }

    pub(crate) fn stdin_is_terminal(&self) -> bool {
        self.stdin_terminal
    }

    /// Returns `true` if stderr can show a progress bar.
    pub(crate) fn shows_bars(&self) -> bool {
        self.bars
    }

    pub(crate) fn set_verbosity(&mut self, verbosity: Verbosity) {
        self.verbosity = verbosity;
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    pub(crate) fn stderr(&self) -> Stderr {
        Arc::clone(&self.stderr)
    }

    pub(crate) fn interrupt(&mut self) -> &mut Interrupt {
        &mut self.interrupt
    }

    /// Records that work was abandoned while it is running.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    /// Returns `true` if the process should exit without waiting for running work.
    pub(crate) fn ends_now(&self) -> bool {
        self.abandoned || self.interrupt.requested()
    }

    /// Writes a result unchanged.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()
    }

    /// Writes to stderr unchanged.
    pub(crate) fn write_stderr(&mut self, text: &str) {
        write(&self.stderr, text);
    }

    /// Writes an error to stderr, without control characters.
    pub(crate) fn error(&mut self, text: &str) {
        let label = Paint(self.is_colored(true)).error("error:");
        self.write_stderr(&format!("{label} {}\n", neutral(text)));
    }

    /// Writes a notice to stderr, unless output is quiet.
    pub(crate) fn notice(&self, text: &str) {
        if !self.is_quiet() {
            write(&self.stderr, &format!("{}\n", neutral(text)));
        }
    }

    pub(crate) fn stdin(&self) -> Stdin {
        Arc::clone(&self.stdin)
    }

    /// Returns `true` if typed secrets can be hidden.
    pub(crate) fn hides_input(&self) -> bool {
        self.hides_input
    }

    /// Reads stdin up to its end, or up to `limit` bytes.
    pub(crate) fn read_all(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        (&mut *stdin).take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Asks a question on stderr, and reads the answer from stdin.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<bool> {
        self.write_stderr(&neutral(question));
        let answer = read_line(&self.stdin)?.unwrap_or_default().trim().to_lowercase();
        Ok(matches!(answer.as_str(), "y" | "yes"))
    }
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Streams").field("interactive", &self.interactive).field("width", &self.width).finish()
    }
}

/// Returns the width of the terminal at stdout, or the width from the environment.
fn columns() -> u16 {
    let variable = || env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    terminal.or_else(variable).unwrap_or(WIDTH)
}

/// Reads the next line of stdin; `None` at its end.
pub(crate) fn read_line(stdin: &Stdin) -> io::Result<Option<String>> {
    let mut stdin = stdin.lock().unwrap_or_else(PoisonError::into_inner);
    let mut line = Vec::new();
    let mut byte = [0];
    // Byte by byte, to leave what follows the line unread.
    loop {
        if stdin.read(&mut byte)? == 0 {
            return Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()));
        }
        if byte[0] == b'\n' {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
        line.push(byte[0]);
    }
}

/// Writes to stderr and flushes; errors are ignored.
pub(crate) fn write(stderr: &Stderr, text: &str) {
    let mut stderr = stderr.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// A stream that stores what is written. Clones share the same buffer.
///
/// ```
/// use std::io::Write;
///
/// let buffer = tool_cli::Buffer::default();
/// buffer.clone().write_all(b"hello").unwrap();
/// assert_eq!(buffer.text(), "hello");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// Returns what was written so far; invalid UTF-8 is replaced.
    ///
    /// ```
    /// assert_eq!(tool_cli::Buffer::default().text(), "");
    /// ```
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
