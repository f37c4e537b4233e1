//! Addresses as URIs: a scheme and segments, of which some are variables.
//!
//! Only the simplest templates of RFC 6570 are there, in which a variable is a whole segment. Matching takes time that is
//! linear in the length of the URI: each segment is decoded once and compared once.

mod scheme;

use std::fmt::Write as _;

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::context::{Context, Visitor};
use tool_core::address::{Address, Segment};

pub(crate) use scheme::{Scheme, is_scheme};

/// A URI, or a template of URIs that differ in their variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    scheme: String,
    segments: Vec<Segment>,
    /// As clients see it: a URI, or a template of RFC 6570.
    text: String,
}

impl Pattern {
    /// What lives at an address of a registry.
    pub(crate) fn of(scheme: &Scheme, address: &Address) -> Self {
        Pattern::new(scheme.as_str().to_owned(), address.segments().to_vec())
    }

    /// One that this crate knows to be well-formed.
    pub(crate) fn new(scheme: String, segments: Vec<Segment>) -> Self {
        let mut text = format!("{scheme}:/");
        for segment in &segments {
            // Writing to a text does not fail.
            let _ = match segment {
                Segment::Literal(literal) => write!(text, "/{}", PercentEncodedForUri::unreserve(literal)),
                Segment::Variable(name) => write!(text, "/{{{}}}", variable(name)),
            };
        }
        Pattern { scheme, segments, text }
    }

    /// Reads a template that somebody wrote: `docs://page/{id}`.
    pub(crate) fn parse(template: &str) -> Result<Self, PatternFault> {
        let (scheme, path) = template.split_once("://").ok_or(PatternFault::NoScheme)?;
        if !is_scheme(scheme) {
            return Err(PatternFault::NoScheme);
        }
        let mut segments = Vec::new();
        for segment in path.split('/') {
            let segment = written_segment(segment)?;
            if matches!(segment, Segment::Variable(_)) && segments.contains(&segment) {
                return Err(PatternFault::Twice(segment.to_string()));
            }
            segments.push(segment);
        }
        Ok(Pattern::new(scheme.to_ascii_lowercase(), segments))
    }

    /// As clients see it.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_template(&self) -> bool {
        self.variables().next().is_some()
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Variable(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// The variable that a client calls so: by its name, or as it stands in the template.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables().find(|other| *other == name || variable(other) == name)
    }

    /// The URI of these values, each of which has one.
    pub(crate) fn expand(&self, values: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let named: Vec<(String, String)> = self
            .variables()
            .map(|name| Some((variable(name), values(name).filter(|value| addressable(value).is_ok())?)))
            .collect::<Option<_>>()?;
        let template = UriTemplateStr::new(&self.text).ok()?;
        Some(template.expand::<UriSpec, _>(&Named(named)).ok()?.to_string())
    }

    /// What a group of patterns that could collide has in common: of many templates few need to be looked at.
    pub(crate) fn kind(&self) -> Kind<'_> {
        let first = match &self.segments[0] {
            Segment::Literal(literal) => Some(literal.as_str()),
            Segment::Variable(_) => None,
        };
        Kind { length: self.segments.len(), first }
    }

    /// Whether a URI can be of both, and neither goes before the other: an exact one goes before a template.
    pub(crate) fn collides(&self, other: &Pattern) -> bool {
        let may_be_equal = |(one, other): (&Segment, &Segment)| match (one, other) {
            (Segment::Literal(one), Segment::Literal(other)) => one == other,
            (Segment::Variable(_), _) | (_, Segment::Variable(_)) => true,
        };
        self.scheme == other.scheme
            && self.is_template() == other.is_template()
            && self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(may_be_equal)
    }

    /// Whether a URI is of this pattern, whatever its variables stand for.
    pub(crate) fn matches(&self, location: &Location) -> bool {
        let fits = |(segment, decoded): (&Segment, &Decoded)| match segment {
            Segment::Literal(literal) => decoded.as_ref().is_ok_and(|decoded| decoded == literal),
            Segment::Variable(_) => true,
        };
        self.scheme == location.scheme
            && self.segments.len() == location.segments.len()
            && self.segments.iter().zip(&location.segments).all(fits)
    }

    /// What the variables stand for in a URI of this pattern.
    pub(crate) fn values(&self, location: Location) -> Result<Vec<(String, String)>, BadVariable> {
        let mut values = Vec::new();
        for (segment, decoded) in self.segments.iter().zip(location.segments) {
            let Segment::Variable(name) = segment else { continue };
            let value = decoded.and_then(|value| addressable(&value).map(|()| value));
            let value = value.map_err(|fault| BadVariable { variable: name.clone(), fault })?;
            values.push((name.clone(), value));
        }
        Ok(values)
    }
}

/// How many segments a pattern has, and the first one unless it is a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind<'p> {
    pub(crate) length: usize,
    pub(crate) first: Option<&'p str>,
}

/// A URI in its parts, percent-decoded once.
#[derive(Debug)]
pub(crate) struct Location {
    scheme: String,
    segments: Vec<Decoded>,
}

type Decoded = Result<String, ValueFault>;

impl Location {
    /// `None` for what cannot be of any pattern: there is no scheme, or there is a query or a fragment.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let (scheme, path) = uri.split_once("://")?;
        if !is_scheme(scheme) || path.contains(['?', '#']) {
            return None;
        }
        let segments = path.split('/').map(decode).collect();
        Some(Location { scheme: scheme.to_ascii_lowercase(), segments })
    }

    /// The kinds of patterns that it may be of.
    pub(crate) fn kinds(&self) -> [Kind<'_>; 2] {
        let length = self.segments.len();
        let first = self.segments[0].as_deref().ok();
        [Kind { length, first }, Kind { length, first: None }]
    }
}

/// Why a variable of a URI stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value of `{variable}` {fault}")]
pub(crate) struct BadVariable {
    pub(crate) variable: String,
    fault: ValueFault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ValueFault {
    #[error("has a `%` that two hexadecimal digits do not follow")]
    Escape,
    #[error("is not UTF-8 once it is decoded")]
    NotUtf8,
    #[error("contains NUL")]
    Nul,
    #[error("contains a `/` or a `\\`")]
    Separator,
    #[error("is `.` or `..`, which leads elsewhere")]
    Dots,
}

/// Why a template that somebody wrote is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternFault {
    #[error("it does not begin with a scheme and `://`")]
    NoScheme,
    #[error("it has an empty segment")]
    Empty,
    #[error("`{0}` is neither a name nor a variable, which is a whole segment like `{{id}}`")]
    Braces(String),
    #[error("the variable `{0}` stands twice")]
    Twice(String),
    #[error("`{0}` cannot be told from another place: no escapes, `?`, `#`, `.` or `..`")]
    Segment(String),
}

fn written_segment(segment: &str) -> Result<Segment, PatternFault> {
    let inner = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let name = inner.unwrap_or(segment);
    if segment.is_empty() {
        return Err(PatternFault::Empty);
    }
    if name.is_empty() || name.contains(['{', '}']) {
        return Err(PatternFault::Braces(segment.to_owned()));
    }
    if inner.is_some() {
        return Ok(Segment::Variable(name.to_owned()));
    }
    if name.contains(['?', '#', '%', '\\', '\0']) || matches!(name, "." | "..") {
        return Err(PatternFault::Segment(segment.to_owned()));
    }
    Ok(Segment::Literal(name.to_owned()))
}

/// The name of a variable as RFC 6570 has it (section 2.3): an input may have any name, and what is neither a letter, a
/// digit nor `_` is escaped.
fn variable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => text.push(char::from(byte)),
            // Writing to a text does not fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

/// Values by the names of variables in a template.
struct Named(Vec<(String, String)>);

impl Context for Named {
    fn visit<V: Visitor>(&self, visitor: V) -> V::Result {
        let name = visitor.var_name();
        match self.0.iter().find(|(other, _)| other == name.as_str()) {
            Some((_, value)) => visitor.visit_string(value),
            None => visitor.visit_undefined(),
        }
    }
}

/// Whether a value can stand in a URI and be found there again, whatever is between the two: clients and proxies take
/// dots for steps, and an escaped separator for a separator.
fn addressable(value: &str) -> Result<(), ValueFault> {
    match value {
        "." | ".." => Err(ValueFault::Dots),
        _ if value.contains('\0') => Err(ValueFault::Nul),
        _ if value.contains(['/', '\\']) => Err(ValueFault::Separator),
        _ => Ok(()),
    }
}

/// The value of a query, percent-decoded once. A `+` is one: a URI is no form.
pub(crate) fn decoded(value: &str) -> Result<String, String> {
    decode(value).map_err(|fault| fault.to_string())
}

/// Undoes percent-encoding, once.
fn decode(segment: &str) -> Decoded {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let (Some(high), Some(low)) = (digit(), digit()) else { return Err(ValueFault::Escape) };
            bytes.extend(u8::try_from(high * 16 + low));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| ValueFault::NotUtf8)
}

#[cfg(test)]
mod tests;
