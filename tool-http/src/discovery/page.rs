//! Which tools a list holds: those that were asked for, one page at a time.

use std::collections::BTreeSet;

use tool_core::{Registry, ToolDefinition};

use crate::query::{self, Listing, Unmet};
use crate::refusal::Refusal;

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page<'r> {
    pub(crate) tools: Vec<&'r ToolDefinition>,
    /// The value of `Link` that leads to the next page (RFC 8288).
    pub(crate) next: Option<String>,
}

impl<'r> Page<'r> {
    /// Chooses among the tools that are listed for the caller; only what the caller may call, where the list is its own.
    ///
    /// # Errors
    ///
    /// When no tool has a tag that was asked for, or the page before ended with a tool that was not found.
    pub(crate) fn of(listing: &Listing, tools: &'r Registry, own: bool) -> Result<Self, Refusal> {
        let may = |tool: &&ToolDefinition| {
            !own || tool.permission().is_none_or(|permission| permission.is_met_by(tools.principal()))
        };
        tags(listing, tools.tools().filter(may))?;
        let found: Vec<&ToolDefinition> = match &listing.text {
            Some(text) => tools.search(text).into_iter().map(|hit| hit.tool).collect(),
            None => tools.tools().collect(),
        };
        let chosen = |tool: &&ToolDefinition| may(tool) && holds(listing, tool, tools);
        let mut page: Vec<_> = after(listing, found)?.into_iter().filter(chosen).collect();
        let mut next = None;
        if let Some(limit) = listing.limit
            && page.len() > limit
        {
            page.truncate(limit);
            next = page.last().map(|last| link(listing, last.name()));
        }
        Ok(Page { tools: page, next })
    }
}

/// Whether each tag that was asked for is that of a tool: one that is misspelt would otherwise find nothing.
fn tags<'t>(listing: &Listing, tools: impl Iterator<Item = &'t ToolDefinition>) -> Result<(), Refusal> {
    if listing.tags.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<&str> = tools.flat_map(ToolDefinition::tags).collect();
    match listing.tags.iter().find(|tag| !known.contains(tag.as_str())) {
        Some(tag) => Err(query::unknown_value("tag", tag, known)),
        None => Ok(()),
    }
}

fn holds(listing: &Listing, tool: &ToolDefinition, tools: &Registry) -> bool {
    let is_met = || tools.requirements(tool.name()).is_none_or(|requirements| requirements.met);
    (listing.operations.is_empty()
        || tool.operation().is_some_and(|operation| listing.operations.contains(&operation)))
        && (listing.tags.is_empty() || tool.tags().any(|tag| listing.tags.iter().any(|asked| asked == tag)))
        && match listing.unmet {
            Unmet::Show => true,
            Unmet::Hide => is_met(),
            Unmet::Only => !is_met(),
        }
}

/// What comes after the tool that the page before ended with. In a list by name it need not exist any more.
fn after<'r>(
    listing: &Listing,
    mut found: Vec<&'r ToolDefinition>,
) -> Result<Vec<&'r ToolDefinition>, Refusal> {
    let Some(cursor) = &listing.cursor else { return Ok(found) };
    let start = if listing.text.is_none() {
        found.partition_point(|tool| tool.name() <= cursor.as_str())
    } else {
        let last = found.iter().position(|tool| tool.name() == cursor);
        last.ok_or_else(|| Refusal::Cursor(cursor.chars().take(80).collect()))? + 1
    };
    Ok(found.split_off(start))
}

/// Relative to whatever the list was asked for by, so that it holds under any prefix.
fn link(listing: &Listing, last: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(&listing.asked).append_pair("cursor", last);
    format!("<?{}>; rel=\"next\"", query.finish())
}
