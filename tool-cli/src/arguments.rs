//! The arguments of a call, gathered from everything that was typed into one JSON text.
//!
//! There are two kinds of source: all `key=value` and `key:=json` together, and each `--input-json`. Within a source an
//! input is given once; between sources the one that was typed later counts. Values stay texts throughout, so that a
//! number reaches the tool with all of its digits.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use clap::ArgMatches;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};
use tool_core::{NativeSchema, ToolDefinition};

use crate::stop::Stop;
use crate::streams::Streams;

/// The text of the arguments, which the pipeline then judges.
///
/// A `--input-json` that is no JSON object, or has a member twice, is returned as it stands: what is wrong with it the
/// pipeline says, in the same words as on every other face.
pub(crate) fn gather(
    tool: &ToolDefinition,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<Vec<u8>, Stop> {
    let mut inputs = Members::default();
    let mut assigned = HashSet::new();
    for typed in in_order(matches) {
        match typed {
            Typed::Pair(pair) => {
                let (key, value) = assignment(tool, pair)?;
                if !assigned.insert(key.clone()) {
                    return Err(Stop::Twice { key });
                }
                inputs.set(key, value);
            }
            Typed::Json(given) => {
                let text = read(given, streams)?;
                let Some(members) = members(&text) else { return Ok(text) };
                for (key, value) in members {
                    inputs.set(key, value);
                }
            }
        }
    }
    Ok(inputs.text().into_bytes())
}

enum Typed<'m> {
    Pair(&'m str),
    Json(&'m str),
}

/// What was typed, in its order.
fn in_order(matches: &ArgMatches) -> impl Iterator<Item = Typed<'_>> {
    let of = |id: &str, make: fn(&str) -> Typed<'_>| {
        let values = matches.get_many::<String>(id).into_iter().flatten();
        matches
            .indices_of(id)
            .into_iter()
            .flatten()
            .zip(values)
            .map(move |(index, value)| (index, make(value)))
    };
    let mut typed: Vec<_> =
        of("arguments", |pair| Typed::Pair(pair)).chain(of("input-json", |json| Typed::Json(json))).collect();
    typed.sort_by_key(|(index, _)| *index);
    typed.into_iter().map(|(_, typed)| typed)
}

/// One `key=value` or `key:=json`.
fn assignment(tool: &ToolDefinition, pair: &str) -> Result<(String, Box<RawValue>), Stop> {
    let no_pair = || Stop::NoPair { given: pair.to_owned() };
    let (key, value) = pair.split_once('=').ok_or_else(no_pair)?;
    let (key, json) = key.strip_suffix(':').map_or((key, false), |key| (key, true));
    if key.is_empty() {
        return Err(no_pair());
    }
    let value = if json {
        parsed(value).map_err(|error| Stop::NotJson { key: key.to_owned(), error })?
    } else {
        let input = tool.inputs().iter().find(|input| input.name.as_deref() == Some(key));
        typed(input, value)
    };
    Ok((key.to_owned(), value))
}

/// A value by the type of its input: a text where only a text will do, JSON where the value is JSON, otherwise a text,
/// which the pipeline then repairs or refuses in its own words.
fn typed(input: Option<&NativeSchema>, value: &str) -> Box<RawValue> {
    match parsed(value) {
        Ok(json) if input.is_none_or(|input| takes(input, &json)) => json,
        _ => text(value),
    }
}

/// Whether a value that is JSON is meant as such.
fn takes(input: &NativeSchema, json: &RawValue) -> bool {
    match input.kind {
        "string" => false,
        // `5` is a text where the union has texts and no numbers.
        "union" => input
            .variants
            .iter()
            .any(|variant| variant.kind == "union" && takes(variant, json) || is(variant.kind, json)),
        _ => true,
    }
}

/// Whether a JSON text is of this type.
fn is(kind: &str, json: &RawValue) -> bool {
    let number = |c: u8| c == b'-' || c.is_ascii_digit();
    match (kind, json.get().as_bytes().first()) {
        ("any", _)
        | ("null", Some(b'n'))
        | ("boolean", Some(b't' | b'f'))
        | ("list", Some(b'['))
        | ("map", Some(b'{')) => true,
        ("integer" | "number", Some(first)) => number(*first),
        ("string", Some(b'"')) => true,
        _ => false,
    }
}

/// A JSON text, verbatim.
fn parsed(text: &str) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::from_str(text)
}

/// A text as JSON.
fn text(text: &str) -> Box<RawValue> {
    // A string can always be written as JSON.
    to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// The text that `--input-json` means.
fn read(given: &str, streams: &mut Streams) -> Result<Vec<u8>, Stop> {
    match given.strip_prefix('@') {
        Some(path) => {
            let path = Path::new(path);
            std::fs::read(path).map_err(|error| Stop::Unreadable { path: path.to_owned(), error })
        }
        None if given == "-" => streams.read_all().map_err(Stop::Stdin),
        None => Ok(given.as_bytes().to_owned()),
    }
}

/// The members of a JSON object, if each is there once; nothing at all counts as `{}`.
fn members(text: &[u8]) -> Option<Vec<(String, Box<RawValue>)>> {
    if text.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    let Object(members) = serde_json::from_slice(text).ok()?;
    let mut known = HashSet::new();
    members.iter().all(|(key, _)| known.insert(key.as_str())).then_some(members)
}

struct Object(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// The members of the object to be, in the order in which they were first given.
#[derive(Default)]
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    fn set(&mut self, key: String, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key, value)),
        }
    }

    fn text(&self) -> String {
        let members: Vec<_> = self
            .0
            .iter()
            .map(|(key, value)| format!("{}:{}", serde_json::Value::from(key.as_str()), value.get()))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}
