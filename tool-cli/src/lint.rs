//! `lint`: what could be better in the declarations.

use clap::ArgMatches;
use serde_json::json;
use tool_core::lint::{Lint, LintRule};

use crate::app::App;
use crate::cli::{self, Format};
use crate::error::CliError;
use crate::list::json_text;
use crate::streams::Streams;
use crate::style::neutral;
use crate::yaml;

/// Tells all findings; that there are some is a failure.
pub(crate) fn lint(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    app.registry.check()?;
    let without: Vec<&String> = matches.get_many("without").into_iter().flatten().collect();
    let is_disabled = |rule: &&LintRule| without.iter().any(|code| rule.code() == code.as_str());
    let rules = LintRule::ALL.iter().filter(is_disabled);
    let lint = rules.fold(app.lint.clone(), |lint, rule| Lint::without(lint, *rule));
    let findings = lint.run(&app.registry);
    let page = match cli::format(matches) {
        Format::Json => json_text(&json!(findings)),
        Format::Yaml => yaml::text(&json!(findings)),
        _ if findings.is_empty() => {
            streams.notice("nothing to improve");
            return Ok(());
        }
        _ => findings.iter().map(|finding| neutral(&format!("{finding}\n\n")).into_owned()).collect(),
    };
    streams.print(&page)?;
    if findings.is_empty() { Ok(()) } else { Err(CliError::Findings(findings.len())) }
}
