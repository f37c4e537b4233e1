//! The grammar of `run` and `validate`, written without the code of the command line and without a parser library.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_cli::fuzzing::Call;

use crate::json_rpc::Frame;

/// What a line means.
pub(crate) enum Reading {
    Call(Call),
    /// It is refused, or asks for something else.
    NoCall,
    /// The grammar does not say.
    Unsure,
}

/// Why a line is no call, or may be none.
enum Stop {
    NoCall,
    Unsure,
}

/// The tools, whose names the command takes.
const TOOLS: [&str; 2] = ["typed", "other"];

/// Reads a line.
pub(crate) fn read(words: &[&str]) -> Reading {
    match Line::read(words).and_then(Line::call) {
        Ok(call) => Reading::Call(call),
        Err(Stop::NoCall) => Reading::NoCall,
        Err(Stop::Unsure) => Reading::Unsure,
    }
}

/// One thing that was typed for an input.
enum Typed<'w> {
    Pair(&'w str),
    Json(&'w str),
    Flag(&'static str, &'w str),
}

/// The words of a line, sorted.
#[derive(Default)]
struct Line<'w> {
    command: Option<&'w str>,
    name: Option<&'w str>,
    typed: Vec<Typed<'w>>,
    /// The options that were used in the command, or before it.
    used: BTreeSet<&'static str>,
    /// Whether an input was given before the name of the tool.
    is_name_late: bool,
    /// Whether a value is one that another part of the program judges.
    is_unsure: bool,
}

/// What an option takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// No value.
    Nothing,
    /// A value once.
    Once,
    /// A value, any number of times.
    Often,
    /// `=true`, `=false` or nothing.
    Truth,
}

impl<'w> Line<'w> {
    fn read(words: &[&'w str]) -> Result<Self, Stop> {
        let mut line = Line::default();
        let mut words = words.iter().copied();
        let mut is_escaped = false;
        while let Some(word) = words.next() {
            if is_escaped || word.len() < 2 || !word.starts_with('-') {
                line.add_word(word)?;
            } else if word == "--" {
                is_escaped = true;
                if line.command.is_none() {
                    return Err(Stop::NoCall);
                }
            } else if let Some(long) = word.strip_prefix("--") {
                let (long, attached) = match long.split_once('=') {
                    Some((long, value)) => (long, Some(value)),
                    None => (long, None),
                };
                line.add_option(long, attached, &mut words)?;
            } else {
                word.chars().skip(1).try_for_each(|letter| line.add_letter(letter))?;
            }
        }
        Ok(line)
    }

    fn add_word(&mut self, word: &'w str) -> Result<(), Stop> {
        match (self.command, self.name) {
            (None, _) if word == "run" || word == "validate" => {
                self.check_verbosity()?;
                self.command = Some(word);
                // Options of the program may be used again.
                self.used.clear();
            }
            (None, _) => return Err(Stop::NoCall),
            (_, None) => {
                self.name = Some(word);
                self.is_name_late = self.typed.iter().any(|it| matches!(it, Typed::Flag(..)));
            }
            _ => self.typed.push(Typed::Pair(word)),
        }
        Ok(())
    }

    fn check_verbosity(&self) -> Result<(), Stop> {
        let excluded = ["quiet", "verbose"];
        if excluded.iter().all(|name| self.used.contains(name)) { Err(Stop::NoCall) } else { Ok(()) }
    }

    fn add_letter(&mut self, letter: char) -> Result<(), Stop> {
        match letter {
            'q' => self.switch("quiet"),
            'v' => self.switch("verbose"),
            'y' if self.command == Some("run") => self.switch("yes"),
            _ => Err(Stop::NoCall),
        }
    }

    fn switch(&mut self, name: &'static str) -> Result<(), Stop> {
        if self.used.insert(name) { Ok(()) } else { Err(Stop::NoCall) }
    }

    /// Returns the name of an option and what it takes.
    fn option(&self, long: &str) -> Option<(&'static str, Takes)> {
        let is_run = self.command == Some("run");
        let is_command = self.command.is_some();
        Some(match long {
            "quiet" => ("quiet", Takes::Nothing),
            "verbose" => ("verbose", Takes::Nothing),
            "color" => ("color", Takes::Once),
            "yes" if is_run => ("yes", Takes::Nothing),
            "dry-run" if is_run => ("dry-run", Takes::Nothing),
            "skeleton" if is_run => ("skeleton", Takes::Nothing),
            "timeout" if is_run => ("timeout", Takes::Once),
            "answer" if is_run => ("answer", Takes::Often),
            "input-json" if is_command => ("input-json", Takes::Often),
            "format" if is_command => ("format", Takes::Once),
            "as" if is_command => ("as", Takes::Once),
            "grant" if is_command => ("grant", Takes::Often),
            "text" if is_command => ("text", Takes::Once),
            "number" if is_command => ("number", Takes::Once),
            "node_id" | "node-id" if is_command => ("node_id", Takes::Once),
            "list" if is_command => ("list", Takes::Often),
            "truth" if is_command => ("truth", Takes::Truth),
            _ => return None,
        })
    }

    fn add_option(
        &mut self,
        long: &str,
        attached: Option<&'w str>,
        words: &mut impl Iterator<Item = &'w str>,
    ) -> Result<(), Stop> {
        let (name, takes) = self.option(long).ok_or(Stop::NoCall)?;
        let is_first = self.used.insert(name);
        if !is_first && takes != Takes::Often {
            return Err(Stop::NoCall);
        }
        let value = match (takes, attached) {
            (Takes::Nothing, Some(_)) => return Err(Stop::NoCall),
            (Takes::Nothing, None) => return Ok(()),
            (Takes::Truth, value) => value.unwrap_or("true"),
            (_, Some(value)) => value,
            (_, None) => next_value(name, words.next())?,
        };
        match name {
            "color" if !["auto", "always", "never"].contains(&value) => return Err(Stop::NoCall),
            "format" if !["text", "json", "yaml"].contains(&value) => return Err(Stop::NoCall),
            "timeout" | "as" | "grant" => self.is_unsure = true,
            "input-json" => self.typed.push(Typed::Json(value)),
            "text" | "number" | "node_id" | "list" | "truth" => self.typed.push(Typed::Flag(name, value)),
            _ => {}
        }
        Ok(())
    }

    /// Returns the call that the line asks for.
    fn call(self) -> Result<Call, Stop> {
        let (Some(command), Some(name)) = (self.command, self.name) else { return Err(Stop::NoCall) };
        let has_flags = self.typed.iter().any(|it| matches!(it, Typed::Flag(..)));
        if !TOOLS.contains(&name) || name != "typed" && has_flags {
            return Err(Stop::NoCall);
        }
        self.check_verbosity()?;
        let is_used = |name| self.used.contains(name);
        let is_template = is_used("skeleton");
        if is_template && (is_used("dry-run") || self.is_filled()) {
            return Err(Stop::NoCall);
        }
        if self.is_unsure || self.is_name_late && self.names_other_tool() {
            return Err(Stop::Unsure);
        }
        Ok(Call {
            command: command.to_owned(),
            tool: name.to_owned(),
            dry_run: is_used("dry-run"),
            yes: is_used("yes"),
            arguments: if is_template { None } else { Some(arguments(name, &self.typed)?) },
        })
    }

    /// Returns `true` if the line has what a template of the arguments excludes.
    fn is_filled(&self) -> bool {
        self.typed.iter().any(|it| !matches!(it, Typed::Flag(..)))
    }

    /// Returns `true` if the value of an input is the name of another tool, and may be taken for the one to call.
    fn names_other_tool(&self) -> bool {
        self.typed.iter().any(|it| matches!(it, Typed::Flag(_, "other")))
    }
}

/// Returns the value of an option that is the next word.
fn next_value<'w>(name: &str, word: Option<&'w str>) -> Result<&'w str, Stop> {
    let word = word.ok_or(Stop::NoCall)?;
    let Some(rest) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else { return Ok(word) };
    let takes_negative = matches!(name, "text" | "number" | "node_id" | "list");
    let is_numeric = rest.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-_".contains(&byte));
    match takes_negative && rest != "-" && is_numeric {
        true if rest.bytes().all(|byte| byte.is_ascii_digit()) => Ok(word),
        true => Err(Stop::Unsure),
        false => Err(Stop::NoCall),
    }
}

/// Returns the JSON of the arguments. An input is given once, except in `--input-json`, where the last one counts.
fn arguments(tool: &str, typed: &[Typed<'_>]) -> Result<String, Stop> {
    let mut members: Vec<(String, String)> = Vec::new();
    let mut set = |key: &str, value: String| match members.iter_mut().find(|(other, _)| other == key) {
        Some((_, current)) => *current = value,
        None => members.push((key.to_owned(), value)),
    };
    let mut given = BTreeSet::new();
    let mut is_stdin_read = false;
    let mut is_after_truth = false;
    let last_of_list = typed.iter().rposition(|it| matches!(it, Typed::Flag("list", _)));
    for (position, one) in typed.iter().enumerate() {
        let was_after_truth = std::mem::take(&mut is_after_truth);
        match *one {
            Typed::Pair("true" | "false") if was_after_truth => return Err(Stop::NoCall),
            Typed::Pair(pair) => {
                let (key, value) = assigned(tool, pair)?;
                if !given.insert(key) {
                    return Err(Stop::NoCall);
                }
                set(key, value);
            }
            Typed::Flag("list", _) if Some(position) != last_of_list => is_after_truth = was_after_truth,
            Typed::Flag(key, value) => {
                is_after_truth = key == "truth";
                if !given.insert(key) {
                    return Err(Stop::NoCall);
                }
                let value = if key == "list" { items(typed) } else { typed_value(tool, key, value) };
                set(key, value);
            }
            Typed::Json(text) => {
                // Standard input is empty, and can be read once.
                if text == "-" && std::mem::replace(&mut is_stdin_read, true) {
                    return Err(Stop::NoCall);
                }
                let text = if text == "-" { "" } else { text };
                match object(text) {
                    Some(object) => object.into_iter().for_each(|(key, value)| set(&key, value)),
                    // The tool says what is wrong with it.
                    None => return Ok(text.to_owned()),
                }
            }
        }
    }
    let members = members.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str())));
    Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

/// Reads `key=value` or `key:=json`.
fn assigned<'w>(tool: &str, pair: &'w str) -> Result<(&'w str, String), Stop> {
    let (key, value) = pair.split_once('=').ok_or(Stop::NoCall)?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, verbatim(value).ok_or(Stop::NoCall)?),
        None if (tool, key) == ("typed", "list") && verbatim(value).as_deref() != Some("null") => {
            (key, list(&[value]))
        }
        None => (key, typed_value(tool, key, value)),
    };
    if key.is_empty() { Err(Stop::NoCall) } else { Ok((key, value)) }
}

/// Returns what was typed as JSON: a text where one is wanted, and otherwise the JSON that it is, or a text.
fn typed_value(tool: &str, key: &str, value: &str) -> String {
    let is_text = tool == "typed" && key == "text";
    let json = if is_text { None } else { verbatim(value) };
    json.unwrap_or_else(|| Value::from(value).to_string())
}

/// Returns the list of all its items, or the list that the only one is.
fn items(typed: &[Typed<'_>]) -> String {
    let items =
        typed.iter().filter_map(|it| if let Typed::Flag("list", item) = it { Some(*item) } else { None });
    list(&items.collect::<Vec<_>>())
}

fn list(items: &[&str]) -> String {
    match items {
        [one] if verbatim(one).is_some_and(|json| json.starts_with('[')) => verbatim(one).unwrap_or_default(),
        _ => Value::from(items).to_string(),
    }
}

fn verbatim(text: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(text).ok().map(|json| json.get().to_owned())
}

/// Returns the members of an object that has none twice.
fn object(text: &str) -> Option<Vec<(String, String)>> {
    if text.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    let members = Frame::parse(text.as_bytes())?.into_members();
    let names: BTreeSet<&String> = members.iter().map(|(name, _)| name).collect();
    let is_unique = names.len() == members.len();
    is_unique.then_some(members)
}
