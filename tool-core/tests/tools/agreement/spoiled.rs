//! JSON with something wrong with it, or not.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::agreement::json::{Json, Spelling};
use crate::agreement::made::any_json;

/// One thing that is done to one value.
#[derive(Clone, Debug)]
enum Damage {
    Replace(Json),
    /// Another number nearby, or on the other side of a limit.
    Shift(i128),
    Lengthen(String),
    Shorten,
    UpperCase,
    /// As a list of itself.
    Wrap,
    /// As the text of itself.
    Quote,
    Drop(Index),
    Add(String, Json),
    Repeat(Index),
    Swap,
}

pub(crate) fn from(arguments: Json) -> BoxedStrategy<Json> {
    let damages = proptest::collection::vec((any::<Index>(), damage()), 1..4);
    let spoiled = damages.prop_map(move |damages| {
        let mut arguments = arguments.clone();
        for (at, damage) in damages {
            let mut number = at.index(arguments.count());
            if let Some(value) = arguments.at(&mut number) {
                spoil(value, damage);
            }
        }
        arguments
    });
    prop_oneof![9 => spoiled, 1 => any_json()].boxed()
}

fn damage() -> impl Strategy<Value = Damage> {
    let name =
        select(vec!["value", "optional", "x", "kind", "Value", "latitude", "0", ""]).prop_map(str::to_owned);
    prop_oneof![
        2 => any_json().prop_map(Damage::Replace),
        1 => Just(Damage::Replace(Json::Null)),
        2 => select(vec![1, -1, 255, 256, i128::from(i64::MAX), -(1 << 40)]).prop_map(Damage::Shift),
        1 => "[a-z\u{1f600}]{1,2}".prop_map(Damage::Lengthen),
        1 => Just(Damage::Shorten),
        1 => Just(Damage::UpperCase),
        1 => Just(Damage::Wrap),
        1 => Just(Damage::Quote),
        2 => any::<Index>().prop_map(Damage::Drop),
        2 => (name, any_json()).prop_map(|(name, value)| Damage::Add(name, value)),
        1 => any::<Index>().prop_map(Damage::Repeat),
        1 => Just(Damage::Swap),
    ]
}

fn spoil(value: &mut Json, damage: Damage) {
    match (damage, value) {
        (Damage::Replace(other), value) => *value = other,
        (Damage::Wrap, value) => *value = Json::List(vec![value.clone()]),
        (Damage::Quote, value) => *value = Json::Text(value.to_string(), false),
        (Damage::Shift(by), Json::Integer(number, spelling)) => {
            *number = number.saturating_add(by);
            *spelling = Spelling::Digits;
        }
        (Damage::Lengthen(more), Json::Text(text, _)) => text.push_str(&more),
        (Damage::Shorten, Json::Text(text, _)) => _ = text.pop(),
        (Damage::UpperCase, Json::Text(text, _)) => *text = text.to_uppercase(),
        (Damage::Drop(at), Json::List(items)) if !items.is_empty() => _ = items.remove(at.index(items.len())),
        (Damage::Drop(at), Json::Object(members)) if !members.is_empty() => {
            members.remove(at.index(members.len()));
        }
        (Damage::Add(_, item), Json::List(items)) => items.push(item),
        (Damage::Add(name, item), Json::Object(members)) => members.push((name, item)),
        (Damage::Repeat(at), Json::List(items)) if !items.is_empty() => {
            items.push(items[at.index(items.len())].clone());
        }
        (Damage::Repeat(at), Json::Object(members)) if !members.is_empty() => {
            members.push(members[at.index(members.len())].clone());
        }
        (Damage::Swap, Json::List(items)) => items.reverse(),
        (Damage::Swap, Json::Object(members)) if members.len() > 1 => {
            let last = members.len() - 1;
            let (first, rest) = members.split_at_mut(last);
            std::mem::swap(&mut first[0].1, &mut rest[0].1);
        }
        _ => {}
    }
}
