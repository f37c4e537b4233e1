//! Filtering and paging of lists.

use std::collections::BTreeSet;

use tool_core::{Registry, ToolDefinition};

use crate::error::ApiError;
use crate::query::{self, ListQuery, UnmetFilter};

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page<'r> {
    pub(crate) tools: Vec<&'r ToolDefinition>,
    /// The value of `Link` for the next page (RFC 8288).
    pub(crate) next: Option<String>,
}

impl<'r> Page<'r> {
    /// Selects among the tools that are listed for the caller; with `own`, only those that the caller may call.
    ///
    /// # Errors
    ///
    /// Returns an error if no tool has a requested tag, or the tool of the cursor was not found.
    pub(crate) fn of(list_query: &ListQuery, tools: &'r Registry, own: bool) -> Result<Self, ApiError> {
        let is_visible = |tool: &&ToolDefinition| {
            !own || tool.permission().is_none_or(|permission| permission.is_met_by(tools.principal()))
        };
        tags(list_query, tools.tools().filter(is_visible))?;
        let found: Vec<&ToolDefinition> = match &list_query.text {
            Some(text) => tools.search(text).into_iter().map(|hit| hit.tool).collect(),
            None => tools.tools().collect(),
        };
        let is_selected = |tool: &&ToolDefinition| is_visible(tool) && matches(list_query, tool, tools);
        let mut page: Vec<_> = after(list_query, found)?.into_iter().filter(is_selected).collect();
        let mut next = None;
        if let Some(limit) = list_query.limit
            && page.len() > limit
        {
            page.truncate(limit);
            next = page.last().map(|last| link(list_query, last.name()));
        }
        Ok(Page { tools: page, next })
    }
}

/// Checks that each requested tag exists: a misspelled one would find nothing.
fn tags<'t>(list_query: &ListQuery, tools: impl Iterator<Item = &'t ToolDefinition>) -> Result<(), ApiError> {
    if list_query.tags.is_empty() {
        return Ok(());
    }
    let tags: BTreeSet<&str> = tools.flat_map(ToolDefinition::tags).collect();
    match list_query.tags.iter().find(|tag| !tags.contains(tag.as_str())) {
        Some(tag) => Err(query::unknown_value("tag", tag, tags)),
        None => Ok(()),
    }
}

fn matches(list_query: &ListQuery, tool: &ToolDefinition, tools: &Registry) -> bool {
    let is_met = || tools.requirements(tool.name()).is_none_or(|requirements| requirements.met);
    (list_query.operations.is_empty()
        || tool.operation().is_some_and(|operation| list_query.operations.contains(&operation)))
        && (list_query.tags.is_empty()
            || tool.tags().any(|tag| list_query.tags.iter().any(|wanted| wanted == tag)))
        && match list_query.unmet {
            UnmetFilter::Show => true,
            UnmetFilter::Hide => is_met(),
            UnmetFilter::Only => !is_met(),
        }
}

/// Returns the tools after the cursor. In a list by name, the tool of the cursor may no longer exist.
fn after<'r>(
    list_query: &ListQuery,
    mut found: Vec<&'r ToolDefinition>,
) -> Result<Vec<&'r ToolDefinition>, ApiError> {
    let Some(cursor) = &list_query.cursor else { return Ok(found) };
    let start = if list_query.text.is_none() {
        found.partition_point(|tool| tool.name() <= cursor.as_str())
    } else {
        let last = found.iter().position(|tool| tool.name() == cursor);
        last.ok_or_else(|| ApiError::UnknownCursor(cursor.chars().take(80).collect()))? + 1
    };
    Ok(found.split_off(start))
}

/// Returns a relative link, which is valid under any prefix.
fn link(list_query: &ListQuery, last: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(&list_query.pairs).append_pair("cursor", last);
    format!("<?{}>; rel=\"next\"", query.finish())
}
