//! Completion: the scripts for shells, and the hidden command that they call.
//!
//! A script passes the words so far to this program, which suggests tools, inputs and values.

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

/// Prints the candidates, one per line: for bash the text to insert, for other shells the word, a tab and its description.
pub(crate) async fn complete(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let words: Vec<&str> =
        matches.get_many::<String>("words").into_iter().flatten().map(String::as_str).collect();
    let page = if shell == "bash" {
        let [typed, breaks] = words[..] else { return Ok(()) };
        let line = bash::BashLine::new(typed, breaks);
        line.insertions(&candidates::complete(app, &line.words()).await)
    } else {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        candidates::complete(app, &words).await.iter().map(format_candidate).collect()
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
