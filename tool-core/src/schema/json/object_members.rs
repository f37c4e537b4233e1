//! The members of a JSON object in their order.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// The members of a JSON object in their order, with duplicates. With [`RawValue`](serde_json::value::RawValue)s, the text
/// of each value stays as it was.
///
/// ```
/// use serde_json::value::RawValue;
/// use tool_core::adapter::ObjectMembers;
///
/// let members: ObjectMembers<&RawValue> = serde_json::from_str(r#"{"b": 1.0, "a": 2}"#).unwrap();
/// assert_eq!(members.0[0].0, "b");
/// assert_eq!(members.0[0].1.get(), "1.0");
/// assert!(members.is_unique());
/// ```
#[derive(Clone, Debug)]
pub struct ObjectMembers<V>(pub Vec<(String, V)>);

impl<V> ObjectMembers<V> {
    /// Returns `true` if no name occurs twice.
    ///
    /// ```
    /// use tool_core::adapter::ObjectMembers;
    ///
    /// let members: ObjectMembers<u8> = serde_json::from_str(r#"{"a": 1, "\u0061": 2}"#).unwrap();
    /// assert!(!members.is_unique());
    /// ```
    pub fn is_unique(&self) -> bool {
        let mut names = HashSet::new();
        self.0.iter().all(|(name, _)| names.insert(name))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for ObjectMembers<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for MembersVisitor<V> {
    type Value = ObjectMembers<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ObjectMembers<V>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(ObjectMembers(members))
    }
}
