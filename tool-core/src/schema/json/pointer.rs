//! JSON Pointers (RFC 6901).

/// Returns the JSON Pointer (RFC 6901) of a member of the root object.
pub(crate) fn pointer(name: &str) -> String {
    let mut pointer = String::new();
    push_token(&mut pointer, name);
    pointer
}

/// Adds `/` and a token to a pointer.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    push_escaped(pointer, token);
}

/// Returns `true` if a pointer is the base, or leads to something in it.
pub(crate) fn is_below(base: &str, path: &str) -> bool {
    path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Appends one reference token to a JSON Pointer.
pub(crate) fn push_escaped(pointer: &mut String, token: &str) {
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Unescapes one reference token of a JSON Pointer.
pub(crate) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}
