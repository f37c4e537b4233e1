//! Segments of a path or a URI as texts.

/// Percent-decodes a segment of a path or a URI, once. A `+` is literal.
///
/// # Errors
///
/// If a `%` is not followed by two hexadecimal digits, or if the decoded bytes are not UTF-8.
///
/// ```
/// use tool_core::address::decode_segment;
///
/// assert_eq!(decode_segment("S%C3%A3o+Paulo").unwrap(), "São+Paulo");
/// assert_eq!(decode_segment("%FF").unwrap_err().to_string(), "is not UTF-8 once it is decoded");
/// ```
pub fn decode_segment(text: &str) -> Result<String, SegmentError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let (Some(high), Some(low)) = (digit(), digit()) else { return Err(SegmentError::Escape) };
            bytes.extend(u8::try_from(high * 16 + low));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| SegmentError::NotUtf8)
}

/// Checks that a value of a variable survives in an address: clients and proxies resolve dots, and may decode separators.
///
/// # Errors
///
/// If the value is `.` or `..`, or contains NUL, `/` or `\`.
///
/// ```
/// use tool_core::address::check_segment;
///
/// assert_eq!(check_segment("1.2"), Ok(()));
/// assert!(check_segment("a/b").is_err());
/// ```
pub fn check_segment(value: &str) -> Result<(), SegmentError> {
    match value {
        "." | ".." => Err(SegmentError::Dots),
        _ if value.contains('\0') => Err(SegmentError::Nul),
        _ if value.contains(['/', '\\']) => Err(SegmentError::Separator),
        _ => Ok(()),
    }
}

/// Why a segment has no value, or one that an address cannot have.
///
/// ```
/// use tool_core::address::{SegmentError, check_segment};
///
/// assert_eq!(check_segment(".."), Err(SegmentError::Dots));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// A `%` is not followed by two hexadecimal digits.
    #[error("has a `%` that two hexadecimal digits do not follow")]
    Escape,
    /// The decoded bytes are not UTF-8.
    #[error("is not UTF-8 once it is decoded")]
    NotUtf8,
    /// The value contains NUL.
    #[error("contains NUL")]
    Nul,
    /// The value contains a separator of paths.
    #[error("contains a `/` or a `\\`")]
    Separator,
    /// The value is `.` or `..`.
    #[error("must not be `.` or `..`")]
    Dots,
}

/// The names and values of the variables in an address, or the first one whose value is invalid.
///
/// ```
/// let variables: tool_core::address::Variables = Ok(vec![("id".to_owned(), "7".to_owned())]);
/// # let _ = variables;
/// ```
pub type Variables = Result<Vec<(String, String)>, InvalidVariable>;

/// Why the value of a variable in an address is invalid.
///
/// ```
/// use tool_core::address::{InvalidVariable, SegmentError};
///
/// let error = InvalidVariable { variable: "id".to_owned(), error: SegmentError::Nul };
/// assert_eq!(error.to_string(), "the value of `id` contains NUL");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value of `{variable}` {error}")]
pub struct InvalidVariable {
    /// The name of the variable.
    pub variable: String,
    /// What is wrong with its value.
    pub error: SegmentError,
}
