//! The address of a result: literal segments and variables.

use std::fmt;

use crate::definition::ToolDefinition;
use crate::definition::surface::value::{InvalidVariable, SegmentError, Variables, check_segment};

/// The address of the result of a tool: a path of literal segments and variables, which are inputs of the tool.
///
/// It is not a URI: add a scheme and percent-encode the segments to get one.
///
/// ```
/// use tool_core::{Registry, tool};
/// use tool_core::address::{Segment, Surface};
///
/// /// A page.
/// #[tool(operation = Read, path = "page/{number}")]
/// fn page_by_number(#[arg(locator)] number: u32) -> String {
///     number.to_string()
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "page_by_number").build().unwrap();
/// let surface = Surface::of(registry.get("page_by_number").unwrap());
/// let address = surface.address().unwrap();
/// assert_eq!(
///     address.segments(),
///     [Segment::Literal("page".to_owned()), Segment::Variable("number".to_owned())]
/// );
/// assert_eq!(address.variables().collect::<Vec<_>>(), ["number"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address(Vec<Segment>);

/// One segment of an [`Address`].
///
/// ```
/// use tool_core::address::Segment;
///
/// assert_eq!(Segment::Variable("id".to_owned()).to_string(), "{id}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A literal text.
    Literal(String),
    /// The value of the input with this name.
    Variable(String),
}

impl Address {
    /// Returns the default address of a tool: its name, followed by its locators.
    pub(super) fn of(tool: &ToolDefinition) -> Self {
        let declared = tool.path().and_then(|path| Address::parse(path).ok());
        declared.filter(|address| address.is_of(tool)).unwrap_or_else(|| {
            let name = Segment::Literal(tool.name().to_owned());
            let locators = tool.locators().map(|input| Segment::Variable(input.to_owned()));
            Address(std::iter::once(name).chain(locators).collect())
        })
    }

    /// Parses a declared `path`.
    pub(super) fn parse(path: &str) -> Result<Self, AddressFault> {
        let mut address = Address(Vec::new());
        for segment in path.split('/') {
            let segment = Segment::parse(segment)?;
            if let Segment::Variable(name) = &segment
                && address.variables().any(|other| other == name)
            {
                return Err(AddressFault::Twice(name.clone()));
            }
            address.0.push(segment);
        }
        Ok(address)
    }

    /// Returns the segments in order, at least one.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// # use tool_core::address::Surface;
    /// # /// Says hello.
    /// # #[tool(operation = Read)]
    /// # fn hello_at() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "hello_at").build().unwrap();
    /// let surface = Surface::of(registry.get("hello_at").unwrap());
    /// assert_eq!(surface.address().unwrap().segments().len(), 1);
    /// ```
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns the distinct names of the variables, in order.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// # use tool_core::address::Surface;
    /// # /// Says hello.
    /// # #[tool(operation = Read)]
    /// # fn hello_from() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "hello_from").build().unwrap();
    /// let surface = Surface::of(registry.get("hello_from").unwrap());
    /// assert_eq!(surface.address().unwrap().variables().count(), 0);
    /// ```
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|segment| match segment {
            Segment::Variable(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// Returns `true` if the address has no variables.
    ///
    /// ```
    /// # use tool_core::{Registry, tool};
    /// # use tool_core::address::Surface;
    /// # /// Says hello.
    /// # #[tool(operation = Read)]
    /// # fn hello_exactly() {}
    /// # let registry = Registry::builder().linked().select(|tool| tool.name() == "hello_exactly").build().unwrap();
    /// let surface = Surface::of(registry.get("hello_exactly").unwrap());
    /// assert!(surface.address().unwrap().is_exact());
    /// ```
    pub fn is_exact(&self) -> bool {
        self.variables().next().is_none()
    }

    /// Returns `true` if a path can match both addresses and neither takes precedence: an exact one takes precedence
    /// over a template.
    ///
    /// ```
    /// use tool_core::address::{Address, Segment};
    ///
    /// let page = |segment| Address::from(vec![Segment::Literal("page".to_owned()), segment]);
    /// let id = page(Segment::Variable("id".to_owned()));
    /// assert!(id.collides(&page(Segment::Variable("number".to_owned()))));
    /// assert!(!id.collides(&page(Segment::Literal("first".to_owned()))));
    /// ```
    pub fn collides(&self, other: &Address) -> bool {
        let may_be_equal = |(a, b): (&Segment, &Segment)| match (a, b) {
            (Segment::Literal(a), Segment::Literal(b)) => a == b,
            (Segment::Variable(_), _) | (_, Segment::Variable(_)) => true,
        };
        self.is_exact() == other.is_exact()
            && self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(may_be_equal)
    }

    /// Returns `true` if these [decoded](crate::address::decode_segment) segments match, whatever the values of the variables.
    ///
    /// ```
    /// use tool_core::address::{Address, Segment, decode_segment};
    ///
    /// let address = Address::from(vec![Segment::Literal("page".to_owned()), Segment::Variable("id".to_owned())]);
    /// assert!(address.matches(&[decode_segment("page"), decode_segment("%2E")]));
    /// assert!(!address.matches(&[decode_segment("page")]));
    /// ```
    pub fn matches(&self, segments: &[Result<String, SegmentError>]) -> bool {
        let is_match = |(segment, decoded): (&Segment, &Result<String, SegmentError>)| match segment {
            Segment::Literal(literal) => decoded.as_ref().is_ok_and(|decoded| decoded == literal),
            Segment::Variable(_) => true,
        };
        self.0.len() == segments.len() && self.0.iter().zip(segments).all(is_match)
    }

    /// Returns the names and values of the variables in [decoded](crate::address::decode_segment) segments that match.
    ///
    /// # Errors
    ///
    /// The first variable whose value cannot be decoded, or cannot be [in an address](crate::address::check_segment).
    ///
    /// ```
    /// use tool_core::address::{Address, Segment, decode_segment};
    ///
    /// let address = Address::from(vec![Segment::Literal("page".to_owned()), Segment::Variable("id".to_owned())]);
    /// let values = address.values(&[decode_segment("page"), decode_segment("a%20b")]);
    /// assert_eq!(values.unwrap(), [("id".to_owned(), "a b".to_owned())]);
    /// let error = address.values(&[decode_segment("page"), decode_segment("%2E")]).unwrap_err();
    /// assert_eq!(error.to_string(), "the value of `id` must not be `.` or `..`");
    /// ```
    pub fn values(&self, segments: &[Result<String, SegmentError>]) -> Variables {
        let mut values = Vec::new();
        for (segment, decoded) in self.0.iter().zip(segments) {
            let Segment::Variable(name) = segment else { continue };
            let value = decoded.clone().and_then(|value| check_segment(&value).map(|()| value));
            values.push((
                name.clone(),
                value.map_err(|error| InvalidVariable { variable: name.clone(), error })?,
            ));
        }
        Ok(values)
    }

    /// Returns `true` if its variables are exactly these locators.
    pub(super) fn is_of(&self, tool: &ToolDefinition) -> bool {
        let (mut variables, mut locators): (Vec<_>, Vec<_>) =
            (self.variables().collect(), tool.locators().collect());
        variables.sort_unstable();
        locators.sort_unstable();
        variables == locators
    }
}

impl From<Vec<Segment>> for Address {
    /// Creates an address of these segments, at least one, with distinct variables.
    fn from(segments: Vec<Segment>) -> Self {
        Address(segments)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            let slash = if position == 0 { "" } else { "/" };
            write!(f, "{slash}{segment}")?;
        }
        Ok(())
    }
}

impl Segment {
    // These rules match those of `path` in the macro, which cannot share code with this; one table tests both.
    fn parse(segment: &str) -> Result<Self, AddressFault> {
        if segment.is_empty() {
            return Err(AddressFault::Empty);
        }
        let variable = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let name = variable.unwrap_or(segment);
        if name.is_empty() || name.contains(['{', '}']) {
            return Err(AddressFault::Braces(segment.to_owned()));
        }
        if variable.is_some() {
            return Ok(Segment::Variable(name.to_owned()));
        }
        if matches!(name, "." | "..") {
            return Err(AddressFault::Dots);
        }
        let is_plain =
            |c: &char| !c.is_control() && !c.is_whitespace() && !matches!(c, '?' | '#' | '%' | '\\');
        match name.chars().find(|c| !is_plain(c)) {
            Some(other) => Err(AddressFault::Character(other)),
            None => Ok(Segment::Literal(name.to_owned())),
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Literal(text) => f.write_str(text),
            Segment::Variable(name) => write!(f, "{{{name}}}"),
        }
    }
}

/// Why a text is not an address.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AddressFault {
    #[error("it has an empty segment")]
    Empty,
    #[error("`.` and `..` lead elsewhere")]
    Dots,
    #[error("`{0}` is neither a name nor a variable, which is a whole segment")]
    Braces(String),
    #[error("the variable `{0}` stands twice")]
    Twice(String),
    #[error("it contains {0:?}")]
    Character(char),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> Address {
        Address::parse(path).unwrap()
    }

    #[test]
    fn round_trips_addresses() {
        for path in ["a", "a/b", "{a}", "node/{id}/revision/{vid}", "Tōkyō/a.b-c_d~e", "{b}/{a}"] {
            assert_eq!(address(path).to_string(), path);
        }
        assert_eq!(address("a/{b}/c/{d}").variables().collect::<Vec<_>>(), ["b", "d"]);
    }

    #[test]
    fn parses_addresses_like_the_macro() {
        let table: &[(&str, Option<&[&str]>)] = &include!("../../../../tests/paths.rs");
        for (path, expected) in table {
            let read = Address::parse(path).ok();
            let variables = read.as_ref().map(|address| address.variables().collect::<Vec<_>>());
            assert_eq!(variables.as_deref(), *expected, "{path:?}");
        }
    }

    #[test]
    fn rejects_invalid_addresses() {
        for (path, fault) in [
            ("", AddressFault::Empty),
            ("/a", AddressFault::Empty),
            ("a/", AddressFault::Empty),
            ("a//b", AddressFault::Empty),
            ("a/../b", AddressFault::Dots),
            (".", AddressFault::Dots),
            ("a/{}", AddressFault::Braces("{}".to_owned())),
            ("a/{b", AddressFault::Braces("{b".to_owned())),
            ("a/b}", AddressFault::Braces("b}".to_owned())),
            ("a-{b}", AddressFault::Braces("a-{b}".to_owned())),
            ("{a{b}}", AddressFault::Braces("{a{b}}".to_owned())),
            ("{a}/{a}", AddressFault::Twice("a".to_owned())),
            ("a b", AddressFault::Character(' ')),
            ("a%20b", AddressFault::Character('%')),
            ("a?b", AddressFault::Character('?')),
            ("a#b", AddressFault::Character('#')),
            ("a\\b", AddressFault::Character('\\')),
            ("a\u{0}", AddressFault::Character('\0')),
        ] {
            assert_eq!(Address::parse(path), Err(fault), "{path:?}");
        }
    }

    #[test]
    fn detects_ambiguous_addresses() {
        for (a, b, collide) in [
            ("a", "a", true),
            ("a", "b", false),
            ("a", "a/b", false),
            ("a/{b}", "a/{c}", true),
            ("a/{b}", "a/c/{d}", false),
            ("a/{b}", "c/{b}", false),
            ("a/{b}", "{c}/d", true),
            ("{a}/b/{c}", "{d}/{e}/f", true),
            ("{a}/b", "{c}/d", false),
            // An exact address takes precedence.
            ("a/b", "a/{c}", false),
            ("a", "{b}", false),
        ] {
            assert_eq!(address(a).collides(&address(b)), collide, "{a} and {b}");
            assert_eq!(address(b).collides(&address(a)), collide, "{b} and {a}");
        }
    }
}
