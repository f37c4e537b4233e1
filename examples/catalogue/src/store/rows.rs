//! Conversion between rows and descriptions.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row as _};

use crate::model::{Provider, Tool};
use crate::store::StoreError;
use crate::store::variables::{self, Target};

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
    /// A text, unchanged.
    Text,
    Number,
    /// 0 or 1.
    YesOrNo,
    Json,
    /// A word is stored unchanged, everything else as JSON.
    WordOrJson,
}

use Kept::{Json, Number, Text, WordOrJson, YesOrNo};

const PROVIDER: Table = Table {
    name: "provider",
    columns: &[
        ("code", "code", Text),
        ("title", "title", Text),
        ("base_url", "base_url", Text),
        ("auth", "auth", Text),
        ("auth_name", "auth_name", Text),
        ("secret_variable", "secret_variable", Text),
        ("health_path", "health_path", Text),
        ("timeout_ms", "timeout_ms", Number),
        ("max_bytes", "max_bytes", Number),
        ("enabled", "enabled", YesOrNo),
    ],
};

const TOOL: Table = Table {
    name: "tool",
    columns: &[
        ("code", "code", Text),
        ("provider", "provider", Text),
        ("title", "title", Text),
        ("description", "description", Text),
        ("operation", "operation", Text),
        ("destructive", "destructive", YesOrNo),
        ("method", "method", Text),
        ("path", "path", Text),
        ("tags", "tags", Json),
        ("output_schema", "output_schema", Json),
        ("examples", "examples", Json),
        ("enabled", "enabled", YesOrNo),
    ],
};

const PARAMETER: Table = Table {
    name: "parameter",
    columns: &[
        ("name", "name", Text),
        ("place", "place", Text),
        ("type", "type", Text),
        ("items", "items", WordOrJson),
        ("value_schema", "schema", Json),
        ("description", "description", Text),
        ("default_value", "default", Json),
        ("required", "required", YesOrNo),
        ("allowed", "enum", Json),
        ("secret", "secret", YesOrNo),
        ("sent_as", "sent_as", Text),
        ("lists", "lists", Text),
    ],
};

impl Table {
    /// Selects the rows whose `filter.0` is `filter.1`, or all, each with the column `key`.
    async fn select(
        &self,
        connection: &mut AnyConnection,
        key: &str,
        filter: Option<(&str, &str)>,
        order: &str,
    ) -> Result<Vec<Selected>, StoreError> {
        let columns: Vec<&str> = self.columns.iter().map(|(column, ..)| *column).collect();
        let filtered = filter.map_or_else(String::new, |(column, _)| format!("WHERE {column} = $1"));
        let columns = columns.join(", ");
        let sql = format!("SELECT {key}, {columns} FROM {} {filtered} ORDER BY {order}", self.name);
        let mut query = sqlx::query(AssertSqlSafe(sql));
        if let Some((_, value)) = filter {
            query = query.bind(value);
        }
        let rows = query.fetch_all(connection).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, self.members(row)))).collect()
    }

    /// Converts a row into a JSON object.
    fn members(&self, row: &AnyRow) -> Result<Value, String> {
        let mut members = Map::new();
        for (place, (column, member, kept)) in self.columns.iter().enumerate() {
            let value = json(row, place + 1, *kept).map_err(|reason| format!("its `{column}` {reason}"))?;
            if let Some(value) = value {
                members.insert((*member).to_owned(), value);
            }
        }
        Ok(Value::Object(members))
    }

    /// Inserts or replaces a row.
    async fn put(
        &self,
        connection: &mut AnyConnection,
        before: Vec<(&str, Sql)>,
        members: &impl Serialize,
        key: &str,
    ) -> Result<(), StoreError> {
        let members = serde_json::to_value(members).unwrap_or_default();
        let own =
            self.columns.iter().map(|(column, member, kept)| (*column, sql(members.get(member), *kept)));
        let (names, values): (Vec<_>, Vec<_>) = before.into_iter().chain(own).unzip();
        let places: Vec<_> = (1..=names.len()).map(|place| format!("${place}")).collect();
        let updates: Vec<_> = names.iter().map(|name| format!("{name} = excluded.{name}")).collect();
        let statement = format!(
            "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({key}) DO UPDATE SET {}",
            self.name,
            names.join(", "),
            places.join(", "),
            updates.join(", "),
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for value in values {
            query = match value {
                Sql::Text(text) => query.bind(text),
                Sql::Integer(number) => query.bind(number),
            };
        }
        query.execute(connection).await?;
        Ok(())
    }
}

/// The value of a column, or `NULL` of its type.
enum Sql {
    Text(Option<String>),
    Integer(Option<i64>),
}

/// Converts a column into JSON; `NULL` is `None`.
fn json(row: &AnyRow, place: usize, kept: Kept) -> Result<Option<Value>, String> {
    let odd = |error: sqlx::Error| format!("is of another type: {error}");
    let parsed = |text: &str| {
        let value = serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
        let rounded = |number| format!("has the number {number}, which would be rounded: write it as a text");
        integer_that_is_rounded(text).map_or(Ok(value), |number| Err(rounded(number)))
    };
    if let Number | YesOrNo = kept {
        let number: Option<i64> = row.try_get(place).map_err(odd)?;
        return Ok(number.map(|number| if kept == YesOrNo { (number != 0).into() } else { number.into() }));
    }
    let Some(text) = row.try_get::<Option<String>, _>(place).map_err(odd)? else { return Ok(None) };
    let is_json = kept == Json || (kept == WordOrJson && text.starts_with('{'));
    if is_json { parsed(&text).map(Some) } else { Ok(Some(text.into())) }
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
    let value = value.filter(|value| !value.is_null() || kept == Json);
    match kept {
        YesOrNo => Sql::Integer(value.map(|value| value.as_bool().unwrap_or_default().into())),
        Number => Sql::Integer(value.map(|value| value.as_i64().unwrap_or(i64::MAX))),
        Json => Sql::Text(value.map(Value::to_string)),
        Text | WordOrJson => Sql::Text(value.map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })),
    }
}

/// Deserializes the description in a row.
fn read<T: DeserializeOwned>(row: Result<Value, String>) -> Result<T, String> {
    serde_json::from_value(row?).map_err(|error| error.to_string())
}

/// Returns everything. In a transaction, all of it is of one state.
pub(super) async fn all(connection: &mut AnyConnection) -> Result<Vec<Row>, StoreError> {
    let providers = PROVIDER.select(connection, "code", None, "code").await?;
    let providers = providers.into_iter().map(|(code, row)| Row::Provider(code, read(row)));
    let tools = TOOL.select(connection, "code", None, "code").await?;
    let parameters = PARAMETER.select(connection, "tool", None, "tool, position").await?;
    let mut parameters = parameters.into_iter().peekable();
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
    variables::refuse_shared(&mut rows);
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

/// Returns the address and the variable of each provider, also of those that are invalid.
pub(super) async fn targets(connection: &mut AnyConnection) -> Result<Vec<Target>, StoreError> {
    // A file of SQLite can have values of other types.
    let select =
        "SELECT code, CAST(base_url AS TEXT), CAST(secret_variable AS TEXT) FROM provider ORDER BY code";
    let rows = sqlx::query(select).fetch_all(connection).await?;
    // What is no text even so has no origin, and is not served.
    let target = |row: &AnyRow| {
        Some(Target {
            code: row.try_get(0).ok()?,
            base_url: row.try_get(1).ok()?,
            variable: row.try_get(2).ok()?,
        })
    };
    Ok(rows.iter().filter_map(target).collect())
}

pub(super) async fn provider(connection: &mut AnyConnection, code: &str) -> Result<Provider, StoreError> {
    let found = PROVIDER.select(connection, "code", Some(("code", code)), "code").await?.pop();
    let (_, row) = found.ok_or_else(|| StoreError::NoProvider(code.to_owned()))?;
    read(row).map_err(|reason| StoreError::Senseless(code.to_owned(), reason))
}

pub(super) async fn tool(connection: &mut AnyConnection, code: &str) -> Result<Tool, StoreError> {
    let found = TOOL.select(connection, "code", Some(("code", code)), "code").await?.pop();
    let (_, row) = found.ok_or_else(|| StoreError::NoTool(code.to_owned()))?;
    let parameters = PARAMETER.select(connection, "tool", Some(("tool", code)), "position").await?;
    let parameters = parameters.into_iter().map(|(_, row)| row).collect();
    with(row, parameters).map_err(|reason| StoreError::Senseless(code.to_owned(), reason))
}

pub(super) async fn put_provider(
    connection: &mut AnyConnection,
    provider: &Provider,
) -> Result<(), StoreError> {
    PROVIDER.put(connection, Vec::new(), provider, "code").await
}

pub(super) async fn put_tool(connection: &mut AnyConnection, tool: &Tool) -> Result<(), StoreError> {
    if count(connection, "SELECT count(*) FROM provider WHERE code = $1", &tool.provider).await? == 0 {
        return Err(StoreError::NoProvider(tool.provider.clone()));
    }
    // Empty lists are omitted in a description, and stored in the table.
    let mut row = serde_json::to_value(tool).unwrap_or_default();
    row["tags"] = tool.tags.clone().into();
    row["examples"] = tool.examples.clone().into();
    TOOL.put(connection, Vec::new(), &row, "code").await?;
    sqlx::query("DELETE FROM parameter WHERE tool = $1").bind(&tool.code).execute(&mut *connection).await?;
    for (position, parameter) in (0_i64..).zip(&tool.parameters) {
        // Otherwise the second input would replace the first.
        if tool.parameters.iter().filter(|other| other.name == parameter.name).count() > 1 {
            let (code, name) = (&tool.code, &parameter.name);
            return Err(StoreError::Faults(vec![format!(
                "tool `{code}`: there are two inputs of the name `{name}`"
            )]));
        }
        let code = Sql::Text(Some(tool.code.clone()));
        let before = vec![("tool", code), ("position", Sql::Integer(Some(position)))];
        let mut row = serde_json::to_value(parameter).unwrap_or_default();
        // Defaults are omitted in a description, and stored in the table.
        row["required"] = parameter.required.into();
        row["secret"] = parameter.secret.into();
        row["lists"] = serde_json::to_value(parameter.lists).unwrap_or_default();
        PARAMETER.put(connection, before, &row, "tool, name").await?;
    }
    Ok(())
}

pub(super) async fn remove_provider(connection: &mut AnyConnection, code: &str) -> Result<(), StoreError> {
    provider(connection, code).await.map(drop).or_else(|error| match error {
        StoreError::Senseless(..) => Ok(()),
        error => Err(error),
    })?;
    if count(connection, "SELECT count(*) FROM tool WHERE provider = $1", code).await? > 0 {
        return Err(StoreError::InUse(code.to_owned()));
    }
    sqlx::query("DELETE FROM provider WHERE code = $1").bind(code).execute(connection).await?;
    Ok(())
}

pub(super) async fn remove_tool(connection: &mut AnyConnection, code: &str) -> Result<(), StoreError> {
    let removed = sqlx::query("DELETE FROM tool WHERE code = $1").bind(code).execute(connection).await?;
    if removed.rows_affected() == 0 { Err(StoreError::NoTool(code.to_owned())) } else { Ok(()) }
}

async fn count(connection: &mut AnyConnection, sql: &'static str, code: &str) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(sql).bind(code).fetch_one(connection).await?)
}
