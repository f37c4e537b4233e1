//! Nothing but its dependencies matters.
