//! The text form of a permission.

use std::str::FromStr;

use super::{Permission, PermissionNode};
use crate::schema::Escaped;

/// The maximum nesting of lists.
const MAX_DEPTH: usize = 16;

/// Why a text is not a permission.
///
/// ```
/// use tool_core::{Permission, PermissionError};
///
/// let error: PermissionError = "a + b".parse::<Permission>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`a + b` is not a permission, since a name cannot contain `+`: write a name, `all(a, b)` if each is required, or \
///      `any(a, b)` if one is enough",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a permission, since {reason}: write a name, `all(a, b)` if each is required, or `any(a, b)` if one is enough",
    Escaped(.text)
)]
pub struct PermissionError {
    text: String,
    reason: ParseErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ParseErrorKind {
    #[error("a name is missing")]
    NoName,
    #[error("a list is empty")]
    EmptyList,
    #[error("a name cannot contain `{0}`")]
    Sign(char),
    #[error("a name cannot contain a control character")]
    Control,
    #[error("a name cannot begin or end with a space")]
    Space,
    #[error("only `all(…)` and `any(…)` are lists")]
    OtherList,
    #[error("something follows a list")]
    AfterList,
    #[error("its parentheses do not match")]
    Parentheses,
    #[error("it nests more than {MAX_DEPTH} lists")]
    Depth,
}

/// Operators of other notations, which would be mistaken for conditions in a name.
const SIGNS: [char; 12] = [',', '+', '&', '|', ';', '!', '(', ')', '"', '\'', '`', '\\'];

impl FromStr for Permission {
    type Err = PermissionError;

    fn from_str(text: &str) -> Result<Self, PermissionError> {
        let read = permission(text, MAX_DEPTH).and_then(|(permission, rest)| match rest.chars().next() {
            None => Ok(permission),
            Some(',') => Err(ParseErrorKind::Sign(',')),
            Some(')') => Err(ParseErrorKind::Parentheses),
            Some(_) => Err(ParseErrorKind::AfterList),
        });
        read.map_err(|reason| PermissionError { text: text.to_owned(), reason })
    }
}

/// Parses one permission, and returns the rest.
fn permission(text: &str, depth: usize) -> Result<(Permission, &str), ParseErrorKind> {
    let end = text.find(['(', ')', ',']).unwrap_or(text.len());
    let (name, rest) = (text[..end].trim(), &text[end..]);
    let Some(items) = rest.strip_prefix('(') else {
        check_name(name)?;
        return Ok((Permission::from(name), rest));
    };
    let depth = depth.checked_sub(1).ok_or(ParseErrorKind::Depth)?;
    let (items, rest) = list(items, depth)?;
    match name {
        "all" => Ok((Permission::all(items), rest)),
        "any" => Ok((Permission::any(items), rest)),
        _ => Err(ParseErrorKind::OtherList),
    }
}

/// Parses a comma-separated list up to its closing parenthesis, and returns the rest.
fn list(mut text: &str, depth: usize) -> Result<(Vec<Permission>, &str), ParseErrorKind> {
    if text.trim_start().starts_with(')') {
        return Err(ParseErrorKind::EmptyList);
    }
    let mut items = Vec::new();
    loop {
        let (item, rest) = permission(text, depth)?;
        items.push(item);
        if let Some(rest) = rest.strip_prefix(')') {
            return Ok((items, rest.trim_start()));
        }
        text = rest.strip_prefix(',').ok_or(ParseErrorKind::Parentheses)?;
    }
}

fn check_name(name: &str) -> Result<(), ParseErrorKind> {
    if name.is_empty() {
        return Err(ParseErrorKind::NoName);
    }
    if name.trim() != name {
        return Err(ParseErrorKind::Space);
    }
    match name.chars().find(|c| SIGNS.contains(c) || c.is_control()) {
        None => Ok(()),
        Some(c) if c.is_control() => Err(ParseErrorKind::Control),
        Some(sign) => Err(ParseErrorKind::Sign(sign)),
    }
}

impl Permission {
    /// Rejects what [`from_str`](FromStr::from_str) could not parse again: empty lists, and names with operators.
    pub(crate) fn check(&self) -> Result<(), PermissionError> {
        self.fault(MAX_DEPTH).map_err(|reason| PermissionError { text: self.to_string(), reason })
    }

    fn fault(&self, depth: usize) -> Result<(), ParseErrorKind> {
        match &self.0 {
            PermissionNode::Name(name) => check_name(name),
            PermissionNode::All(permissions) | PermissionNode::Any(permissions) => {
                let depth = depth.checked_sub(1).ok_or(ParseErrorKind::Depth)?;
                if permissions.is_empty() {
                    return Err(ParseErrorKind::EmptyList);
                }
                permissions.iter().try_for_each(|permission| permission.fault(depth))
            }
        }
    }
}
