//! Mutates JSON, so that it may become invalid.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::agreement::generate::any_json;
use crate::agreement::json::{Json, Spelling};

/// A change of one value.
#[derive(Clone, Debug)]
enum Mutation {
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
    let mutations = proptest::collection::vec((any::<Index>(), mutation()), 1..4);
    let mutated = mutations.prop_map(move |mutations| {
        let mut arguments = arguments.clone();
        for (at, mutation) in mutations {
            let mut number = at.index(arguments.count());
            if let Some(value) = arguments.at(&mut number) {
                apply(value, mutation);
            }
        }
        arguments
    });
    prop_oneof![9 => mutated, 1 => any_json()].boxed()
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let name =
        select(vec!["value", "optional", "x", "kind", "Value", "latitude", "0", ""]).prop_map(str::to_owned);
    prop_oneof![
        2 => any_json().prop_map(Mutation::Replace),
        1 => Just(Mutation::Replace(Json::Null)),
        2 => select(vec![1, -1, 255, 256, i128::from(i64::MAX), -(1 << 40)]).prop_map(Mutation::Shift),
        1 => "[a-z\u{1f600}]{1,2}".prop_map(Mutation::Lengthen),
        1 => Just(Mutation::Shorten),
        1 => Just(Mutation::UpperCase),
        1 => Just(Mutation::Wrap),
        1 => Just(Mutation::Quote),
        2 => any::<Index>().prop_map(Mutation::Drop),
        2 => (name, any_json()).prop_map(|(name, value)| Mutation::Add(name, value)),
        1 => any::<Index>().prop_map(Mutation::Repeat),
        1 => Just(Mutation::Swap),
    ]
}

fn apply(value: &mut Json, mutation: Mutation) {
    match (mutation, value) {
        (Mutation::Replace(other), value) => *value = other,
        (Mutation::Wrap, value) => *value = Json::List(vec![value.clone()]),
        (Mutation::Quote, value) => *value = Json::Text(value.to_string(), false),
        (Mutation::Shift(by), Json::Integer(number, spelling)) => {
            *number = number.saturating_add(by);
            *spelling = Spelling::Digits;
        }
        (Mutation::Lengthen(more), Json::Text(text, _)) => text.push_str(&more),
        (Mutation::Shorten, Json::Text(text, _)) => _ = text.pop(),
        (Mutation::UpperCase, Json::Text(text, _)) => *text = text.to_uppercase(),
        (Mutation::Drop(at), Json::List(items)) if !items.is_empty() => {
            _ = items.remove(at.index(items.len()));
        }
        (Mutation::Drop(at), Json::Object(members)) if !members.is_empty() => {
            members.remove(at.index(members.len()));
        }
        (Mutation::Add(_, item), Json::List(items)) => items.push(item),
        (Mutation::Add(name, item), Json::Object(members)) => members.push((name, item)),
        (Mutation::Repeat(at), Json::List(items)) if !items.is_empty() => {
            items.push(items[at.index(items.len())].clone());
        }
        (Mutation::Repeat(at), Json::Object(members)) if !members.is_empty() => {
            members.push(members[at.index(members.len())].clone());
        }
        (Mutation::Swap, Json::List(items)) => items.reverse(),
        (Mutation::Swap, Json::Object(members)) if members.len() > 1 => {
            let last = members.len() - 1;
            let (first, rest) = members.split_at_mut(last);
            std::mem::swap(&mut first[0].1, &mut rest[0].1);
        }
        _ => {}
    }
}
