//! Path templates: `/v1/{city}/now?format=json`.

use std::fmt::Write as _;

use percent_encoding::{percent_decode_str, utf8_percent_encode};

use crate::endpoint::UNRESERVED;

/// A path below the base URL of a service, with the fixed part of its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    parts: Vec<Part>,
    pub(super) query: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable(String),
}

impl Template {
    /// Parses a template.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (text, None),
        };
        if query.is_some_and(|query| query.contains(['{', '}'])) {
            return Err("has braces after `?`: give the input the place `query` instead".to_owned());
        }
        let mut parts = Vec::new();
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or("has a brace that is not closed")?;
            if name.is_empty() || name.contains('{') {
                return Err("has braces without a name in them".to_owned());
            }
            if parts.contains(&Part::Variable(name.to_owned())) {
                return Err(format!("has `{{{name}}}` twice"));
            }
            parts.push(Part::Literal(before.to_owned()));
            parts.push(Part::Variable(name.to_owned()));
            rest = after;
        }
        parts.push(Part::Literal(rest.to_owned()));
        let template = Template { parts, query: query.map(str::to_owned) };
        // Any harmless value will do: only the text around variables is checked.
        let filled = template.fill(|_| Some("x".to_owned()));
        literal(&filled)?;
        literal(&format!("/?{}", query.unwrap_or_default()))?;
        Ok(template)
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// Fills in values, each within one segment.
    pub(super) fn fill(&self, mut value: impl FnMut(&str) -> Option<String>) -> String {
        let mut path = String::new();
        for part in &self.parts {
            let _ = match part {
                Part::Literal(text) => path.write_str(text),
                Part::Variable(name) => {
                    let value = value(name).unwrap_or_default();
                    write!(path, "{}", utf8_percent_encode(&value, UNRESERVED))
                }
            };
        }
        path
    }
}

/// Checks that a path, perhaps with a query, needs no escaping.
pub(super) fn literal(text: &str) -> Result<(), &'static str> {
    let path = text.split('?').next().unwrap_or_default();
    if !path.starts_with('/') {
        Err("does not begin with `/`")
    } else if path.starts_with("//") {
        Err("begins with `//`, which would be another host")
    } else if text.contains(|c: char| !c.is_ascii_graphic() || "\\\"<>^`{|}#".contains(c)) {
        Err("has a character that no address has: write it percent-encoded")
    } else if text.split('%').skip(1).any(|after| !begins_with_byte(after)) {
        Err("has a `%` without two hexadecimal digits: write `%25`")
    } else if climbs(path) {
        Err("has a segment `.` or `..`, perhaps percent-encoded")
    } else {
        Ok(())
    }
}

/// Returns `true` if a text begins with two hexadecimal digits.
fn begins_with_byte(text: &str) -> bool {
    text.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// How often a text may be percent-encoded. Servers and proxies decode once, or twice.
const MOST_ENCODINGS: usize = 8;

/// Returns `true` if a text could be read as a step upwards in a path when it is decoded, or is encoded too often to tell.
pub(super) fn climbs(text: &str) -> bool {
    let mut text = text.to_owned();
    for _ in 0..MOST_ENCODINGS {
        if text.split(['/', '\\']).any(|segment| segment == "." || segment == "..") {
            return true;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        // What changes becomes shorter.
        if decoded.len() >= text.len() {
            return false;
        }
        text = decoded;
    }
    true
}
