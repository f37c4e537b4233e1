//! Tables as text of limited width, or as Markdown.

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Width};

use crate::markdown;
use crate::style::{Paint, neutral};

/// The minimum width of a page with columns.
const MIN_WIDTH: u16 = 40;

/// The minimum width of a column.
const MIN_COLUMN_WIDTH: u16 = 8;

/// Rows of cells under a header.
#[derive(Debug)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Table { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Returns the table as text. The last column takes the remaining width. On a narrow page, cells are below each other.
    pub(crate) fn text(&self, width: u16, paint: Paint) -> String {
        let columns = u16::try_from(self.header.len()).unwrap_or(u16::MAX).max(1);
        if width < MIN_WIDTH || width / columns < MIN_COLUMN_WIDTH {
            return self.stacked(width, paint);
        }
        let mut table = comfy_table::Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width)
            .set_header(self.header.iter().map(|name| plain(name)));
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| plain(cell)));
        }
        let widths = table.column_max_content_widths();
        let last = self.header.len().saturating_sub(1);
        // A wrapped name cannot be copied, so a column is only wrapped if it takes more than its share.
        let mut left = width.saturating_sub(2 * MIN_COLUMN_WIDTH);
        for (position, (column, content)) in table.column_iter_mut().zip(&widths).enumerate().take(last) {
            column.set_padding((0, 2));
            let share = if position == 0 { width / 2 } else { left };
            let column_width =
                (content + 2).min(share).max(MIN_COLUMN_WIDTH.min(content + 2)).min(left.max(4));
            column.set_constraint(if column_width == content + 2 {
                ColumnConstraint::ContentWidth
            } else {
                ColumnConstraint::UpperBoundary(Width::Fixed(column_width))
            });
            left = left.saturating_sub(column_width);
        }
        if let Some(last) = table.column_mut(last) {
            last.set_padding((0, 0));
        }
        let mut page = String::new();
        for (position, line) in table.lines().enumerate() {
            let line = line.trim_end();
            page.push_str(&if position == 0 { paint.heading(line) } else { line.to_owned() });
            page.push('\n');
        }
        page
    }

    fn stacked(&self, width: u16, paint: Paint) -> String {
        let mut page = String::new();
        for row in &self.rows {
            for (position, (name, cell)) in self.header.iter().zip(row).enumerate() {
                if position == 0 {
                    for line in wrap(cell, width) {
                        page.push_str(&paint.heading(&line));
                        page.push('\n');
                    }
                } else if !cell.is_empty() {
                    for line in wrap(&format!("{}: {cell}", name.to_lowercase()), width.saturating_sub(2)) {
                        page.push_str(&format!("  {line}\n"));
                    }
                }
            }
        }
        page
    }

    /// Returns the table as Markdown, with escaped cells.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|cell| markdown::cell(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", " --- |".repeat(self.header.len()));
        line(&self.header) + &rule + &self.rows.iter().map(|row| line(row)).collect::<String>()
    }
}

/// Wraps a text at this width.
pub(crate) fn wrap(text: &str, width: u16) -> Vec<String> {
    let mut table = comfy_table::Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width.max(1))
        .add_row([plain(text)]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((0, 0));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn plain(cell: &str) -> String {
    neutral(cell).replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["NAME", "DESCRIPTION"]);
        table.push(["a_rather_long_name".to_owned(), "one two three four five six".to_owned()]);
        table
    }

    #[test]
    fn wraps_descriptions_but_not_names() {
        assert_eq!(
            table().text(40, Paint(false)),
            "NAME                DESCRIPTION\n\
             a_rather_long_name  one two three four\n\
             \u{20}                   five six\n"
        );
    }

    #[test]
    fn stacks_rows_on_a_narrow_page() {
        assert_eq!(
            table().text(20, Paint(false)),
            "a_rather_long_name\n  description: one\n  two three four\n  five six\n"
        );
    }

    #[test]
    fn keeps_lines_within_the_width() {
        let mut table = Table::new(["A", "B", "C", "D"]);
        table.push(["a".repeat(70), "b ".repeat(40), "c".repeat(30), "d ".repeat(50)]);
        for width in [20, 32, 40, 60, 100, 400] {
            let page = table.text(width, Paint(false));
            assert!(page.lines().all(|line| line.chars().count() <= width.into()), "{width}\n{page}");
        }
    }
}
