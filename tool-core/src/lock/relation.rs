//! How one schema relates to another one.

/// How the set of values that fit a part has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Wider,
    Narrower,
    Other,
}
