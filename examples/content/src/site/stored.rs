//! Conversion of values to columns: numbers, words, times, and JSON. All columns are texts or 64-bit integers.

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::any::{AnyTypeInfo, AnyValueRef};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Any, Database, Decode, Encode, Type};

use crate::model::NodeId;

/// Implements the conversion of a type to another one that sqlx stores, and back.
macro_rules! stored_as {
    ($stored:ty: $type:ty $(where $parameter:ident)?, $encode:expr, $decode:expr) => {
        impl $(<$parameter>)? Type<Any> for $type {
            fn type_info() -> AnyTypeInfo {
                <$stored as Type<Any>>::type_info()
            }

            fn compatible(info: &AnyTypeInfo) -> bool {
                <$stored as Type<Any>>::compatible(info)
            }
        }

        impl $(<$parameter: Serialize>)? Encode<'_, Any> for $type {
            fn encode_by_ref(
                &self,
                buffer: &mut <Any as Database>::ArgumentBuffer,
            ) -> Result<IsNull, BoxDynError> {
                let encode: fn(&Self) -> Result<$stored, BoxDynError> = $encode;
                Encode::<Any>::encode(encode(self)?, buffer)
            }
        }

        impl<'r $(, $parameter: DeserializeOwned)?> Decode<'r, Any> for $type {
            fn decode(value: AnyValueRef<'r>) -> Result<Self, BoxDynError> {
                let decode: fn($stored) -> Result<Self, BoxDynError> = $decode;
                decode(<$stored as Decode<Any>>::decode(value)?)
            }
        }
    };
}

/// A number without a sign.
pub(super) struct Number(pub(super) u32);

/// A time, stored as in RFC 3339.
pub(super) struct Time(pub(super) Timestamp);

/// A unit variant, stored as its JSON name.
pub(super) struct Word<T>(pub(super) T);

/// Any other value, stored as JSON.
pub(super) struct Json<T>(pub(super) T);

stored_as!(i64: NodeId, |id| Ok(id.number().into()), |id| Ok(NodeId(u32::try_from(id)?.try_into()?)));
stored_as!(i64: Number, |number| Ok(number.0.into()), |number| Ok(Number(number.try_into()?)));
stored_as!(String: Time, |time| Ok(time.0.to_string()), |text| Ok(Time(text.parse()?)));
stored_as!(
    String: Word<T> where T,
    |word| match serde_json::to_value(&word.0)? {
        Value::String(word) => Ok(word),
        other => Err(format!("{other} is no word").into()),
    },
    |word| Ok(Word(serde_json::from_value(word.into())?))
);
stored_as!(
    String: Json<T> where T,
    |value| Ok(serde_json::to_string(&value.0)?),
    |text| Ok(Json(serde_json::from_str(&text)?))
);
