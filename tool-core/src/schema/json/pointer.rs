//! JSON Pointers (RFC 6901).

/// Returns the JSON Pointer (RFC 6901) of a member of the root object.
pub(crate) fn pointer(name: &str) -> String {
    let mut pointer = String::from("/");
    push_escaped(&mut pointer, name);
    pointer
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
