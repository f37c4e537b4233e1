//! One pass over the arguments object: the text of each input moves into its slot, without decoding.
//!
//! The scan finds where each value ends and validates none: every slot is decoded by the type of its input, and invalid JSON
//! does not decode. The text between the values is checked here, so that a clean object whose slots all decode is valid JSON
//! without duplicate members. UTF-8 is validated by decoding as well.

use crate::declare::layout::MemberLayout;
use crate::declare::slots::Slots;
use crate::schema::json::string::end_of_string;

/// The result of a scan.
pub(crate) struct Scan<'c> {
    /// The texts of the inputs, also for a text that is not clean.
    pub(crate) slots: Slots<'c>,
    /// Whether the text is an object with known names only, each at most once. Otherwise there is an unknown or duplicate name,
    /// or the text is not an object or not JSON.
    pub(crate) clean: bool,
}

/// Moves the members of an arguments object into slots.
pub(crate) fn scan<'c>(arguments: &'c [u8], plan: &[MemberLayout]) -> Scan<'c> {
    let mut scan = Scan { slots: Slots::new(plan.len()), clean: false };
    scan.clean = sort(arguments, plan, &mut scan.slots).unwrap_or(false);
    scan
}

/// Returns `true` if every name is known and unique; `None` if the bytes are not an object.
fn sort<'c>(bytes: &'c [u8], plan: &[MemberLayout], slots: &mut Slots<'c>) -> Option<bool> {
    let mut clean = true;
    let mut at = behind_space(bytes, behind(b'{', bytes, 0)?);
    let mut expected = 0;
    while expected > 0 || bytes.get(at) != Some(&b'}') {
        // Most arguments have the order of the inputs.
        let position;
        (position, at) = match plan.get(expected) {
            Some(input) if bytes[at..].starts_with(input.quoted.as_bytes()) => {
                (Some(expected), at + input.quoted.len())
            }
            _ => named(bytes, at, plan)?,
        };
        let value = behind_space(bytes, behind(b':', bytes, at)?);
        at = end_of_value(bytes, value)?;
        clean &= match position {
            Some(position) => slots.fill(position, &bytes[value..at]),
            None => false,
        };
        at = behind_space(bytes, at);
        match bytes.get(at)? {
            b',' => at = behind_space(bytes, at + 1),
            b'}' => break,
            _ => return None,
        }
        expected += 1;
    }
    (behind_space(bytes, at + 1) == bytes.len()).then_some(clean)
}

/// Returns the input whose name begins here, also if it has escapes, and where the name ends.
#[inline(never)]
fn named(bytes: &[u8], start: usize, plan: &[MemberLayout]) -> Option<(Option<usize>, usize)> {
    let end = end_of_string(bytes, behind(b'"', bytes, start)?);
    let quoted = str::from_utf8(&bytes[start..end]).ok()?;
    let position = if quoted.contains('\\') {
        let name: String = serde_json::from_str(quoted).ok()?;
        plan.iter().position(|input| input.name == name)
    } else {
        plan.iter().position(|input| input.quoted == quoted)
    };
    Some((position, end))
}

// Positions in the text of a JSON value. A truncated value ends with the text.

#[inline]
fn behind_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Returns the position after this byte and the white space before it.
#[inline]
fn behind(byte: u8, bytes: &[u8], at: usize) -> Option<usize> {
    let at = behind_space(bytes, at);
    (bytes.get(at) == Some(&byte)).then_some(at + 1)
}

/// Returns the position after the value that begins here.
#[inline(always)]
fn end_of_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(end_of_string(bytes, at + 1)),
        b'[' | b'{' => end_of_nested(bytes, at),
        _ => {
            // A number or a literal.
            while let Some(byte) = bytes.get(at)
                && !matches!(byte, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
            {
                at += 1;
            }
            Some(at)
        }
    }
}

/// Returns the position after the array or the object that begins here.
#[inline(never)]
fn end_of_nested(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        let byte = bytes.get(at)?;
        at += 1;
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 1 => return Some(at),
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::declare::presence::Presence;
    use crate::schema::json::parse;

    fn layout() -> [MemberLayout; 3] {
        ["a", "b\"c", "d"].map(|name| MemberLayout::new(name.into(), Presence::Optional, None))
    }

    /// Returns the members, if a scan is clean and every value would decode.
    fn accepted(text: &str) -> Option<Value> {
        let layout = layout();
        let Scan { slots, clean: true } = scan(text.as_bytes(), &layout) else { return None };
        let member = |(position, input): (usize, &MemberLayout)| {
            let value = slots.get(position).map(|value| parse::parse(str::from_utf8(value).unwrap()))?;
            Some(value.map(|value| (input.name.to_string(), value)))
        };
        let members =
            layout.iter().enumerate().filter_map(member).collect::<Result<serde_json::Map<_, _>, _>>();
        members.ok().map(Value::Object)
    }

    #[test]
    fn sorts_members_into_slots() {
        for (text, slots) in [
            ("{}", [None, None, None]),
            (" {\n\t} ", [None, None, None]),
            (r#"{"d":1,"a":-2.5e3}"#, [Some("-2.5e3"), None, Some("1")]),
            (
                r#" { "a" : "x\\\"," , "d" : [ "]" , {"a":1} ] } "#,
                [Some(r#""x\\\",""#), None, Some(r#"[ "]" , {"a":1} ]"#)],
            ),
            (r#"{"b\"c":null,"\u0061":true}"#, [Some("true"), Some("null"), None]),
        ] {
            let Scan { slots: found, clean: true } = scan(text.as_bytes(), &layout()) else {
                panic!("{text}")
            };
            let slots = slots.map(|slot: Option<&str>| slot.map(str::as_bytes));
            assert_eq!([0, 1, 2].map(|position| found.get(position)), slots, "{text}");
        }
    }

    #[test]
    fn supports_more_inputs_than_fit_inline() {
        let names: [&'static str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let layout = names.map(|name| MemberLayout::new(name.into(), Presence::Required, None));
        let Scan { slots, clean: true } = scan(br#"{"h":8,"a":1,"g":7}"#, &layout) else {
            panic!("it is clean")
        };
        assert_eq!([0, 6, 7].map(|position| slots.get(position)), [Some(&b"1"[..]), Some(b"7"), Some(b"8")]);
        assert!(matches!(scan(br#"{"h":8,"h":8}"#, &layout), Scan { clean: false, .. }));
    }

    #[test]
    fn keeps_slots_of_unclean_scans() {
        for text in [
            r#"{"a":1,"x":2,"d":3}"#,
            r#"{"a":0,"\u0061":1,"d":3}"#,
            r#"{"a":1,"d":3,}"#,
            r#"{"a":1,"d":3}1"#,
        ] {
            let Scan { slots, clean: false } = scan(text.as_bytes(), &layout()) else { panic!("{text}") };
            assert_eq!((slots.get(0), slots.get(2)), (Some(&b"1"[..]), Some(&b"3"[..])), "{text}");
        }
    }

    #[test]
    fn rejects_invalid_utf_8() {
        let good = br#" { "a" : "x" , "\u0064" : [ 1 ] } "#;
        let decodes = |bytes: &[u8]| {
            let layout = layout();
            let Scan { slots, clean: true } = scan(bytes, &layout) else { return false };
            let given = (0..layout.len()).filter_map(|position| slots.get(position));
            given.map(serde_json::from_slice::<Value>).all(|value| value.is_ok())
        };
        assert!(decodes(good));
        for at in 0..=good.len() {
            for wrong in [&b"\xff"[..], b"\xc3", b"\xe2\x82", b"\xed\xa0\x80"] {
                let bytes = [&good[..at], wrong, &good[at..]].concat();
                assert!(!decodes(&bytes), "{at} {wrong:?}");
            }
        }
    }

    /// Tries every text that differs from a valid one by one byte: if it passes, it must be JSON with the same value for the
    /// strict parser.
    #[test]
    fn agrees_with_the_strict_parser() {
        const BYTES: &str = "\"\\{}[]:,0-.e+ \t\n\u{1}\u{feff}\u{7f}ntabdué";
        let mut passed = 0;
        for seed in
            [r#"{"a":-1.5e3,"d":[null,"x",{"a":"}"}]}"#, r#"{"b\"c":"é\u0061\ud83d\ude00","d":true}"#, "{ }"]
        {
            for at in (0..=seed.len()).filter(|at| seed.is_char_boundary(*at)) {
                let (before, after) = seed.split_at(at);
                let mut rest = after.chars();
                rest.next();
                for put in BYTES.chars().map(String::from).chain([String::new()]) {
                    for text in [format!("{before}{put}{after}"), format!("{before}{put}{}", rest.as_str())] {
                        let Some(read) = accepted(&text) else { continue };
                        assert_eq!(parse::parse(&text).ok(), Some(read), "{text}");
                        passed += 1;
                    }
                }
            }
        }
        assert!(passed > 200, "{passed} texts passed");
    }
}
