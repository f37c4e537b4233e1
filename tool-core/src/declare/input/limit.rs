//! The limits of an input that are constants: the compiler knows what kind of number each is.

use std::ops::Deref;

use super::Bound;

/// A constant as it stands in `range(…)` or `length(…)`.
///
/// A constant function cannot call a method of a trait, so that there is a method for each type. The other types find
/// theirs behind `Deref`, where a bound that no type meets has words for it.
#[derive(Debug)]
pub struct Limit<T>(NoLimit<T>);

impl<T> Limit<T> {
    /// A limit of this value.
    pub const fn of(constant: T) -> Self {
        Limit(NoLimit(constant))
    }
}

macro_rules! limits {
    ($($type:ty)*, $variant:ident as $wide:ty) => {$(
        impl Limit<$type> {
            /// As an end of `range(…)`.
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
            /// As an end of `length(…)`.
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

/// A constant of a type that is no limit.
#[derive(Debug)]
pub struct NoLimit<T>(T);

impl<T> NoLimit<T> {
    /// As an end of `range(…)`, which it cannot be.
    pub fn bound(&self) -> Bound
    where
        T: RangeLimit,
    {
        Bound::Integer(0)
    }

    /// As an end of `length(…)`, which it cannot be.
    pub fn count(&self) -> u64
    where
        T: LengthLimit,
    {
        0
    }
}

/// Implemented by no type: what the compiler says of a type that is no end of a range.
#[diagnostic::on_unimplemented(
    message = "a limit of `range` is a number, and not of type `{Self}`",
    label = "no number of a type that a limit can have",
    note = "write a literal, or a constant of a type like `i64`, `u32` or `f64`"
)]
pub trait RangeLimit {}

/// Implemented by no type: what the compiler says of a type that is no length.
#[diagnostic::on_unimplemented(
    message = "a limit of `length` is a count, and not of type `{Self}`",
    label = "no number of a type that a length can have",
    note = "write a literal, or a constant of a type like `usize` or `u64`"
)]
pub trait LengthLimit {}
