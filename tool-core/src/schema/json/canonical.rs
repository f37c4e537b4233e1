//! Canonical JSON (RFC 8785): sorted members, shortest numbers, no white space.

use serde_json::{Number, Value};

/// Returns the canonical text of a JSON value.
///
/// Floats are written as in ECMAScript. Integers are written exactly: RFC 8785 would round those beyond 2^53, so that
/// different schemas would have the same digest.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Returns the canonical text of an object with these members.
pub(crate) fn canonical_object<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>) -> String {
    let mut text = String::new();
    write_object(members, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            separated(items, out, write);
            out.push(']');
        }
        Value::Object(members) => {
            write_object(members.iter().map(|(name, value)| (name.as_str(), value)), out);
        }
    }
}

fn write_object<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>, out: &mut String) {
    let mut members: Vec<_> = members.collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    separated(&members, out, |(name, value), out| {
        write_text(name, out);
        out.push(':');
        write(value, out);
    });
    out.push('}');
}

/// Escapes as required by RFC 8785, section 3.2.2.2, like `serde_json`.
fn write_text(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

fn separated<T>(items: &[T], out: &mut String, mut write: impl FnMut(&T, &mut String)) {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        write(item, out);
    }
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => ryu_js::Buffer::new().format(float).to_owned(),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use serde_json::{Value, json};

    #[test]
    fn matches_the_example_of_the_rfc() {
        // RFC 8785, section 3.2.2 and 3.2.3.
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let expected = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(canonical(&value), expected);
    }

    #[test]
    fn sorts_members_by_utf_16_code_units() {
        let value =
            json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        let names = ["\\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"];
        let numbers = [2, 4, 6, 7, 1, 5, 3];
        let members: Vec<_> = names.iter().zip(numbers).map(|(name, n)| format!("\"{name}\":{n}")).collect();
        assert_eq!(canonical(&value), format!("{{{}}}", members.join(",")));
    }

    /// RFC 8785, section 3.2.4: the same example as bytes.
    #[test]
    fn matches_the_bytes_of_the_rfc() {
        let value = json!({
            "numbers": [333_333_333.333_333_3, 1e30, 4.5, 2e-3, 1e-27],
            "string": "\u{20ac}$\u{f}\nA'B\"\\\\\"/",
            "literals": [null, true, false]
        });
        let expected = "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a\
                        5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d3237\
                        5d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
        let hex: String = canonical(&value).bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected);
    }

    /// RFC 8785, appendix B, without the two values that are not JSON.
    #[test]
    fn matches_the_numbers_of_the_rfc() {
        let table = [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, expected) in table {
            let number_text = canonical(&Value::from(f64::from_bits(bits)));
            assert_eq!(number_text, expected, "{bits:016x}");
            // The text round-trips.
            let again: Value = serde_json::from_str(&number_text).unwrap();
            assert_eq!(canonical(&again), expected, "{bits:016x}");
        }
    }

    /// RFC 8785, section 3.2.2.2: seven characters have a short escape, the other controls four digits in lower case, and
    /// nothing else is escaped.
    #[test]
    fn escapes_strings_as_in_the_rfc() {
        let short =
            [('\u{8}', 'b'), ('\t', 't'), ('\n', 'n'), ('\u{c}', 'f'), ('\r', 'r'), ('"', '"'), ('\\', '\\')];
        for c in (0..=0xff).filter_map(char::from_u32).chain(['\u{2028}', '\u{fb33}', '\u{1f600}']) {
            let expected = match short.iter().find(|(escaped, _)| *escaped == c) {
                Some((_, letter)) => format!("\"\\{letter}\""),
                None if c < ' ' => format!("\"\\u{:04x}\"", u32::from(c)),
                None => format!("\"{c}\""),
            };
            assert_eq!(canonical(&Value::from(c.to_string())), expected, "U+{:04X}", u32::from(c));
        }
    }

    /// The order of members does not matter, at any depth.
    #[test]
    fn ignores_the_order_of_members() {
        let inner =
            [("z", json!(1)), ("a", json!([1.0, {"y": 1, "x": 2}])), ("é", json!(null)), ("A", json!("t"))];
        let expected = r#"{"A":"t","a":[1,{"x":2,"y":1}],"z":1,"é":null}"#;
        let mut orders = 0;
        permuted(&mut inner.clone(), 0, &mut |members| {
            let object: Value =
                members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            assert_eq!(canonical(&object), expected);
            assert_eq!(
                canonical(&json!({"b": object, "a": object})),
                format!(r#"{{"a":{expected},"b":{expected}}}"#)
            );
            orders += 1;
        });
        assert_eq!(orders, 24);
    }

    fn permuted<T>(items: &mut [T], fixed: usize, visit: &mut impl FnMut(&[T])) {
        if fixed == items.len() {
            return visit(items);
        }
        for other in fixed..items.len() {
            items.swap(fixed, other);
            permuted(items, fixed + 1, visit);
            items.swap(fixed, other);
        }
    }

    #[test]
    fn keeps_integers_beyond_2_53_exact() {
        assert_eq!(
            canonical(&json!([9_007_199_254_740_993_u64, u64::MAX, i64::MIN])),
            "[9007199254740993,18446744073709551615,-9223372036854775808]"
        );
    }
}
