//! One pass over the arguments object: each input's text into its slot, nothing decoded and nothing lost.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::call::reader::InputPlan;

/// The texts of the arguments, in the order of the inputs.
#[derive(Debug)]
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
    /// Something that wants a closer look: an unknown name, one given twice, no object, or no JSON at all.
    Suspect,
}

/// Sorts the members of an arguments object into slots.
pub(crate) fn scan<'c>(text: &'c str, plan: &[InputPlan]) -> Scan<'c> {
    let mut slots = Slots(vec![None; plan.len()]);
    let mut json = serde_json::Deserializer::from_str(text);
    let object = Object { plan, slots: &mut slots.0 };
    match json.deserialize_map(object).and_then(|()| json.end()) {
        Ok(()) => Scan::Clean(slots),
        Err(_) => Scan::Suspect,
    }
}

struct Object<'s, 'c> {
    plan: &'s [InputPlan],
    slots: &'s mut [Option<&'c str>],
}

impl<'c> Visitor<'c> for Object<'_, 'c> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'c>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(position) = map.next_key_seed(Name(self.plan))? {
            let slot = self.slots.get_mut(position).ok_or_else(|| A::Error::custom("unknown input"))?;
            if slot.is_some() {
                return Err(A::Error::custom("given twice"));
            }
            *slot = Some(map.next_value::<&RawValue>()?.get());
        }
        Ok(())
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
