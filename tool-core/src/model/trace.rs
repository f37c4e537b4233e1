//! Trace context of a call.

use std::fmt;
use std::num::{NonZero, ParseIntError};
use std::str::FromStr;

/// The position of a call in a distributed trace: the header `traceparent` of [W3C Trace Context], parsed strictly.
///
/// An adapter reads it from the request, [`CallOptions::trace`](crate::CallOptions::trace) sets it for a call, and a tool
/// passes it on from its [`Context`](crate::Context).
///
/// ```
/// use tool_core::TraceParent;
///
/// let trace: TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
/// assert!(trace.sampled());
/// assert_eq!(trace.to_string(), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
/// assert!("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01".parse::<TraceParent>().is_err());
/// ```
///
/// [W3C Trace Context]: https://www.w3.org/TR/trace-context/
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace_id: NonZero<u128>,
    parent_id: NonZero<u64>,
    flags: u8,
}

impl TraceParent {
    /// Returns the trace ID, 16 bytes, never zero.
    ///
    /// ```
    /// # use tool_core::TraceParent;
    /// let trace: TraceParent = "00-0000000000000000000000000000000a-000000000000000b-00".parse().unwrap();
    /// assert_eq!(trace.trace_id(), 10);
    /// ```
    pub fn trace_id(&self) -> u128 {
        self.trace_id.get()
    }

    /// Returns the ID of the parent span, 8 bytes, never zero.
    ///
    /// ```
    /// # use tool_core::TraceParent;
    /// let trace: TraceParent = "00-0000000000000000000000000000000a-000000000000000b-00".parse().unwrap();
    /// assert_eq!(trace.parent_id(), 11);
    /// ```
    pub fn parent_id(&self) -> u64 {
        self.parent_id.get()
    }

    /// Returns `true` if the caller may have recorded the trace.
    ///
    /// ```
    /// # use tool_core::TraceParent;
    /// let trace: TraceParent = "00-0000000000000000000000000000000a-000000000000000b-00".parse().unwrap();
    /// assert!(!trace.sampled());
    /// ```
    pub fn sampled(&self) -> bool {
        self.flags & 1 == 1
    }
}

/// Why a text is not a `traceparent`. The specification requires to ignore such a text.
///
/// ```
/// let error = "00-1-2-3".parse::<tool_core::TraceParent>().unwrap_err();
/// assert_eq!(error.to_string(), "not a traceparent: it has 8 characters, and not 55");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceParentError {
    /// The length is wrong; unknown versions may be longer.
    #[error("not a traceparent: it has {0} characters, and not 55")]
    Length(usize),
    /// The parts are not 2, 32, 16 and 2 lower-case hexadecimal digits, separated by dashes.
    #[error("not a traceparent: its parts are not lower-case hexadecimal digits of the right number")]
    Digits,
    /// The version is `ff`, or an identifier is zero.
    #[error("not a traceparent: its version is `ff` or an identifier is zero")]
    Forbidden,
}

impl FromStr for TraceParent {
    type Err = TraceParentError;

    fn from_str(text: &str) -> Result<Self, TraceParentError> {
        // `00-` and 32, 16 and 2 digits.
        const LENGTH: usize = 55;
        let (fields, rest) = match text.split_at_checked(LENGTH) {
            Some((fields, rest)) if rest.is_empty() || rest.starts_with('-') => (fields, rest),
            _ => return Err(TraceParentError::Length(text.len())),
        };
        let parts: Vec<&str> = fields.split('-').collect();
        let [version, trace_id, parent_id, flags] = parts[..] else { return Err(TraceParentError::Digits) };
        let version = digits(version, 2, u8::from_str_radix)?;
        // Later versions may have more parts; the first four are the same.
        if version == 0 && !rest.is_empty() {
            return Err(TraceParentError::Length(text.len()));
        }
        let trace_id = digits(trace_id, 32, u128::from_str_radix)?;
        let parent_id = digits(parent_id, 16, u64::from_str_radix)?;
        let flags = digits(flags, 2, u8::from_str_radix)?;
        match (NonZero::new(trace_id), NonZero::new(parent_id)) {
            (Some(trace_id), Some(parent_id)) if version != 0xff => {
                Ok(TraceParent { trace_id, parent_id, flags })
            }
            _ => Err(TraceParentError::Forbidden),
        }
    }
}

/// Parses a number of `count` lower-case hexadecimal digits.
fn digits<T>(
    text: &str,
    count: usize,
    read: fn(&str, u32) -> Result<T, ParseIntError>,
) -> Result<T, TraceParentError> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != count || !text.bytes().all(is_digit) {
        return Err(TraceParentError::Digits);
    }
    read(text, 16).map_err(|_| TraceParentError::Digits)
}

/// Formats as version `00`.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.parent_id, self.flags)
    }
}

impl fmt::Debug for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::{TraceParent, TraceParentError};

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn round_trips() {
        for text in [GOOD, "00-00000000000000000000000000000001-0000000000000001-ff"] {
            assert_eq!(text.parse::<TraceParent>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn parses_the_supported_part_of_later_versions() {
        let later = GOOD.replacen("00", "cc", 1);
        assert_eq!(later.parse(), GOOD.parse::<TraceParent>());
        assert_eq!(format!("{later}-what the future brings").parse(), GOOD.parse::<TraceParent>());
        assert_eq!(format!("{later}.x").parse::<TraceParent>(), Err(TraceParentError::Length(57)));
    }

    #[test]
    fn rejects_anything_else() {
        use TraceParentError::{Digits, Forbidden, Length};
        for (text, error) in [
            (String::new(), Length(0)),
            (GOOD[..54].to_owned(), Length(54)),
            (format!("{GOOD}-more"), Length(60)),
            (format!("{GOOD} "), Length(56)),
            (GOOD.to_uppercase(), Digits),
            (GOOD.replace('-', "_"), Digits),
            (GOOD.replacen("4b", "+b", 1), Digits),
            (GOOD.replacen("4b", "-b", 1), Digits),
            (GOOD.replacen("00-4b", "004-b", 1), Digits),
            (GOOD.replacen("4b", "é", 1), Digits),
            (GOOD.replacen("00", "ff", 1), Forbidden),
            ("00-00000000000000000000000000000000-00f067aa0ba902b7-01".to_owned(), Forbidden),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01".to_owned(), Forbidden),
        ] {
            assert_eq!(text.parse::<TraceParent>(), Err(error), "{text}");
        }
    }
}
