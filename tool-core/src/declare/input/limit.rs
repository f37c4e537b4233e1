//! The limits of an input: constants whose type decides what they may limit.

use std::ops::Deref;

use crate::declare::input_spec::Bound;

/// A constant in `range(…)` or `length(…)`.
///
/// A constant function cannot call a trait method, so there is one method per type. All other types resolve to a method
/// behind `Deref`, whose unmet bound explains the error.
#[derive(Debug)]
pub struct Limit<T>(NoLimit<T>);

impl<T> Limit<T> {
    /// Creates a limit.
    pub const fn of(constant: T) -> Self {
        Limit(NoLimit(constant))
    }
}

macro_rules! limits {
    ($($type:ty)*, $variant:ident as $wide:ty) => {$(
        impl Limit<$type> {
            /// Converts to an end of `range(…)`.
            pub const fn bound(self) -> Bound {
                Bound::$variant(self.0.0 as $wide)
            }
        }
    )*};
}

limits!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize, Integer as i128);
limits!(f32 f64, Number as f64);

macro_rules! counts {
    ($($type:ty)*) => {$(
        impl Limit<$type> {
            /// Converts to an end of `length(…)`.
            pub const fn count(self) -> u64 {
                self.0.0 as u64
            }
        }
    )*};
}

counts!(u8 u16 u32 u64 usize);

impl<T> Deref for Limit<T> {
    type Target = NoLimit<T>;

    fn deref(&self) -> &NoLimit<T> {
        &self.0
    }
}

/// A constant of a type that cannot be a limit.
#[derive(Debug)]
pub struct NoLimit<T>(T);

impl<T> NoLimit<T> {
    /// Fails to compile: the type cannot be an end of `range(…)`.
    pub fn bound(&self) -> Bound
    where
        T: RangeLimit,
    {
        Bound::Integer(0)
    }

    /// Fails to compile: the type cannot be an end of `length(…)`.
    pub fn count(&self) -> u64
    where
        T: LengthLimit,
    {
        0
    }
}

/// Implemented by no type. Provides the compile error for `range`.
#[diagnostic::on_unimplemented(
    message = "a limit of `range` is a number, and not of type `{Self}`",
    label = "no number of a type that a limit can have",
    note = "write a literal, or a constant of a type like `i64`, `u32` or `f64`"
)]
pub trait RangeLimit {}

/// Implemented by no type. Provides the compile error for `length`.
#[diagnostic::on_unimplemented(
    message = "a limit of `length` is a count, and not of type `{Self}`",
    label = "no number of a type that a length can have",
    note = "write a literal, or a constant of a type like `usize` or `u64`"
)]
pub trait LengthLimit {}
