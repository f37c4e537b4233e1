//! A tool as text or Markdown.

use tool_core::schema::NativeSchema;

use crate::info::{VisibleTool, facts};
use crate::style::{Paint, neutral};
use crate::table::{Table, wrap};
use crate::{markdown, schema_text};

/// Returns a page of text.
pub(super) fn text(visible: &VisibleTool<'_>, width: u16, paint: Paint) -> String {
    text_page(visible, facts::facts(visible), width, paint)
}

fn text_page(visible: &VisibleTool<'_>, facts: Vec<facts::Fact>, width: u16, paint: Paint) -> String {
    let tool = visible.tool;
    let mut page = paint.heading(&neutral(tool.name()));
    if let Some(title) = tool.title() {
        page.push_str(&format!("  {}", neutral(title)));
    }
    page.push_str("\n\n");
    for line in neutral(tool.description()).lines() {
        // Doc comments have line breaks already; only longer lines are wrapped.
        let lines =
            if line.chars().count() > width.into() { wrap(line, width) } else { vec![line.to_owned()] };
        lines.iter().for_each(|line| page.push_str(&format!("{line}\n")));
    }
    page.push('\n');
    let longest = facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, fact) in facts {
        push_fact(&mut page, (name, &neutral(&fact)), longest, width, paint);
    }
    page.push('\n');
    match inputs(visible) {
        None => page.push_str("This tool takes no inputs.\n"),
        Some(table) => page.push_str(&table.text(width, paint)),
    }
    page.push('\n');
    match outputs(visible) {
        None => page.push_str("The output is text, content or nothing.\n"),
        Some(table) => page.push_str(&table.text(width, paint)),
    }
    page
}

/// Properties to copy, which are never wrapped.
const UNWRAPPED: [&str; 3] = ["Source", "Digest", "Example"];

/// Adds a property next to its name, or below it if the page is too narrow.
fn push_fact(page: &mut String, (name, fact): (&str, &str), longest: usize, width: u16, paint: Paint) {
    let indent = u16::try_from(longest + 2).unwrap_or(u16::MAX);
    let room = width.saturating_sub(indent);
    let heading = paint.heading(&format!("{name:<longest$}"));
    if UNWRAPPED.contains(&name) || fact.chars().count() <= room.into() {
        page.push_str(&format!("{heading}  {fact}\n"));
    } else if room >= 16 {
        let indent = " ".repeat(indent.into());
        page.push_str(&format!("{heading}  {}\n", wrap(fact, room).join(&format!("\n{indent}"))));
    } else {
        page.push_str(&format!(
            "{}\n  {}\n",
            paint.heading(name),
            wrap(fact, width.saturating_sub(2)).join("\n  ")
        ));
    }
}

/// Returns a page of text with the properties that hold everywhere.
#[cfg(feature = "publish")]
pub(super) fn reference(visible: &VisibleTool<'_>, width: u16) -> String {
    text_page(visible, facts::lasting(visible), width, Paint(false))
}

/// Returns a page of Markdown.
pub(super) fn markdown(visible: &VisibleTool<'_>) -> String {
    let facts = facts::facts(visible);
    let tool = visible.tool;
    let title = tool.title().map(|title| format!(": {}", markdown::cell(title))).unwrap_or_default();
    let mut page =
        format!("# {}{title}\n\n{}\n\n", markdown::cell(tool.name()), markdown::block(tool.description()));
    let mut table = Table::new(["", ""]);
    facts.into_iter().for_each(|(name, fact)| table.push([name.to_owned(), fact]));
    page.push_str(&table.markdown());
    page.push_str("\n## Inputs\n\n");
    page.push_str(
        &inputs(visible).map_or("This tool takes no inputs.\n".to_owned(), |table| table.markdown()),
    );
    page.push_str("\n## Output\n\n");
    let none = "The output is text, content or nothing.\n";
    page.push_str(&outputs(visible).map_or(none.to_owned(), |table| table.markdown()));
    page
}

/// Returns the table of a part of the inputs or the output.
pub(super) fn part(path: &str, part: &NativeSchema) -> Table {
    let mut table = Table::new(["PART", "TYPE", "REQUIRED", "DESCRIPTION"]);
    schema_text::part(path, part).into_iter().for_each(|row| table.push(row));
    table
}

fn inputs(visible: &VisibleTool<'_>) -> Option<Table> {
    let inputs = visible.tool.inputs();
    let mut table = Table::new(["INPUT", "TYPE", "REQUIRED", "DESCRIPTION"]);
    schema_text::inputs(inputs).into_iter().for_each(|row| table.push(row));
    (!inputs.is_empty()).then_some(table)
}

fn outputs(visible: &VisibleTool<'_>) -> Option<Table> {
    let mut table = Table::new(["OUTPUT", "TYPE", "DESCRIPTION"]);
    for [path, kind, _, details] in schema_text::output(visible.tool.outputs()?) {
        table.push([path, kind, details]);
    }
    Some(table)
}
