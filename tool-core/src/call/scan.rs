//! One pass over the arguments object: each input's text into its slot, nothing decoded and nothing lost.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::call::plan::InputPlan;

/// The texts of the arguments, in the order of the members that there may be.
pub(crate) struct Slots<'c>(Vec<Option<&'c str>>);

impl<'c> Slots<'c> {
    pub(crate) fn get(&self, position: usize) -> Option<&'c str> {
        self.0.get(position).copied().flatten()
    }
}

/// What a scan found.
pub(crate) enum Scan<'c> {
    /// An object with known names only, each at most once.
    Clean(Slots<'c>),
    /// Something that wants a closer look: an unknown name, one given twice, no object, or no JSON at all. What was read
    /// of the known ones is kept.
    Suspect(Slots<'c>),
}

/// Sorts the members of an arguments object into slots.
pub(crate) fn scan<'c>(text: &'c str, plan: &[InputPlan]) -> Scan<'c> {
    let mut slots = Slots(vec![None; plan.len()]);
    let mut json = serde_json::Deserializer::from_str(text);
    let object = Object { plan, slots: &mut slots.0 };
    match json.deserialize_map(object).and_then(|clean| json.end().map(|()| clean)) {
        Ok(true) => Scan::Clean(slots),
        Ok(false) | Err(_) => Scan::Suspect(slots),
    }
}

struct Object<'s, 'c> {
    plan: &'s [InputPlan],
    slots: &'s mut [Option<&'c str>],
}

impl<'c> Visitor<'c> for Object<'_, 'c> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// Whether every name was known, and given once.
    fn visit_map<A: MapAccess<'c>>(self, mut map: A) -> Result<bool, A::Error> {
        let mut clean = true;
        while let Some(position) = map.next_key_seed(Name(self.plan))? {
            let text = map.next_value::<&RawValue>()?.get();
            match self.slots.get_mut(position) {
                Some(slot) => clean &= slot.replace(text).is_none(),
                None => clean = false,
            }
        }
        Ok(clean)
    }
}

/// Reads a member's name as the position of its input; one past the last for an unknown name.
struct Name<'s>(&'s [InputPlan]);

impl<'c> DeserializeSeed<'c> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'c>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an input")
    }

    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        Ok(self.0.iter().position(|input| input.name == name).unwrap_or(self.0.len()))
    }
}
