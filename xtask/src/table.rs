//! The table of clients in `tests/clients/README.md`.

use std::fmt::Write as _;
use std::fs;

use crate::failure::Failure;
use crate::workspace;

/// The file with the table, relative to the root of the workspace.
const FILE: &str = "tests/clients/README.md";
const BEGIN: &str = "<!-- written by `cargo xtask test clients` -->\n";
const END: &str = "<!-- to here -->\n";

/// The scenarios.
pub(crate) const COLUMNS: [&str; 14] = [
    "list",
    "call",
    "invalid",
    "failing",
    "panic",
    "resources",
    "templates",
    "prompts",
    "completion",
    "progress",
    "cancellation",
    "changes",
    "stdout",
    "tasks",
];

/// A defect or missing feature of a client, as a footnote of its cells.
struct Remark {
    /// The prefix of its rows.
    client: &'static str,
    columns: &'static [&'static str],
    text: &'static str,
}

/// The columns of a client that does nothing but tasks.
const OTHER_THAN_TASKS: &[&str] = COLUMNS.split_last().unwrap().1;

const REMARKS: [Remark; 10] = [
    Remark {
        client: "inspector",
        columns: &["completion", "progress", "cancellation", "changes", "tasks"],
        text: "The command line has no way to ask for it.",
    },
    Remark {
        client: "mcp 1.",
        columns: &["cancellation"],
        text: "The client tells the server nothing when a call is canceled or out of time \
               (<https://github.com/modelcontextprotocol/python-sdk/issues/2507>): the notification is sent by hand.",
    },
    Remark {
        client: "fastmcp 2.",
        columns: &["cancellation"],
        text: "It calls through `mcp` 1.30.0 and has its defect \
               (<https://github.com/modelcontextprotocol/python-sdk/issues/2507>): `Client.cancel` is called by hand.",
    },
    Remark {
        client: "typescript-sdk 1.",
        columns: &["progress"],
        text: "The client loses reports that arrive together with the answer \
               (<https://github.com/modelcontextprotocol/typescript-sdk/issues/2580>): the tool answers when the last \
               one was heard.",
    },
    Remark {
        client: "ext-tasks",
        columns: OTHER_THAN_TASKS,
        text: "It is a client of tasks alone, beside version 2 of the TypeScript SDK.",
    },
    Remark { client: "mcp 2.", columns: &["tasks"], text: NO_TASKS },
    Remark { client: "mcp 1.", columns: &["tasks"], text: OLDER_THAN_TASKS },
    Remark { client: "typescript-sdk 1.", columns: &["tasks"], text: OLDER_THAN_TASKS },
    Remark { client: "fastmcp 2.", columns: &["tasks"], text: OLDER_THAN_TASKS },
    Remark { client: "fastmcp 4.1.4, legacy", columns: &["tasks"], text: OLDER_THAN_TASKS },
];

const NO_TASKS: &str = "The SDK has no client of tasks.";
const OLDER_THAN_TASKS: &str = "Tasks are an extension of 2026-07-28.";

/// A table with a row for each client, protocol and transport, and a column for each scenario.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<(String, [Option<bool>; COLUMNS.len()])>,
}

impl Table {
    /// Parses a line like `mcp 2.3.0, auto over stdio: list ... ok`, and notes its cell. `None` for other lines.
    pub(crate) fn note_line(&mut self, line: &str) -> Option<bool> {
        let (cell, passed) = match (line.strip_suffix(" ... ok"), line.strip_suffix(" ... FAILED")) {
            (Some(cell), _) => (cell, true),
            (None, Some(cell)) => (cell, false),
            (None, None) => return None,
        };
        let noted = cell.rsplit_once(": ").is_some_and(|(row, column)| self.note(row, column, passed));
        // A cell outside of the table is a failure.
        Some(passed && noted)
    }

    /// Notes a result; returns `false` if the table has no such column.
    pub(crate) fn note(&mut self, row: &str, column: &str, passed: bool) -> bool {
        let Some(column) = COLUMNS.iter().position(|name| *name == column) else { return false };
        let row = match self.rows.iter().position(|(name, _)| name == row) {
            Some(row) => row,
            None => {
                self.rows.push((row.to_owned(), [None; COLUMNS.len()]));
                self.rows.len() - 1
            }
        };
        // A cell with several results holds if all of them do.
        let cell = &mut self.rows[row].1[column];
        *cell = Some(passed && cell.unwrap_or(true));
        true
    }

    /// Returns the empty cells that no remark explains.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let cells = self.rows.iter().flat_map(|(row, cells)| {
            COLUMNS.iter().zip(cells).map(move |(column, cell)| (row, *column, cell))
        });
        let gaps = cells.filter(|(row, column, cell)| cell.is_none() && remark(row, column).is_none());
        gaps.map(|(row, column, _)| format!("{row}: {column}")).collect()
    }

    /// Writes the table into its file. On CI, an outdated file is an error instead.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let path = workspace::root().join(FILE);
        let file = |source| Failure::File { path: FILE.to_owned(), source };
        let old = fs::read_to_string(&path).map_err(file)?;
        let new = with_table(&old, &self.to_string()).ok_or(Failure::Outdated(FILE))?;
        if new == old {
            return Ok(());
        }
        if workspace::on_ci() {
            return Err(Failure::Outdated(FILE));
        }
        println!("{FILE}: written anew");
        fs::write(&path, new).map_err(file)
    }
}

/// Formats the table as Markdown.
impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "| client | {} |\n|---|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()))?;
        let mut footnotes: Vec<&str> = Vec::new();
        for (row, cells) in &self.rows {
            let mut line = format!("| {row} |");
            for (column, cell) in COLUMNS.iter().zip(cells) {
                let word = match cell {
                    Some(true) => "ok",
                    Some(false) => "FAILED",
                    None => "–",
                };
                let _ = write!(line, " {word}");
                if let Some(text) = remark(row, column) {
                    let number = footnotes.iter().position(|name| *name == text).unwrap_or_else(|| {
                        footnotes.push(text);
                        footnotes.len() - 1
                    });
                    let _ = write!(line, " [{}]", number + 1);
                }
                line.push_str(" |");
            }
            writeln!(f, "{line}")?;
        }
        for (n, text) in footnotes.iter().enumerate() {
            writeln!(f, "{}{}. {text}", if n == 0 { "\n" } else { "" }, n + 1)?;
        }
        Ok(())
    }
}

fn remark(row: &str, column: &str) -> Option<&'static str> {
    let mut remarks = REMARKS.iter().filter(|remark| row.starts_with(remark.client));
    remarks.find(|remark| remark.columns.contains(&column)).map(|remark| remark.text)
}

/// Replaces the table between the two marks of a file; `None` without marks.
fn with_table(file: &str, table: &str) -> Option<String> {
    let (before, rest) = file.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_cells_from_lines() {
        let mut table = Table::default();
        for column in COLUMNS.iter().filter(|column| !["cancellation", "tasks"].contains(column)) {
            assert_eq!(
                table.note_line(&format!("mcp 1.30.0, legacy over stdio: {column} ... ok")),
                Some(true)
            );
        }
        assert_eq!(table.gaps(), [""; 0], "a remark says why it was not tried");
        assert_eq!(table.note_line("mcp 1.30.0, legacy over stdio: list ... FAILED"), Some(false));
        assert_eq!(
            table.note_line("mcp 1.30.0, legacy over stdio: nothing ... ok"),
            Some(false),
            "no column"
        );
        assert_eq!(table.note_line("Traceback"), None);
        assert!(table.note("b, modern over http", "call", true));
        assert_eq!(table.gaps().len(), COLUMNS.len() - 1);
        let text = table.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].starts_with("| mcp 1.30.0, legacy over stdio | FAILED | ok | ok |"), "{text}");
        assert!(lines[2].contains(" | – [1] | "), "{text}");
        assert!(lines[3].starts_with("| b, modern over http | – | ok | – |"), "{text}");
        assert!(lines[5].starts_with("1. The client tells the server nothing"), "{text}");
    }

    #[test]
    fn replaces_only_the_marked_section() {
        let file = format!("before\n{BEGIN}old\n{END}after\n");
        let new = with_table(&file, "| new |\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\n| new |\n\n{END}after\n"));
        assert_eq!(with_table(&new, "| new |\n").unwrap(), new);
        assert_eq!(with_table("no marks", ""), None);
    }

    #[test]
    fn covers_every_column_in_the_scripts() {
        let python = include_str!("../../tests/clients/scenarios.py");
        let typescript = include_str!("../../tests/clients/typescript/client.mjs");
        let tasks = include_str!("../../tests/clients/typescript/tasks.mjs");
        for column in COLUMNS {
            assert!(python.contains(&format!("    (\"{column}\", ")), "{column}");
            let is_of_tasks = tasks.contains(&format!("async function {column}("));
            assert!(typescript.contains(&format!("  async {column}(")) || is_of_tasks, "{column}");
        }
    }
}
