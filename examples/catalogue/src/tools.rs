//! Administration: tools like any other, for the command line of this program. A server does not offer them.

pub mod change;
pub mod health;
pub mod read;
