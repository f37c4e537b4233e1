//! The query of a request: nothing that is not known is ignored.

use axum::extract::Query;
use axum::http::Uri;
use tool_core::{Operation, ToolDefinition};

use crate::refusal::Refusal;

/// Which tools are listed, and how much is told of each.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Only those of one of these operations; any when empty.
    operations: Vec<Operation>,
    /// Whether everything is told that `GET /tools/{name}` tells.
    pub(crate) full: bool,
}

impl Listing {
    /// Reads the query of `GET /tools`. A parameter given twice widens the selection.
    ///
    /// # Errors
    ///
    /// When a parameter or a value is not known; the message lists those that are.
    pub(crate) fn parse(uri: &Uri) -> Result<Self, Refusal> {
        let mut listing = Listing::default();
        for (name, value) in pairs(uri)? {
            match name.as_str() {
                "detail" => listing.full = detail(&value)?,
                "operation" => {
                    listing.operations.push(value.parse().map_err(|_| {
                        let known: Vec<_> =
                            Operation::ALL.iter().map(|operation| operation.as_str()).collect();
                        unknown_value(&name, &value, &known)
                    })?);
                }
                _ => return Err(unknown_parameter(&name, &["detail", "operation"])),
            }
        }
        Ok(listing)
    }

    pub(crate) fn holds(&self, tool: &ToolDefinition) -> bool {
        let among = |operation| self.operations.contains(&operation);
        self.operations.is_empty() || tool.operation().is_some_and(among)
    }
}

/// Reads a query that has no parameters.
///
/// # Errors
///
/// When it has one: what looks like an input in the query would otherwise be dropped without a word.
pub(crate) fn none(uri: &Uri) -> Result<(), Refusal> {
    match pairs(uri)?.first() {
        Some((name, _)) => Err(unknown_parameter(name, &[])),
        None => Ok(()),
    }
}

fn detail(value: &str) -> Result<bool, Refusal> {
    match value {
        "full" => Ok(true),
        "summary" => Ok(false),
        _ => Err(unknown_value("detail", value, &["full", "summary"])),
    }
}

fn pairs(uri: &Uri) -> Result<Vec<(String, String)>, Refusal> {
    let query =
        Query::try_from_uri(uri).map_err(|_| Refusal::Query("the query cannot be read".to_owned()))?;
    Ok(query.0)
}

fn unknown_parameter(name: &str, known: &[&str]) -> Refusal {
    let known = match known {
        [] => "there are none here".to_owned(),
        known => format!("known are {}", known.join(", ")),
    };
    Refusal::Query(format!("unknown query parameter `{}`: {known}", shown(name)))
}

fn unknown_value(name: &str, value: &str, known: &[&str]) -> Refusal {
    Refusal::Query(format!("unknown value `{}` of `{name}`: known are {}", shown(value), known.join(", ")))
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}
