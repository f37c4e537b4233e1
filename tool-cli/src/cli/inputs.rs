//! The flags of `run NAME`, one for each input of the tool.

use std::collections::HashSet;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use tool_core::ToolDefinition;
use tool_core::schema::NativeSchema;

use crate::schema_text;
use crate::style::neutral;

/// The maximum number of allowed values in a help text.
const MAX_VALUES_SHOWN: usize = 16;

/// A flag for an input.
#[derive(Clone)]
pub(crate) struct Flag<'t> {
    pub(crate) input: &'t NativeSchema,
    /// Without the dashes.
    pub(crate) long: String,
    pub(crate) kind: FlagKind,
}

/// The form of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagKind {
    /// One value.
    Value,
    /// `true`, `false` or nothing.
    Switch,
    /// One item for each use, or a whole list.
    List,
    /// A file that contains the value.
    File,
    /// An environment variable that contains the value.
    Variable,
}

impl Flag<'_> {
    /// Returns the id of the flag, which no option has.
    pub(crate) fn id(&self) -> String {
        format!("input:{}", self.long)
    }
}

/// The inputs of one tool on the command line.
#[derive(Clone)]
pub(crate) struct Inputs<'t> {
    pub(crate) tool: &'t ToolDefinition,
    pub(crate) flags: Vec<Flag<'t>>,
    /// The inputs without a flag: those whose flag would collide with an option or with the flag of an earlier input, and those
    /// that cannot be typed as an option.
    pub(crate) pairs: Vec<&'t str>,
}

impl<'t> Inputs<'t> {
    pub(crate) fn of(tool: &'t ToolDefinition) -> Self {
        let mut taken = reserved_options();
        if runs_as_task(tool) {
            taken.extend(TASK_OPTIONS.map(str::to_owned));
        }
        let (mut flags, mut pairs) = (Vec::new(), Vec::new());
        for input in tool.inputs() {
            let Some(name) = input.name.as_deref() else { continue };
            let before = flags.len();
            for (long, kind) in flags_for(name, input) {
                if can_be_flag(name) && taken.insert(normalized(&long)) {
                    flags.push(Flag { input, long, kind });
                }
            }
            if flags.len() == before {
                pairs.push(name);
            }
        }
        Inputs { tool, flags, pairs }
    }
}

impl Inputs<'_> {
    /// Returns `true` if the tool can run as a task.
    pub(crate) fn runs_as_task(&self) -> bool {
        runs_as_task(self.tool)
    }
}

#[cfg(feature = "tasks")]
fn runs_as_task(tool: &ToolDefinition) -> bool {
    tool.task().is_some()
}

#[cfg(not(feature = "tasks"))]
fn runs_as_task(_: &ToolDefinition) -> bool {
    false
}

/// Returns the names and kinds of the flags of an input. The caller checks that the names are free.
fn flags_for(name: &str, input: &NativeSchema) -> Vec<(String, FlagKind)> {
    if input.secret {
        // Other processes can read the command line, so secrets are not typed there.
        let kinds = [("file", FlagKind::File), ("env", FlagKind::Variable)];
        return kinds.map(|(suffix, kind)| (format!("{name}-{suffix}"), kind)).into();
    }
    let kind = match input.kind {
        "boolean" => FlagKind::Switch,
        "list" => FlagKind::List,
        _ => FlagKind::Value,
    };
    vec![(name.to_owned(), kind)]
}

/// The long options of `run`, which include those of `validate`. Building the command to read them would slow down short calls.
const RESERVED_OPTIONS: [&str; 14] = [
    "answer",
    "as",
    "color",
    "dry-run",
    "format",
    "grant",
    "help",
    "input-json",
    "quiet",
    "skeleton",
    "timeout",
    "verbose",
    "version",
    "yes",
];

/// The long options that `run` has as well, for a tool that runs as a task.
const TASK_OPTIONS: [&str; 2] = ["detach", "key"];

fn reserved_options() -> HashSet<String> {
    RESERVED_OPTIONS.map(str::to_owned).into()
}

/// Makes `dry_run` and `--dry-run` compare equal.
fn normalized(long: &str) -> String {
    long.replace('_', "-").to_lowercase()
}

fn can_be_flag(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    name.starts_with(char::is_alphanumeric) && name.chars().all(is_allowed)
}

/// Returns the help text for inputs without a flag.
fn pairs_only_note(names: &[&str]) -> Option<String> {
    let (last, others) = names.split_last()?;
    let names = if others.is_empty() {
        format!("`{last}`")
    } else {
        format!("`{}` and `{last}`", others.join("`, `"))
    };
    Some(format!("Only as key=value, key:=json or in --input-json: {}", neutral(&names)))
}

/// Adds the description of the tool and a flag for each of its inputs.
pub(super) fn with_tool_inputs(command: Command, program: &str, inputs: Option<&Inputs<'_>>) -> Command {
    let Some(Inputs { tool, flags, pairs }) = inputs else { return command };
    let about = neutral(&crate::style::summary(tool.description())).into_owned();
    let separator = if tool.name().starts_with('-') { "-- " } else { "" };
    let usage =
        format!("{} {} [OPTIONS] {separator}{} [ARGS]...", neutral(program), command.get_name(), tool.name());
    let is_destructive = command.get_name() == "run" && tool.destructive();
    let notes = [
        is_destructive.then(|| {
            "This tool is destructive: it asks for confirmation, and needs --yes without a terminal."
                .to_owned()
        }),
        Some(format!(
            "`{} info {separator}{}` shows everything that the tool declares.",
            neutral(program),
            neutral(tool.name())
        )),
        pairs_only_note(pairs),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    command.about(about).override_usage(usage).args(flags.iter().map(arg)).after_help(notes.join("\n"))
}

/// Returns the allowed values of an input with their descriptions, also those of its variants and items.
pub(crate) fn values(input: &NativeSchema) -> Vec<(String, Option<String>)> {
    let mut values = Vec::new();
    if input.kind == "boolean" {
        values.extend(["true", "false"].map(|value| (value.to_owned(), None)));
    }
    let own = input.allowed.iter();
    values.extend(own.map(|allowed| (schema_text::plain(&allowed.value), allowed.description.clone())));
    input.variants.iter().for_each(|variant| values.extend(self::values(variant)));
    if let (true, Some(items)) = (input.kind == "list", &input.items) {
        values.extend(self::values(items));
    }
    values
}

/// Converts a flag to an argument of clap.
///
/// clap does not check values: the registry reports all errors at once, as it does for every adapter.
fn arg(flag: &Flag<'_>) -> Arg {
    let arg = Arg::new(flag.id()).long(flag.long.clone()).help_heading("Inputs").help(help(flag));
    // Accepts `--node-id` for `node_id`.
    let kebab = flag.long.replace('_', "-");
    let arg = if kebab == flag.long { arg } else { arg.alias(kebab) };
    let value_parser = |values: Vec<(String, Option<String>)>| {
        let few = values.len() <= MAX_VALUES_SHOWN;
        let values = values.into_iter().map(|(value, help)| {
            let shown = PossibleValue::new(neutral(&value).into_owned());
            help.map_or(shown.clone(), |help| shown.help(neutral(&crate::style::summary(&help)).into_owned()))
        });
        AnyValueParser(if few { values.collect() } else { Vec::new() })
    };
    match flag.kind {
        FlagKind::Value => arg
            .value_name(value_name(flag.input))
            .allow_negative_numbers(true)
            .value_parser(value_parser(values(flag.input))),
        FlagKind::Switch => arg
            .value_name("BOOLEAN")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(value_parser(values(flag.input))),
        FlagKind::List => arg
            .value_name(flag.input.items.as_deref().map_or("ITEM".to_owned(), value_name))
            .action(ArgAction::Append)
            .allow_negative_numbers(true)
            .value_parser(value_parser(values(flag.input))),
        FlagKind::File => arg.value_name("FILE"),
        FlagKind::Variable => arg.value_name("VARIABLE"),
    }
}

fn value_name(input: &NativeSchema) -> String {
    // A schema may be that of somebody else.
    let is_word = |format: &&String| {
        format.len() <= 30 && format.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    match (input.kind, input.format.as_ref().filter(is_word)) {
        ("string", Some(format)) => format.to_uppercase(),
        ("string" | "integer" | "number" | "boolean", _) => input.kind.to_uppercase(),
        _ => "JSON".to_owned(),
    }
}

fn help(flag: &Flag<'_>) -> String {
    let input = flag.input;
    let mut help = input.description.as_deref().map(crate::style::summary).unwrap_or_default();
    let mut add = |text: String| {
        if !help.is_empty() {
            help.push(' ');
        }
        help.push_str(&text);
    };
    match flag.kind {
        FlagKind::File => add("(read from a file; `-` for stdin)".to_owned()),
        FlagKind::Variable => add("(read from an environment variable)".to_owned()),
        FlagKind::List => add("(may be repeated, or given as one JSON list)".to_owned()),
        FlagKind::Value | FlagKind::Switch => {}
    }
    if input.required == Some(true) {
        add("[required]".to_owned());
    }
    for limit in schema_text::limits(input) {
        add(format!("[{limit}]"));
    }
    if let Some(default) = schema_text::default(input).filter(|default| !default.is_null()) {
        add(format!("[default: {}]", schema_text::plain(default)));
    }
    if let Some(example) = schema_text::examples(input).first() {
        add(format!("[example: {}]", schema_text::plain(example)));
    }
    neutral(&help).into_owned()
}

/// Shows values in the help and takes any text.
#[derive(Clone)]
struct AnyValueParser(Vec<PossibleValue>);

impl TypedValueParser for AnyValueParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        value
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        (!self.0.is_empty())
            .then(|| Box::new(self.0.iter().cloned()) as Box<dyn Iterator<Item = PossibleValue>>)
    }
}

#[cfg(test)]
mod tests {
    use tool_core::Registry;

    use super::*;
    use crate::app::App;
    use crate::cli::commands::{RUN, VALIDATE, run, validate};

    #[test]
    fn shows_formats_that_are_words() {
        let long = "x".repeat(31);
        for (format, expected) in [
            (Some("date-time"), "DATE-TIME"),
            (None, "STRING"),
            (Some("x\u{1b}]0;title\u{7}"), "STRING"),
            (Some("\u{202e}uri"), "STRING"),
            (Some("a b"), "STRING"),
            (Some(&*long), "STRING"),
        ] {
            let mut input = NativeSchema::default();
            (input.kind, input.format) = ("string", format.map(str::to_owned));
            assert_eq!(value_name(&input), expected, "{format:?}");
        }
    }

    #[test]
    fn reserves_every_option() {
        let app = App::new("demo", Registry::builder().allow_empty().build().unwrap());
        let commands = [run(RUN.command(), &app, None), validate(VALIDATE.command(), "", None)];
        let own = commands.iter().flat_map(|command| command.get_opts().filter_map(Arg::get_long));
        let everywhere = ["help", "version", "color", "quiet", "verbose"];
        let mut names: Vec<&str> = own.chain(everywhere).collect();
        names.sort_unstable();
        names.dedup();
        let mut reserved = RESERVED_OPTIONS.to_vec();
        if cfg!(feature = "tasks") {
            reserved.extend(TASK_OPTIONS);
        }
        reserved.sort_unstable();
        assert_eq!(names, reserved);
    }
}
