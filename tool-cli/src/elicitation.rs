//! What a call asks: answered on the terminal, or with what `--answer` gives.

mod answers;
mod field;

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::{Mutex, oneshot};
use tool_core::elicitation::{
    Answer, Ask, AskKind, AskOutcome, ClientRequests, Elicited, Form, Question, Root,
};
use tool_core::{BoxFuture, Failure, FailureKind};

pub(crate) use answers::Answers;
#[cfg(feature = "tasks")]
pub(crate) use answers::names_of;

use crate::elicitation::answers::DECLINE;
use crate::elicitation::field::Field;
use crate::progress::Display;
use crate::style::neutral;
use crate::terminal::Terminal;

/// How to decline, and how to dismiss.
const HINT: &str = "(`:no` declines, Ctrl-D dismisses)";

/// Asks the questions of one call on the terminal, one after the other.
pub(crate) struct TerminalElicitor {
    terminal: Terminal,
    /// Whether there is a terminal.
    interactive: bool,
    answers: Answers,
    /// The progress display, which is suspended during a question.
    display: Option<Arc<Display>>,
    turn: Arc<Mutex<()>>,
    /// The command that takes the answers, if it is not this one.
    answer_command: Option<String>,
}

impl TerminalElicitor {
    pub(crate) fn new(
        terminal: Terminal,
        interactive: bool,
        answers: Answers,
        display: Option<Arc<Display>>,
    ) -> Self {
        TerminalElicitor {
            terminal,
            interactive,
            answers,
            display,
            turn: Arc::default(),
            answer_command: None,
        }
    }

    /// Sets the command that takes the answers, for the message without a terminal. By default, it is this one with `--answer`.
    #[cfg(feature = "tasks")]
    pub(crate) fn answer_command(mut self, command: String) -> Self {
        self.answer_command = Some(command);
        self
    }

    pub(crate) async fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        let answer = match &question.ask {
            Ask::Form { form, .. } => self.ask_form(question, form).await?,
            Ask::Url { url, .. } => self.ask_url(question, url).await?,
            Ask::Roots => Answer::Roots(vec![current_folder()?]),
            _ => {
                let message =
                    "this caller has no model: call the tool over MCP, with a client that supports sampling";
                return Err(Failure::new(FailureKind::Unsupported, message));
            }
        };
        Ok(AskOutcome::Answer(answer))
    }

    async fn ask_form(&self, question: &Question, form: &Form) -> Result<Answer, Failure> {
        let fields: Vec<Field> = Field::all(form);
        if question.problems.is_empty() {
            if self.answers.declines(&question.key) {
                return Ok(Answer::Elicited(Elicited::Declined));
            }
            let given = self.answers.fields(&question.key, &fields);
            if given.iter().len() > 0
                && fields.iter().all(|field| !field.required || given.contains_key(&field.name))
            {
                let problems = form.problems(&given);
                if problems.is_empty() {
                    return Ok(Answer::Elicited(Elicited::Accepted(given)));
                }
                let problems: Vec<String> = problems.iter().map(|problem| format!("\n- {problem}")).collect();
                let given = self.answer_command.as_ref().map_or("values of --answer", |_| "answers");
                let message = format!("the {given} are invalid:{}", problems.concat());
                return Err(Failure::new(FailureKind::Unsupported, message));
            }
        }
        let names: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| &*field.name).collect();
        self.require_interactive(question, &names)?;
        let (head, form) = (format!("{}\n{HINT}\n", question.message()), form.clone());
        self.on_terminal(move |terminal| {
            terminal.write(&neutral(&head));
            fill_in(terminal, &form, &fields)
        })
        .await
    }

    async fn ask_url(&self, question: &Question, url: &str) -> Result<Answer, Failure> {
        if self.answers.declines(&question.key) {
            return Ok(Answer::Elicited(Elicited::Declined));
        }
        if self.answers.confirms(&question.key) {
            return Ok(Answer::Elicited(Elicited::Accepted(Map::new())));
        }
        self.require_interactive(question, &[])?;
        let head = format!("{}\n{url}\nPress Enter when you are done there. {HINT}\n", question.message());
        self.on_terminal(move |terminal| {
            match terminal.line(&neutral(&head), false).as_deref().map(str::trim) {
                None => Elicited::Cancelled,
                Some(DECLINE) => Elicited::Declined,
                Some(_) => Elicited::Accepted(Map::new()),
            }
        })
        .await
    }

    /// Checks that there is a terminal.
    ///
    /// # Errors
    ///
    /// A failure that says how a script answers.
    fn require_interactive(&self, question: &Question, names: &[&str]) -> Result<(), Failure> {
        if self.interactive {
            return Ok(());
        }
        let message = question.message();
        let how = |pairs: &[String]| match &self.answer_command {
            Some(command) => format!("`{command} {}`", pairs.join(" ")),
            None => pairs.iter().map(|pair| format!("--answer {pair}")).collect::<Vec<_>>().join(" "),
        };
        let decline = how(&[format!("{}={DECLINE}", question.key)]);
        let mut message = format!("no terminal to answer \"{}\"", message.lines().next().unwrap_or_default());
        if names.is_empty() {
            message.push_str(&format!("; decline with {decline}"));
        } else {
            let answers: Vec<String> = names.iter().map(|name| format!("{name}=…")).collect();
            message.push_str(&format!(": answer with {}, or decline with {decline}", how(&answers)));
        }
        Err(Failure::new(FailureKind::Unsupported, message))
    }

    /// Asks on a thread of its own, one question at a time. A thread that reads from the terminal cannot be stopped.
    async fn on_terminal(
        &self,
        ask: impl FnOnce(&Terminal) -> Elicited<Map<String, Value>> + Send + 'static,
    ) -> Result<Answer, Failure> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let (terminal, display) = (self.terminal.clone(), self.display.clone());
        let (sender, receiver) = oneshot::channel();
        let prompt = move || {
            let _turn = turn;
            let answer = match display {
                Some(display) => display.suspend(|| ask(&terminal)),
                None => ask(&terminal),
            };
            // Whoever does not wait any more does not need it.
            let _ = sender.send(answer);
        };
        let spawned = std::thread::Builder::new().name("elicitation".to_owned()).spawn(prompt);
        match (spawned, receiver.await) {
            (Ok(_), Ok(answer)) => Ok(Answer::Elicited(answer)),
            _ => Err(Failure::new(FailureKind::Unsupported, "the terminal cannot be read")),
        }
    }
}

/// Asks for one field after the other, each until its value is one.
fn fill_in(terminal: &Terminal, form: &Form, fields: &[Field]) -> Elicited<Map<String, Value>> {
    let mut answer = Map::new();
    for field in fields {
        terminal.write(&neutral(&field.introduction()));
        loop {
            let Some(line) = terminal.line(&neutral(&field.prompt()), field.secret) else {
                terminal.write("\n");
                return Elicited::Cancelled;
            };
            let text = line.trim_end_matches('\r');
            if text.trim() == DECLINE {
                return Elicited::Declined;
            }
            // Two colons are one, for whoever means it.
            let text = if text.starts_with("::") { &text[1..] } else { text };
            if text.is_empty() {
                match (&field.default, field.required) {
                    (Some(default), _) => drop(answer.insert(field.name.clone(), default.clone())),
                    (None, true) => {
                        terminal.write("an answer is required\n");
                        continue;
                    }
                    (None, false) => {}
                }
                break;
            }
            let value = field.read(text);
            let single = Map::from_iter([(field.name.clone(), value.clone())]);
            let pointer = format!("/{}", field.name.replace('~', "~0").replace('/', "~1"));
            let problems = form.problems(&single);
            let wrong: Vec<_> = problems
                .iter()
                .filter(|problem| problem.path == pointer || problem.path.starts_with(&format!("{pointer}/")))
                .collect();
            if wrong.is_empty() {
                answer.insert(field.name.clone(), value);
                break;
            }
            for problem in wrong {
                terminal.write(&neutral(&format!("{}\n", problem.message)));
            }
        }
    }
    Elicited::Accepted(answer)
}

/// Returns the folder in which the program was started.
fn current_folder() -> Result<Root, Failure> {
    let unavailable = |why: &str| {
        Failure::new(FailureKind::Unsupported, format!("the current folder is unavailable: {why}"))
    };
    let folder = std::env::current_dir().map_err(|error| unavailable(&error.to_string()))?;
    let path = folder.to_str().ok_or_else(|| unavailable("its name is not Unicode"))?;
    let path = path.replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' => {
                uri.push(byte.into());
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    let root = Root::new(uri);
    Ok(match folder.file_name().and_then(|name| name.to_str()) {
        Some(name) => root.name(name),
        None => root,
    })
}

impl Drop for TerminalElicitor {
    /// Nobody waits for an answer any more, be it a secret.
    fn drop(&mut self) {
        self.terminal.restore_echo();
    }
}

impl ClientRequests for TerminalElicitor {
    fn supports(&self, kind: AskKind) -> bool {
        match kind {
            AskKind::Form => self.interactive || !self.answers.is_empty(),
            AskKind::Url => self.interactive,
            AskKind::Roots => true,
            _ => false,
        }
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(TerminalElicitor::ask(self, question))
    }
}
