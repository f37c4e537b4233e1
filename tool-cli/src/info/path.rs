//! Paths of nested inputs: `a.b[].c`.
//!
//! `.name` is a member of a map, `.*` the values of a map with free names, `[]` the items of a list, `[0]` the first item of a
//! tuple, and `|1` the first alternative of a union, as in the tables of `info`.

use std::fmt;

use tool_core::schema::NativeSchema;

use crate::schema_text;

/// An error for a path that does not exist.
#[derive(Debug)]
pub(crate) struct UnknownPart {
    /// The part of the path that exists.
    parent: String,
    rest: String,
    /// The steps that are possible from there.
    available: Vec<String>,
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parent.as_str() {
            "" => write!(f, "unknown input `{}`", self.rest)?,
            parent => write!(f, "unknown part `{}` of `{parent}`", self.rest)?,
        }
        match self.available.as_slice() {
            [] => f.write_str("\nhelp: it has no parts"),
            available => write!(f, "\nhelp: the parts are `{}`", available.join("`, `")),
        }
    }
}

/// Returns the part of the inputs at a path.
pub(super) fn find_input(inputs: &[NativeSchema], path: &str) -> Result<NativeSchema, UnknownPart> {
    let Some((input, rest)) = member(inputs, path) else {
        let available = inputs.iter().filter_map(|input| input.name.clone()).collect();
        return Err(UnknownPart { parent: String::new(), rest: path.to_owned(), available });
    };
    follow(input, path, rest)
}

/// Returns the part of the output at a path; `.` is all of it.
pub(super) fn find_output(output: &NativeSchema, path: &str) -> Result<NativeSchema, UnknownPart> {
    follow(output, path, if path == "." { "" } else { path })
}

fn follow(from: &NativeSchema, path: &str, rest: &str) -> Result<NativeSchema, UnknownPart> {
    let (mut current, mut rest) = (from.clone(), rest);
    while !rest.is_empty() {
        (current, rest) = step(&current, rest).ok_or_else(|| UnknownPart {
            parent: path[..path.len() - rest.len()].to_owned(),
            rest: rest.to_owned(),
            available: schema_text::parts(&current),
        })?;
    }
    Ok(current)
}

/// Follows one step of a path.
fn step<'p>(from: &NativeSchema, rest: &'p str) -> Option<(NativeSchema, &'p str)> {
    let value = schema_text::nullable(from).unwrap_or(from);
    let items = |kind: &str| value.items.as_deref().filter(|_| value.kind == kind).cloned();
    if let Some(rest) = rest.strip_prefix("[]") {
        return items("list").map(|items| (items, rest));
    }
    if let Some(rest) = rest.strip_prefix(".*") {
        return items("map").map(|items| (items, rest));
    }
    if let Some(rest) = rest.strip_prefix('|') {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let position: usize = rest[..digits].parse().ok()?;
        return Some((value.variants.get(position.checked_sub(1)?)?.clone(), &rest[digits..]));
    }
    if let Some((position, rest)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let item = value.properties.iter().find(|item| item.name.as_deref() == Some(position))?;
        return (value.kind == "list").then(|| (item.clone(), rest));
    }
    let name = rest.strip_prefix('.').unwrap_or(rest);
    let own = member(&value.properties, name).map(|(member, rest)| (member.clone(), rest));
    own.or_else(|| common_member(&value.variants, name))
}

/// Returns the member that alternatives share, as a union if its types differ.
fn common_member<'p>(variants: &[NativeSchema], path: &'p str) -> Option<(NativeSchema, &'p str)> {
    let found: Vec<_> = variants.iter().filter_map(|variant| member(&variant.properties, path)).collect();
    let rest = found.iter().map(|(_, rest)| *rest).min_by_key(|rest| rest.len())?;
    let mut parts: Vec<&NativeSchema> = Vec::new();
    for (part, _) in found.into_iter().filter(|(_, left)| left.len() == rest.len()) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if let [part] = parts[..] {
        return Some((part.clone(), rest));
    }
    let mut all = NativeSchema::default();
    all.name = parts.first()?.name.clone();
    all.kind = "union";
    all.required = Some(parts.iter().all(|part| part.required == Some(true)));
    all.variants = parts.into_iter().cloned().collect();
    for variant in &mut all.variants {
        (variant.name, variant.required) = (None, None);
    }
    Some((all, rest))
}

/// Returns the member with the longest name that the path starts with: names may contain dots.
fn member<'n, 'p>(members: &'n [NativeSchema], path: &'p str) -> Option<(&'n NativeSchema, &'p str)> {
    let rest = |member: &'n NativeSchema| {
        let rest = path.strip_prefix(member.name.as_deref()?)?;
        (rest.is_empty() || rest.starts_with(['.', '[', '|'])).then_some((member, rest))
    };
    members.iter().filter_map(rest).min_by_key(|(_, rest)| rest.len())
}
