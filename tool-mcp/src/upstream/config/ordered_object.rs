//! A JSON object that keeps the order of its members, and duplicates.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// The members of a JSON object in their order, with duplicates.
pub(super) struct OrderedObject<T>(Vec<(String, T)>);

impl<T> OrderedObject<T> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrderedObjectVisitor(PhantomData))
    }
}

struct OrderedObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedObjectVisitor<T> {
    type Value = OrderedObject<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(OrderedObject(members))
    }
}
