//! Whether an input may be missing, and its value then, as determined by its `Deserialize`, never by the name of its
//! type.

use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor, value::Error};
use serde::forward_to_deserialize_any;

/// Whether an input may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Required, unless it has a default.
    Required,
    /// Optional; `null` means the same as missing.
    Optional,
    /// Optional; `null` is a value of its own: `Option<Option<T>>`.
    Nullable,
}

/// Returns the presence of an input of type `T`.
pub(super) fn presence<T: DeserializeOwned>() -> Presence {
    if absent::<T>().is_none() {
        Presence::Required
    } else if null::<T>().is_none() {
        Presence::Optional
    } else {
        Presence::Nullable
    }
}

/// Returns the value of a missing input, if the type has one.
pub(super) fn absent<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(MissingValue { depth: 0 }).ok()
}

/// Returns the value of a `null` input, if it differs from a missing one.
pub(super) fn null<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(MissingValue { depth: 1 }).ok()
}

/// A deserializer of `None`, nested in `depth` levels of `Some`.
struct MissingValue {
    depth: u8,
}

impl<'de> Deserializer<'de> for MissingValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("nothing was given"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.depth.checked_sub(1) {
            None => visitor.visit_none(),
            Some(depth) => visitor.visit_some(MissingValue { depth }),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_presence_from_the_type() {
        assert_eq!(presence::<u32>(), Presence::Required);
        assert_eq!(presence::<Vec<Option<u32>>>(), Presence::Required);
        assert_eq!(presence::<serde_json::Value>(), Presence::Required);
        assert_eq!(presence::<Option<u32>>(), Presence::Optional);
        assert_eq!(presence::<Option<serde_json::Value>>(), Presence::Optional);
        assert_eq!(presence::<Option<Option<u32>>>(), Presence::Nullable);
        assert_eq!(null::<Option<Option<u32>>>(), Some(Some(None)));
        assert_eq!(absent::<Option<Option<u32>>>(), Some(None));
    }
}
