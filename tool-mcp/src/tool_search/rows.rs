//! Pages of rows, small enough to be read at a glance.

use serde_json::{Map, Value, json};
use tool_core::{Failure, FailureKind, ToolDefinition};

use crate::catalog::view::CatalogView;

/// What was found, in the order in which it is shown.
pub(super) struct Rows<'r> {
    pub(super) found: &'r [&'r ToolDefinition],
    pub(super) detailed: bool,
    pub(super) view: &'r CatalogView,
}

/// How large the rows of a page may be: as they are, and once more as the text that mirrors them, in which every quote is
/// escaped. With what stands around them an answer is under 4 KB.
const PAGE_BYTES: usize = 3_000;

/// How long a description may be in a row.
const MOST_CHARACTERS: usize = 160;

impl Rows<'_> {
    /// One page, counted from 1.
    pub(super) fn page(&self, number: usize) -> Result<Value, Failure> {
        let (mut pages, mut rows, mut size) = (1, Vec::new(), 0);
        let mut next = None;
        for tool in self.found {
            let row = self.row(tool);
            let bytes = bytes(&row);
            if size + bytes > PAGE_BYTES && size > 0 {
                pages += 1;
                size = 0;
                if pages > number {
                    next = Some(pages);
                    break;
                }
            }
            size += bytes;
            if pages == number {
                rows.push(row);
            }
        }
        if pages < number || number == 0 {
            let last =
                if pages == 1 { "there is one page".to_owned() } else { format!("the last page is {pages}") };
            let message = format!("there is no page {number}: {last}");
            return Err(Failure::new(FailureKind::Input, message));
        }
        let mut page = Map::from_iter([("tools".to_owned(), rows.into())]);
        page.insert("total".to_owned(), self.found.len().into());
        if let Some(next) = next {
            page.insert("nextPage".to_owned(), next.into());
        }
        Ok(page.into())
    }

    fn row(&self, tool: &ToolDefinition) -> Value {
        let mut row = json!({
            "server": self.view.server(tool),
            "tool": self.view.name_on_server(tool),
            "description": shortened(self.view.description(tool)),
        });
        if self.detailed {
            row["inputSchema"] = tool.detached().input_schema().clone();
            if bytes(&row) > PAGE_BYTES {
                row["inputSchema"] = "too large for a page: ask `list_tool_details`".into();
            }
        }
        row
    }
}

/// What a row takes, twice.
fn bytes(row: &Value) -> usize {
    let json = row.to_string();
    let escapes = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    2 * json.len() + escapes + 2
}

/// The first paragraph of a description, as far as there is room for it.
fn shortened(description: &str) -> String {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
