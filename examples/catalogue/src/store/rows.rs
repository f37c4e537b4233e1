//! Conversion between rows and descriptions.

use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::{Connection, Params, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::model::{Provider, Tool};
use crate::store::StoreError;

/// A row with its code, and its description or the reason why it is invalid.
#[derive(Clone, Debug)]
pub enum Row {
    /// A service.
    Provider(String, Result<Provider, String>),
    /// A tool.
    Tool(String, Result<Tool, String>),
}

/// The key of a row, and the row as a JSON object, or the reason why it is invalid.
type Selected = (String, Result<Value, String>);

/// A table. Columns are named like the members that they hold, unless they have an alias.
struct Table {
    name: &'static str,
    columns: &'static [Column],
}

/// The column, the member, and the format of the column.
type Column = (&'static str, &'static str, Kept);

#[derive(Clone, Copy, PartialEq)]
enum Kept {
    AsItIs,
    YesOrNo,
    Json,
    /// A word is stored unchanged, everything else as JSON.
    WordOrJson,
}

use Kept::{AsItIs, Json, WordOrJson, YesOrNo};

const PROVIDER: Table = Table {
    name: "provider",
    columns: &[
        ("code", "code", AsItIs),
        ("title", "title", AsItIs),
        ("base_url", "base_url", AsItIs),
        ("auth", "auth", AsItIs),
        ("auth_name", "auth_name", AsItIs),
        ("secret_variable", "secret_variable", AsItIs),
        ("health_path", "health_path", AsItIs),
        ("timeout_ms", "timeout_ms", AsItIs),
        ("max_bytes", "max_bytes", AsItIs),
        ("enabled", "enabled", YesOrNo),
    ],
};

const TOOL: Table = Table {
    name: "tool",
    columns: &[
        ("code", "code", AsItIs),
        ("provider", "provider", AsItIs),
        ("title", "title", AsItIs),
        ("description", "description", AsItIs),
        ("operation", "operation", AsItIs),
        ("destructive", "destructive", YesOrNo),
        ("method", "method", AsItIs),
        ("path", "path", AsItIs),
        ("tags", "tags", Json),
        ("output_schema", "output_schema", Json),
        ("examples", "examples", Json),
        ("enabled", "enabled", YesOrNo),
    ],
};

const PARAMETER: Table = Table {
    name: "parameter",
    columns: &[
        ("name", "name", AsItIs),
        ("place", "place", AsItIs),
        ("type", "type", AsItIs),
        ("items", "items", WordOrJson),
        ("value_schema", "schema", Json),
        ("description", "description", AsItIs),
        ("default_value", "default", Json),
        ("required", "required", YesOrNo),
        ("allowed", "enum", Json),
        ("secret", "secret", YesOrNo),
        ("sent_as", "sent_as", AsItIs),
        ("lists", "lists", AsItIs),
    ],
};

impl Table {
    /// Selects the rows, each with the column `key`.
    fn select(
        &self,
        connection: &Connection,
        key: &str,
        rest: &str,
        parameters: impl Params,
    ) -> Result<Vec<Selected>, StoreError> {
        let columns: Vec<&str> = self.columns.iter().map(|(column, ..)| *column).collect();
        let sql = format!("SELECT {key}, {} FROM {} {rest}", columns.join(", "), self.name);
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query(parameters)?;
        let mut selected = Vec::new();
        while let Some(row) = rows.next()? {
            let key = row.get_ref(0)?.as_str().unwrap_or_default().to_owned();
            let mut members = Map::new();
            let mut fault = None;
            for (place, (column, member, kept)) in self.columns.iter().enumerate() {
                match json(row.get_ref(place + 1)?, *kept) {
                    Ok(None) => {}
                    Ok(Some(value)) => {
                        members.insert((*member).to_owned(), value);
                    }
                    Err(reason) => fault = fault.or(Some(format!("its `{column}` {reason}"))),
                }
            }
            selected.push((key, fault.map_or(Ok(Value::Object(members)), Err)));
        }
        Ok(selected)
    }

    /// Inserts or replaces a row.
    fn put(
        &self,
        connection: &Connection,
        before: &[(&str, Sql)],
        row: &impl Serialize,
        key: &str,
    ) -> Result<(), StoreError> {
        let row = serde_json::to_value(row).unwrap_or_default();
        let names =
            before.iter().map(|(column, _)| *column).chain(self.columns.iter().map(|(column, ..)| *column));
        let names: Vec<&str> = names.collect();
        let values = self.columns.iter().map(|(_, member, kept)| sql(row.get(*member), *kept));
        let values: Vec<Sql> = before.iter().map(|(_, value)| value.clone()).chain(values).collect();
        let places = vec!["?"; names.len()].join(", ");
        let updates: Vec<String> = names.iter().map(|name| format!("{name} = excluded.{name}")).collect();
        let statement = format!(
            "INSERT INTO {} ({}) VALUES ({places}) ON CONFLICT ({key}) DO UPDATE SET {}",
            self.name,
            names.join(", "),
            updates.join(", "),
        );
        connection.execute(&statement, params_from_iter(values.into_iter().map(ToSqlOutput::Owned)))?;
        Ok(())
    }
}

/// Converts a column into JSON; `NULL` is `None`.
fn json(value: ValueRef<'_>, kept: Kept) -> Result<Option<Value>, String> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|_| "is no UTF-8".to_owned());
    let parsed = |text: &str| {
        let value = serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
        let rounded = |number| format!("has the number {number}, which would be rounded: write it as a text");
        integer_that_is_rounded(text).map_or(Ok(value), |number| Err(rounded(number)))
    };
    Ok(Some(match (value, kept) {
        (ValueRef::Null, _) => return Ok(None),
        (ValueRef::Integer(number), YesOrNo) => Value::Bool(number != 0),
        (ValueRef::Integer(number), _) => number.into(),
        (ValueRef::Real(number), _) => number.into(),
        (ValueRef::Text(bytes), Json) => parsed(text(bytes)?)?,
        (ValueRef::Text(bytes), WordOrJson) if bytes.starts_with(b"{") => parsed(text(bytes)?)?,
        (ValueRef::Text(bytes), _) => text(bytes)?.into(),
        (ValueRef::Blob(_), _) => return Err("is binary".to_owned()),
    }))
}

/// Returns the first integer in valid JSON with more digits than a [`Value`] keeps.
fn integer_that_is_rounded(json: &str) -> Option<&str> {
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[start..];
        if let Some(text) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = text.find(|c| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            rest = &text[end? + 1..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len());
        let number = &rest[..end];
        let is_kept = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
        if !is_kept && !number.contains(['.', 'e', 'E']) {
            return Some(number);
        }
        rest = &rest[end..];
    }
    None
}

/// Converts a member into a column.
fn sql(value: Option<&Value>, kept: Kept) -> Sql {
    match (value, kept) {
        // Only JSON columns hold lists, which are omitted when empty.
        (None, Json) | (None | Some(Value::Null), AsItIs | YesOrNo | WordOrJson) => Sql::Null,
        (Some(value), Json) => Sql::Text(value.to_string()),
        (Some(Value::Bool(yes)), _) => Sql::Integer((*yes).into()),
        (Some(Value::Number(number)), _) => Sql::Integer(number.as_i64().unwrap_or(i64::MAX)),
        (Some(Value::String(text)), _) => Sql::Text(text.clone()),
        (Some(other), _) => Sql::Text(other.to_string()),
    }
}

/// Deserializes the description in a row.
fn read<T: DeserializeOwned>(row: Result<Value, String>) -> Result<T, String> {
    serde_json::from_value(row?).map_err(|error| error.to_string())
}

pub(super) fn all(connection: &Connection) -> Result<Vec<Row>, StoreError> {
    // One transaction, so that both queries see the same state.
    let transaction = connection.unchecked_transaction();
    let providers = PROVIDER.select(connection, "code", "ORDER BY code", [])?;
    let providers = providers.into_iter().map(|(code, row)| Row::Provider(code, read(row)));
    let tools = TOOL.select(connection, "code", "ORDER BY code", [])?;
    let mut parameters =
        PARAMETER.select(connection, "tool", "ORDER BY tool, position", [])?.into_iter().peekable();
    let mut rows: Vec<Row> = providers.collect();
    for (code, tool) in tools {
        let mut own = Vec::new();
        while let Some((tool, parameter)) = parameters.next_if(|(tool, _)| *tool <= code) {
            // Tools removed by hand may leave their inputs behind.
            if tool == code {
                own.push(parameter);
            }
        }
        rows.push(Row::Tool(code, with(tool, own)));
    }
    drop(transaction);
    Ok(rows)
}

/// Combines a tool with its inputs.
fn with(tool: Result<Value, String>, parameters: Vec<Result<Value, String>>) -> Result<Tool, String> {
    let mut tool = tool?;
    let mut described = Vec::new();
    for parameter in parameters {
        let parameter = parameter.map_err(|reason| format!("one of its inputs: {reason}"))?;
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        // Parsed one by one, so that the error names the input.
        let read: Result<crate::model::Parameter, _> = serde_json::from_value(parameter.clone());
        read.map_err(|error| format!("its input `{name}`: {error}"))?;
        described.push(parameter);
    }
    tool["parameters"] = described.into();
    read(Ok(tool))
}

pub(super) fn provider(connection: &Connection, code: &str) -> Result<Provider, StoreError> {
    let found = PROVIDER.select(connection, "code", "WHERE code = ?", [code])?.pop();
    let (_, row) = found.ok_or_else(|| StoreError::NoProvider(code.to_owned()))?;
    read(row).map_err(|reason| StoreError::Senseless(code.to_owned(), reason))
}

pub(super) fn tool(connection: &Connection, code: &str) -> Result<Tool, StoreError> {
    let found = TOOL.select(connection, "code", "WHERE code = ?", [code])?.pop();
    let (_, row) = found.ok_or_else(|| StoreError::NoTool(code.to_owned()))?;
    let parameters = PARAMETER.select(connection, "tool", "WHERE tool = ? ORDER BY position", [code])?;
    let parameters = parameters.into_iter().map(|(_, row)| row).collect();
    with(row, parameters).map_err(|reason| StoreError::Senseless(code.to_owned(), reason))
}

pub(super) fn put_provider(connection: &Connection, provider: &Provider) -> Result<(), StoreError> {
    PROVIDER.put(connection, &[], provider, "code")
}

pub(super) fn put_tool(connection: &Connection, tool: &Tool) -> Result<(), StoreError> {
    let provider: i64 =
        connection
            .query_row("SELECT count(*) FROM provider WHERE code = ?", [&tool.provider], |row| row.get(0))?;
    if provider == 0 {
        return Err(StoreError::NoProvider(tool.provider.clone()));
    }
    // Empty lists are omitted in a description, and stored in the table.
    let mut row = serde_json::to_value(tool).unwrap_or_default();
    row["tags"] = tool.tags.clone().into();
    row["examples"] = tool.examples.clone().into();
    TOOL.put(connection, &[], &row, "code")?;
    connection.execute("DELETE FROM parameter WHERE tool = ?", [&tool.code])?;
    for (position, parameter) in (0_i64..).zip(&tool.parameters) {
        // Otherwise the second input would replace the first.
        if tool.parameters.iter().filter(|other| other.name == parameter.name).count() > 1 {
            let (code, name) = (&tool.code, &parameter.name);
            return Err(StoreError::Faults(vec![format!(
                "tool `{code}`: there are two inputs of the name `{name}`"
            )]));
        }
        let before = [("tool", Sql::Text(tool.code.clone())), ("position", Sql::Integer(position))];
        let mut row = serde_json::to_value(parameter).unwrap_or_default();
        // Defaults are omitted in a description, and stored in the table.
        row["required"] = parameter.required.into();
        row["secret"] = parameter.secret.into();
        row["lists"] = serde_json::to_value(parameter.lists).unwrap_or_default();
        PARAMETER.put(connection, &before, &row, "tool, name")?;
    }
    Ok(())
}

pub(super) fn remove_provider(connection: &Connection, code: &str) -> Result<(), StoreError> {
    provider(connection, code).map(drop).or_else(|error| match error {
        StoreError::Senseless(..) => Ok(()),
        error => Err(error),
    })?;
    let tools: i64 =
        connection.query_row("SELECT count(*) FROM tool WHERE provider = ?", [code], |row| row.get(0))?;
    if tools > 0 {
        return Err(StoreError::InUse(code.to_owned()));
    }
    connection.execute("DELETE FROM provider WHERE code = ?", [code])?;
    Ok(())
}

pub(super) fn remove_tool(connection: &Connection, code: &str) -> Result<(), StoreError> {
    match connection.execute("DELETE FROM tool WHERE code = ?", [code])? {
        0 => Err(StoreError::NoTool(code.to_owned())),
        _ => Ok(()),
    }
}
