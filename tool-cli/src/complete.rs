//! Completion: the scripts that a shell loads, and the answers that they ask for.
//!
//! A script is short. It hands the words so far to a hidden command of this very program, which knows the tools, their
//! inputs, the values that they allow, and the functions that propose some.

mod bash;
mod candidates;
mod line;
mod script;
mod target;

use std::ffi::OsString;

use clap::ArgMatches;

pub(crate) use script::script;

use crate::app::App;
use crate::complete::candidates::Candidate;
use crate::error::CliError;
use crate::streams::Streams;
use crate::style::{neutral, summary};

/// The hidden command.
pub(crate) const COMMAND: &str = "__complete";

/// The shells that there are scripts for.
pub(crate) const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Answers a script: one candidate a line. For bash it is what should be inserted, for the others the word and, behind a
/// tab, what it means.
pub(crate) fn complete(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let words: Vec<&str> =
        matches.get_many::<String>("words").into_iter().flatten().map(String::as_str).collect();
    let page = if shell == "bash" {
        let [typed, breaks] = words[..] else { return Ok(()) };
        bash::insertions(typed, breaks, |words| candidates::complete(app, words))
    } else {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        candidates::complete(app, &words).iter().map(format_candidate).collect()
    };
    Ok(streams.print(&page)?)
}

fn format_candidate(candidate: &Candidate) -> String {
    let meaning = candidate.meaning.as_deref().map(|meaning| neutral(&summary(meaning)).replace('\t', " "));
    match meaning.filter(|meaning| !meaning.is_empty()) {
        Some(meaning) => format!("{}\t{meaning}\n", candidate.word),
        None => format!("{}\n", candidate.word),
    }
}
