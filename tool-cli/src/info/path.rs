//! A way into nested inputs: `a.b[].c`.
//!
//! `.name` is a member of a map, `.*` the values of a map whose names are free, `[]` the items of a list, `[0]` the first
//! item of a list whose items differ, and `|1` the first alternative of a union, as the tables of `info` have them.

use std::fmt;

use tool_core::schema::NativeSchema;

use crate::outline;

/// Why a path leads nowhere.
#[derive(Debug)]
pub(crate) struct NoPart {
    /// What was followed so far.
    at: String,
    rest: String,
    /// What could follow.
    known: Vec<String>,
}

impl fmt::Display for NoPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.as_str() {
            "" => write!(f, "no input is called `{}`", self.rest)?,
            at => write!(f, "there is no `{}` in `{at}`", self.rest)?,
        }
        match self.known.as_slice() {
            [] => f.write_str("\nhelp: it has no parts"),
            known => write!(f, "\nhelp: there is `{}`", known.join("`, `")),
        }
    }
}

/// The part of the inputs to which a path leads.
pub(super) fn among(inputs: &[NativeSchema], path: &str) -> Result<NativeSchema, NoPart> {
    let Some((input, rest)) = member(inputs, path) else {
        let known = inputs.iter().filter_map(|input| input.name.clone()).collect();
        return Err(NoPart { at: String::new(), rest: path.to_owned(), known });
    };
    follow(input, path, rest)
}

/// The part of the output to which a path leads; `.` is the whole of it.
pub(super) fn within(output: &NativeSchema, path: &str) -> Result<NativeSchema, NoPart> {
    follow(output, path, if path == "." { "" } else { path })
}

fn follow(from: &NativeSchema, path: &str, rest: &str) -> Result<NativeSchema, NoPart> {
    let (mut here, mut rest) = (from.clone(), rest);
    while !rest.is_empty() {
        (here, rest) = step(&here, rest).ok_or_else(|| NoPart {
            at: path[..path.len() - rest.len()].to_owned(),
            rest: rest.to_owned(),
            known: outline::parts(&here),
        })?;
    }
    Ok(here)
}

/// One step of a path.
fn step<'p>(from: &NativeSchema, rest: &'p str) -> Option<(NativeSchema, &'p str)> {
    let value = outline::nullable(from).unwrap_or(from);
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
    own.or_else(|| of_variants(&value.variants, name))
}

/// The member that alternatives have in common: where it differs among them, it is all that it is in one of them.
fn of_variants<'p>(variants: &[NativeSchema], path: &'p str) -> Option<(NativeSchema, &'p str)> {
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

/// The member with the longest name that the path begins with: a name may have dots itself.
fn member<'n, 'p>(members: &'n [NativeSchema], path: &'p str) -> Option<(&'n NativeSchema, &'p str)> {
    let rest = |member: &'n NativeSchema| {
        let rest = path.strip_prefix(member.name.as_deref()?)?;
        (rest.is_empty() || rest.starts_with(['.', '[', '|'])).then_some((member, rest))
    };
    members.iter().filter_map(rest).min_by_key(|(_, rest)| rest.len())
}
