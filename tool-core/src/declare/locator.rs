//! Locators: inputs that identify one thing, and can be part of its address.

use crate::declare::input::Input;

/// A type whose value identifies one thing. Its text is the same in an address and in arguments, so its schema is a
/// string or an integer.
///
/// Strings, integers and `char` are locators. Implement it for your newtypes and enums without data. The feature
/// `jiff02` implements it for dates and times of jiff, `uuid1` for UUIDs.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use tool_core::Locator;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct NodeId(u64);
///
/// impl Locator for NodeId {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a locator",
    label = "a locator identifies one thing by a text or an integer",
    note = "drop `locator`, or write `impl tool_core::Locator for {Self} {{}}` if its schema is a string or an integer"
)]
pub trait Locator: Input {}

macro_rules! locators {
    ($($type:ty)*) => {
        $(impl Locator for $type {})*
    };
}

locators!(String char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
locators!(std::num::NonZeroU8 std::num::NonZeroU16 std::num::NonZeroU32 std::num::NonZeroU64);
locators!(std::num::NonZeroI8 std::num::NonZeroI16 std::num::NonZeroI32 std::num::NonZeroI64);
locators!(Box<str>);

#[cfg(feature = "jiff02")]
locators!(jiff::civil::Date jiff::civil::DateTime jiff::civil::Time jiff::Timestamp jiff::Zoned);

#[cfg(feature = "uuid1")]
locators!(uuid::Uuid);

// For a clear compile error: optional inputs need a bound that no type meets.
impl<T: Optional> Locator for Option<T> where Option<T>: Input {}

/// Implemented by no type.
#[diagnostic::on_unimplemented(
    message = "an optional input cannot be a locator",
    label = "a locator identifies one thing, and so must be given",
    note = "take `{Self}`, or drop `locator`"
)]
pub trait Optional {}
