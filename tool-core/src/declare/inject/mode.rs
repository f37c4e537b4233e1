//! Whether the injected parameters of a tool are awaited, as a type.

/// The mode of a list of parameters: [`AsyncMode`] if any of them is awaited.
pub trait Mode {
    /// The mode of this list and another one.
    type And<Other: Mode>: Mode;
}

/// All parameters are injected at once.
#[derive(Debug)]
pub enum SyncMode {}

/// Some parameters are awaited.
#[derive(Debug)]
pub enum AsyncMode {}

impl Mode for SyncMode {
    type And<Other: Mode> = Other;
}

impl Mode for AsyncMode {
    type And<Other: Mode> = AsyncMode;
}
