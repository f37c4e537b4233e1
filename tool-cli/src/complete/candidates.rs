//! Candidates for a word.

use std::ffi::OsString;

use clap::{Arg, Command};
use tool_core::{Registry, ToolDefinition, adapter};

use crate::app::App;
use crate::cli::{self, FlagKind, Inputs};
use crate::complete::target::{Target, find_option, takes_word, target_of};
use crate::style::is_unsafe;
use crate::{identity, schema_text};

/// The maximum number of tasks among the candidates.
#[cfg(feature = "tasks")]
const MAX_TASKS: usize = 50;

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) word: String,
    pub(super) meaning: Option<String>,
}

impl Candidate {
    fn new(word: impl Into<String>, meaning: Option<String>) -> Self {
        Candidate { word: word.into(), meaning }
    }
}

/// Returns the candidates that start with the last word.
pub(super) async fn complete(app: &App, words: &[OsString]) -> Vec<Candidate> {
    let Some((typed, before)) = words.split_last() else { return Vec::new() };
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let registry = identity::guess_registry(app, before).await;
    let tool = app.tool_named(before).await;
    let inputs = tool.as_ref().map(Inputs::of);
    let mut program = cli::command(app, 0, inputs.as_ref());
    program.build();
    let context = CompletionContext { registry: &registry, program: &program, inputs: inputs.as_ref() };
    let mut found = match target_of(&program, before) {
        Target::Value { option } => context.values(option, "", typed).await,
        Target::Word { after_separator: false, command, .. }
            if typed.starts_with("--") && typed.contains('=') =>
        {
            let (long, value) = typed.split_once('=').unwrap_or_default();
            match find_option(&[command, &program], long) {
                Some(option) => context.values(option, &format!("{long}="), value).await,
                None => Vec::new(),
            }
        }
        Target::Word { after_separator: false, command, .. } if typed.starts_with('-') => {
            context.options(command)
        }
        Target::Word { command, given, after_separator } => {
            context.words(command, &given, after_separator, typed).await
        }
    };
    // Shells cannot safely insert control characters, show invisible ones as they are, and would replace a word that starts differently.
    let is_unsafe = |c: char| c.is_control() || is_unsafe(c);
    found.retain(|candidate| candidate.word.starts_with(typed) && !candidate.word.contains(is_unsafe));
    found
}

struct CompletionContext<'a> {
    registry: &'a Registry,
    program: &'a Command,
    inputs: Option<&'a Inputs<'a>>,
}

impl CompletionContext<'_> {
    fn options(&self, command: &Command) -> Vec<Candidate> {
        let global = self.program.get_arguments().filter(|arg| arg.is_global_set());
        let mut options: Vec<Candidate> = Vec::new();
        // Of a built command, `get_opts` has only the options with a value.
        for arg in command.get_arguments().chain(global).filter(|arg| !arg.is_hide_set()) {
            let Some(long) = arg.get_long() else { continue };
            let word = if arg.get_action().takes_values() && !takes_word(arg) && !self.is_switch(arg) {
                format!("--{long}=")
            } else {
                format!("--{long}")
            };
            if options.iter().all(|option| option.word != word) {
                options.push(Candidate::new(word, arg.get_help().map(ToString::to_string)));
            }
        }
        options
    }

    fn is_switch(&self, arg: &Arg) -> bool {
        self.flag(arg).is_some_and(|(_, kind)| kind == FlagKind::Switch)
    }

    /// Returns the input of a flag.
    fn flag(&self, arg: &Arg) -> Option<(&str, FlagKind)> {
        let flags = &self.inputs?.flags;
        let flag = flags.iter().find(|flag| flag.id() == arg.get_id().as_str())?;
        Some((flag.input.name.as_deref()?, flag.kind))
    }

    /// Returns the values of an option, prefixed with `before`.
    ///
    /// An option that takes a file has none: the shell completes files, see the scripts.
    async fn values(&self, option: &Arg, before: &str, typed: &str) -> Vec<Candidate> {
        let values = match self.flag(option) {
            Some((_, FlagKind::File | FlagKind::Variable)) => Vec::new(),
            Some((name, _)) => match self.inputs {
                Some(inputs) => self.values_of(inputs.tool, name, typed).await,
                None => Vec::new(),
            },
            None => possible(option),
        };
        values
            .into_iter()
            .map(|value| Candidate { word: format!("{before}{}", value.word), ..value })
            .collect()
    }

    /// Returns the values of an input: allowed values with their descriptions, or the suggestions of its function.
    async fn values_of(&self, tool: &ToolDefinition, name: &str, typed: &str) -> Vec<Candidate> {
        let input = tool.inputs().iter().find(|input| input.name.as_deref() == Some(name));
        let allowed = input.filter(|input| !input.secret).map(cli::values).unwrap_or_default();
        let proposed = adapter::complete(self.registry, tool.name(), name, typed).await;
        let proposed = proposed.map(|found| found.values).unwrap_or_default();
        let meaning = |value: &String| {
            allowed.iter().find(|(other, _)| other == value).and_then(|(_, text)| text.clone())
        };
        let mut values: Vec<_> =
            proposed.iter().map(|value| Candidate::new(value.clone(), meaning(value))).collect();
        // For a list, the values of an item.
        if values.is_empty() && input.is_some_and(|input| input.kind == "list") {
            values.extend(allowed.into_iter().map(|(value, meaning)| Candidate::new(value, meaning)));
        }
        values
    }

    /// Returns the candidates that are not options: commands, tools, inputs and values.
    async fn words(
        &self,
        command: &Command,
        given: &[&str],
        after_separator: bool,
        typed: &str,
    ) -> Vec<Candidate> {
        if command.has_subcommands() && !given.is_empty() {
            return Vec::new();
        }
        if command.has_subcommands() {
            let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
            let about = |command: &Command| command.get_about().map(ToString::to_string);
            return commands.map(|command| Candidate::new(command.get_name(), about(command))).collect();
        }
        let takes_name = command.get_positionals().any(|arg| arg.get_id() == "name");
        match (command.get_name(), given) {
            (_, []) if takes_name => self.tools(after_separator),
            #[cfg(feature = "tasks")]
            (_, []) if command.get_positionals().any(|arg| arg.get_id() == "task") => self.tasks().await,
            ("run" | "validate", [_, pairs @ ..]) => match self.inputs {
                Some(inputs) => self.pairs(inputs, pairs, typed).await,
                None => Vec::new(),
            },
            ("info", [name]) => self.registry.get(name).map(parts).unwrap_or_default(),
            ("man", []) => {
                let commands = self.program.get_subcommands().filter(|command| !command.is_hide_set());
                commands.map(|command| Candidate::new(command.get_name(), None)).collect()
            }
            (_, given) => command.get_positionals().nth(given.len()).map(possible).unwrap_or_default(),
        }
    }

    /// Returns the ids of the newest tasks of the caller.
    #[cfg(feature = "tasks")]
    async fn tasks(&self) -> Vec<Candidate> {
        let Some(engine) = self.registry.task_engine() else { return Vec::new() };
        let tasks = engine.list(self.registry.principal(), None, MAX_TASKS).await.unwrap_or_default();
        tasks.into_iter().map(|task| Candidate::new(task.id.to_string(), Some(task.tool))).collect()
    }

    fn tools(&self, after_separator: bool) -> Vec<Candidate> {
        // A name that starts with `-` is only valid after `--`.
        let typeable = self.registry.tools().filter(|tool| after_separator || !tool.name().starts_with('-'));
        typeable.map(|tool| Candidate::new(tool.name(), Some(tool.description().to_owned()))).collect()
    }

    /// Returns `key=`, or `key=value` after the key.
    async fn pairs(&self, inputs: &Inputs<'_>, given: &[&str], typed: &str) -> Vec<Candidate> {
        if let Some((name, value)) = typed.split_once('=') {
            let values = self.values_of(inputs.tool, name.trim_end_matches(':'), value).await;
            return values
                .into_iter()
                .map(|value| Candidate { word: format!("{name}={}", value.word), ..value })
                .collect();
        }
        let is_given =
            |name: &str| given.iter().any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == name));
        let visible = inputs.tool.inputs().iter().filter(|input| !input.secret);
        visible
            .filter_map(|input| Some((input.name.as_deref()?, input)))
            .filter(|(name, _)| !is_given(name))
            .map(|(name, input)| Candidate::new(format!("{name}="), input.description.clone()))
            .collect()
    }
}

/// Returns the possible values of an argument.
fn possible(arg: &Arg) -> Vec<Candidate> {
    let values = arg.get_possible_values();
    let values = values.iter().filter(|value| !value.is_hide_set());
    values.map(|value| Candidate::new(value.get_name(), value.get_help().map(ToString::to_string))).collect()
}

/// Returns the paths of the parts of a tool's inputs.
fn parts(tool: &ToolDefinition) -> Vec<Candidate> {
    schema_text::inputs(tool.inputs())
        .into_iter()
        .map(|[path, kind, ..]| Candidate::new(path, Some(kind)))
        .collect()
}
