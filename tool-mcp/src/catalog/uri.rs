//! URIs of resources: a scheme and segments, of which some are variables.
//!
//! Only templates of RFC 6570 whose variables are whole segments are supported. Matching takes linear time: each segment is
//! decoded once and compared once.

mod scheme;

use std::fmt::Write as _;

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::context::{Context, Visitor};
use tool_core::ToolDefinition;
use tool_core::address::{Address, Segment, SegmentError, Variables, check_segment, decode_segment};

pub(crate) use scheme::{Scheme, is_scheme};

/// A URI, or a URI template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    scheme: String,
    address: Address,
    /// The URI, or the template of RFC 6570.
    text: String,
}

impl Pattern {
    /// Creates the pattern of an address of a registry.
    pub(crate) fn of(scheme: &Scheme, address: &Address) -> Self {
        Pattern::new(scheme.as_str().to_owned(), address.clone())
    }

    /// Creates a pattern from valid parts.
    pub(crate) fn new(scheme: String, address: Address) -> Self {
        let mut text = format!("{scheme}:/");
        for segment in address.segments() {
            let _ = match segment {
                Segment::Literal(literal) => write!(text, "/{}", PercentEncodedForUri::unreserve(literal)),
                Segment::Variable(name) => write!(text, "/{{{}}}", escaped(name)),
            };
        }
        Pattern { scheme, address, text }
    }

    /// Parses a template of the application: `docs://page/{id}`.
    pub(crate) fn parse(template: &str) -> Result<Self, PatternFault> {
        let (scheme, path) = template.split_once("://").ok_or(PatternFault::NoScheme)?;
        if !is_scheme(scheme) {
            return Err(PatternFault::NoScheme);
        }
        let mut segments = Vec::new();
        for segment in path.split('/') {
            let segment = parse_segment(segment)?;
            if matches!(segment, Segment::Variable(_)) && segments.contains(&segment) {
                return Err(PatternFault::Twice(segment.to_string()));
            }
            segments.push(segment);
        }
        Ok(Pattern::new(scheme.to_ascii_lowercase(), segments.into()))
    }

    /// Returns the URI, or the template of RFC 6570.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_template(&self) -> bool {
        !self.address.is_exact()
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.address.variables()
    }

    /// Finds a variable by its name, or by its escaped name in the template.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables().find(|other| *other == name || escaped(other) == name)
    }

    /// Returns the URI with these values; `None` if one is missing or not allowed.
    pub(crate) fn expand(&self, values: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let named: Vec<(String, String)> = self
            .variables()
            .map(|name| Some((escaped(name), values(name).filter(|value| check_segment(value).is_ok())?)))
            .collect::<Option<_>>()?;
        let template = UriTemplateStr::new(&self.text).ok()?;
        Some(template.expand::<UriSpec, _>(&TemplateValues(named)).ok()?.to_string())
    }

    /// Returns the key of a group of patterns, which limits how many are compared.
    pub(crate) fn key(&self) -> PatternKey<'_> {
        let first = match &self.address.segments()[0] {
            Segment::Literal(literal) => Some(literal.as_str()),
            Segment::Variable(_) => None,
        };
        PatternKey { length: self.address.segments().len(), first }
    }

    /// Returns `true` if a URI can match both patterns and neither takes precedence.
    pub(crate) fn collides(&self, other: &Pattern) -> bool {
        self.scheme == other.scheme && self.address.collides(&other.address)
    }

    /// Returns `true` if a URI matches, whatever the values of its variables.
    pub(crate) fn matches(&self, location: &Location) -> bool {
        self.scheme == location.scheme && self.address.matches(&location.segments)
    }

    /// Returns the values of the variables in a URI that matches.
    pub(crate) fn values(&self, location: &Location) -> Variables {
        self.address.values(&location.segments)
    }
}

/// Returns the URI of the page of a tool: `ui://SERVER/TOOL`.
pub(crate) fn ui_uri(server: &Scheme, tool: &ToolDefinition) -> Pattern {
    let segments = [server.as_str(), tool.name()].map(|segment| Segment::Literal(segment.to_owned()));
    Pattern::new("ui".to_owned(), segments.to_vec().into())
}

/// The number of segments of a pattern, and the first one unless it is a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PatternKey<'p> {
    pub(crate) length: usize,
    pub(crate) first: Option<&'p str>,
}

/// A URI in parts, percent-decoded once.
pub(crate) struct Location {
    scheme: String,
    segments: Vec<Result<String, SegmentError>>,
}

impl Location {
    /// Parses a URI; `None` if no pattern can match: without a scheme, or with a query or fragment.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let (scheme, path) = uri.split_once("://")?;
        if !is_scheme(scheme) || path.contains(['?', '#']) {
            return None;
        }
        let segments = path.split('/').map(decode_segment).collect();
        Some(Location { scheme: scheme.to_ascii_lowercase(), segments })
    }

    /// Returns the keys of the patterns that may match.
    pub(crate) fn keys(&self) -> [PatternKey<'_>; 2] {
        let length = self.segments.len();
        let first = self.segments[0].as_deref().ok();
        [PatternKey { length, first }, PatternKey { length, first: None }]
    }
}

/// The error of an invalid template of the application.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternFault {
    #[error("it does not begin with a scheme and `://`")]
    NoScheme,
    #[error("it has an empty segment")]
    Empty,
    #[error("`{0}` is neither a name nor a variable, which is a whole segment like `{{id}}`")]
    Braces(String),
    #[error("the variable `{0}` is repeated")]
    Twice(String),
    #[error("`{0}` is ambiguous: no escapes, `?`, `#`, `.` or `..`")]
    Segment(String),
}

fn parse_segment(segment: &str) -> Result<Segment, PatternFault> {
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

/// Returns the name of a variable for a template (RFC 6570, section 2.3), which allows only letters, digits and `_`.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => text.push(char::from(byte)),
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

/// Values by the escaped names of variables.
struct TemplateValues(Vec<(String, String)>);

impl Context for TemplateValues {
    fn visit<V: Visitor>(&self, visitor: V) -> V::Result {
        let name = visitor.var_name();
        match self.0.iter().find(|(other, _)| other == name.as_str()) {
            Some((_, value)) => visitor.visit_string(value),
            None => visitor.visit_undefined(),
        }
    }
}

#[cfg(test)]
mod tests;
