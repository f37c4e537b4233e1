//! Edits a configuration file in TOML, keeping its comments and its order.

use serde_json::{Map, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value, value};

use crate::install::entry::{Edit, EditError, Entry, split_mark};

/// Adds the entry to the table `section`, or replaces the one of its name.
pub(super) fn edit(text: &str, section: &str, entry: &Entry, replace: bool) -> Result<Edit, EditError> {
    let (mark, text) = split_mark(text);
    let mut document = parse(text)?;
    let servers = document.entry(section).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = servers.is_value();
    let not_table = |key: &str| EditError::NotObject { wanted: "table", key: key.to_owned() };
    let servers = servers.as_table_like_mut().ok_or_else(|| not_table(section))?;
    let is_new = match servers.get_mut(&entry.name) {
        None => {
            servers.insert(&entry.name, item(entry, is_inline));
            true
        }
        Some(existing) => {
            let Some(table) = existing.as_table_like_mut() else {
                return Err(not_table(&format!("{section}.{}", entry.name)));
            };
            if is_started_by(entry, table) {
                return Ok(Edit::Unchanged);
            }
            if !replace {
                return Err(EditError::Differs { name: entry.name.clone() });
            }
            change(table, entry);
            false
        }
    };
    let text = format!("{mark}{}", with_line_ends_of(text, document.to_string()));
    let edited = parse(split_mark(&text).1).map_err(|_| EditError::Unsupported)?;
    let found = edited.get(section).and_then(|servers| servers.get(&entry.name));
    if !found.and_then(Item::as_table_like).is_some_and(|table| is_started_by(entry, table)) {
        return Err(EditError::Unsupported);
    }
    Ok(if is_new { Edit::Added(text) } else { Edit::Replaced(text) })
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: TomlError| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        EditError::Invalid {
            language: "TOML",
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            reason: error.message().lines().collect::<Vec<_>>().join(", "),
        }
    })
}

fn members(entry: &Entry) -> [(&'static str, Value); 2] {
    let args = entry.args.iter().map(|arg| text(arg)).collect::<Array>();
    [("command", text(&entry.command)), ("args", Value::Array(args))]
}

/// Returns a string on one line, which the line ends of a file do not change.
fn text(text: &str) -> Value {
    let escaped = text.contains('\n').then(|| json!(text).to_string().parse().ok());
    escaped.flatten().unwrap_or_else(|| text.into())
}

fn item(entry: &Entry, is_inline: bool) -> Item {
    if is_inline {
        return value(members(entry).into_iter().collect::<InlineTable>());
    }
    let mut table = Table::new();
    for (name, member) in members(entry) {
        table.insert(name, value(member));
    }
    Item::Table(table)
}

/// Starts the program of the entry. Of a server that is a program, the rest is kept, such as variables of the environment.
fn change(table: &mut dyn TableLike, entry: &Entry) {
    if table.contains_key("url") || !table.contains_key("command") {
        table.clear();
    }
    for (name, member) in members(entry) {
        match table.get_mut(name).and_then(Item::as_value_mut) {
            Some(existing) => {
                let decor = existing.decor().clone();
                *existing = member;
                *existing.decor_mut() = decor;
            }
            None => drop(table.insert(name, value(member))),
        }
    }
}

fn is_started_by(entry: &Entry, table: &dyn TableLike) -> bool {
    if table.contains_key("url") {
        return false;
    }
    let strings = |item: &Item| {
        let texts = item.as_array().map(|array| array.iter().map(Value::as_str).collect::<Vec<_>>());
        json!(texts)
    };
    let command = table.get("command").map(|command| ("command".to_owned(), json!(command.as_str())));
    let args = table.get("args").map(|args| ("args".to_owned(), strings(args)));
    entry.is_started_by(&command.into_iter().chain(args).collect::<Map<_, _>>().into())
}

/// Ends the lines as in the original. A document is printed with line feeds, except within values.
fn with_line_ends_of(original: &str, text: String) -> String {
    let ends = original.matches('\n').count();
    if ends > 0 && original.matches("\r\n").count() == ends {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(args: &[&str]) -> Entry {
        Entry { has_type: false, ..Entry::demo(args) }
    }

    #[test]
    fn keeps_every_layout_of_tables() {
        for text in [
            "",
            "# a\n",
            "a = 1 # b\r\n\r\n[c]\r\nd = '''\r\ne\r\n'''\r\n",
            "[mcp_servers]\n# a\n",
            "[mcp_servers.a]\ncommand = \"x\"\n\n[[b]]\nc = 1\n\n[[b]]\nc = 2 # d\n",
            "[\"mcp_servers\".'a']\ncommand = \"x\"",
            "mcp_servers = { a = { command = \"x\" } } # b\n",
            "mcp_servers.a.command = \"x\" # b\n[c]\n",
            "[mcp_servers]\na = { command = \"x\" } # b\n[c]\n",
            "\u{feff}a = 1\n",
        ] {
            let Ok(Edit::Added(edited)) = edit(text, "mcp_servers", &entry(&["a\nb"]), false) else {
                panic!("{text}");
            };
            let parts = text.split_whitespace().filter(|part| *part != "}");
            let mut rest = edited.as_str();
            for part in parts {
                rest = rest.split_once(part).unwrap_or_else(|| panic!("`{part}` is gone from\n{edited}")).1;
            }
            let ends = [edited.matches('\n').count(), edited.matches("\r\n").count()];
            assert_eq!(ends[0] == ends[1], text.contains("\r\n"), "{edited:?}");
            assert_eq!(
                edit(&edited, "mcp_servers", &entry(&["a\nb"]), false),
                Ok(Edit::Unchanged),
                "{edited}"
            );
            let Ok(Edit::Replaced(replaced)) = edit(&edited, "mcp_servers", &entry(&[]), true) else {
                panic!("{edited}");
            };
            assert_eq!(replaced.matches('#').count(), text.matches('#').count(), "{replaced}");
        }
    }
}
