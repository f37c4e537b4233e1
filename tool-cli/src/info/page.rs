//! A tool for people: a page of text or of Markdown.

use tool_core::schema::NativeSchema;

use crate::info::{VisibleTool, facts};
use crate::page::{Paint, neutral};
use crate::table::{Table, wrapped};
use crate::{markdown, outline};

/// A page of text.
pub(super) fn text(told: &VisibleTool<'_>, width: u16, paint: Paint) -> String {
    let tool = told.tool;
    let mut page = paint.heading(&neutral(tool.name()));
    if let Some(title) = tool.title() {
        page.push_str(&format!("  {}", neutral(title)));
    }
    page.push_str("\n\n");
    for line in neutral(tool.description()).lines() {
        // A doc comment is broken into lines already; what is longer than the page is broken again.
        let lines =
            if line.chars().count() > width.into() { wrapped(line, width) } else { vec![line.to_owned()] };
        lines.iter().for_each(|line| page.push_str(&format!("{line}\n")));
    }
    page.push('\n');
    let facts = facts::facts(told);
    let longest = facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, fact) in facts {
        push_fact(&mut page, (name, &neutral(&fact)), longest, width, paint);
    }
    page.push('\n');
    match inputs(told) {
        None => page.push_str("It takes no inputs.\n"),
        Some(table) => page.push_str(&table.text(width, paint)),
    }
    page.push('\n');
    match outputs(told) {
        None => page.push_str("Its output is a text, content or nothing.\n"),
        Some(table) => page.push_str(&table.text(width, paint)),
    }
    page
}

/// What is there to be copied stays on its line, however narrow the page is.
const COPIED: [&str; 3] = ["Source", "Digest", "Example"];

/// A fact behind its name, or below it where there is no room for both.
fn push_fact(page: &mut String, (name, fact): (&str, &str), longest: usize, width: u16, paint: Paint) {
    let indent = u16::try_from(longest + 2).unwrap_or(u16::MAX);
    let room = width.saturating_sub(indent);
    let heading = paint.heading(&format!("{name:<longest$}"));
    if COPIED.contains(&name) || fact.chars().count() <= room.into() {
        page.push_str(&format!("{heading}  {fact}\n"));
    } else if room >= 16 {
        let indent = " ".repeat(indent.into());
        page.push_str(&format!("{heading}  {}\n", wrapped(fact, room).join(&format!("\n{indent}"))));
    } else {
        page.push_str(&format!(
            "{}\n  {}\n",
            paint.heading(name),
            wrapped(fact, width.saturating_sub(2)).join("\n  ")
        ));
    }
}

/// A page of Markdown.
pub(super) fn markdown(told: &VisibleTool<'_>) -> String {
    let tool = told.tool;
    let title = tool.title().map(|title| format!(": {}", markdown::cell(title))).unwrap_or_default();
    let mut page =
        format!("# {}{title}\n\n{}\n\n", markdown::cell(tool.name()), markdown::block(tool.description()));
    let mut table = Table::new(["", ""]);
    facts::facts(told).into_iter().for_each(|(name, fact)| table.push([name.to_owned(), fact]));
    page.push_str(&table.markdown());
    page.push_str("\n## Inputs\n\n");
    page.push_str(&inputs(told).map_or("It takes no inputs.\n".to_owned(), |table| table.markdown()));
    page.push_str("\n## Output\n\n");
    let none = "Its output is a text, content or nothing.\n";
    page.push_str(&outputs(told).map_or(none.to_owned(), |table| table.markdown()));
    page
}

/// A part of the inputs or of the output.
pub(super) fn part(path: &str, part: &NativeSchema) -> Table {
    let mut table = Table::new(["PART", "TYPE", "REQUIRED", "DESCRIPTION"]);
    outline::part(path, part).into_iter().for_each(|row| table.push(row));
    table
}

fn inputs(told: &VisibleTool<'_>) -> Option<Table> {
    let inputs = told.tool.inputs();
    let mut table = Table::new(["INPUT", "TYPE", "REQUIRED", "DESCRIPTION"]);
    outline::inputs(inputs).into_iter().for_each(|row| table.push(row));
    (!inputs.is_empty()).then_some(table)
}

fn outputs(told: &VisibleTool<'_>) -> Option<Table> {
    let mut table = Table::new(["OUTPUT", "TYPE", "DESCRIPTION"]);
    for [path, kind, _, details] in outline::output(told.tool.outputs()?) {
        table.push([path, kind, details]);
    }
    Some(table)
}
