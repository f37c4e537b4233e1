//! JSON in its canonical form (RFC 8785): sorted members, shortest numbers, no white space.

use serde_json::{Number, Value};

/// The one text of a JSON value.
///
/// Numbers with a fraction are written as ECMAScript does. Integers are written in full: RFC 8785 would round those
/// beyond 2^53, and two schemas that differ would then have one digest.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&written(number)),
        Value::Array(items) => {
            out.push('[');
            separated(items, out, write);
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            separated(&members, out, |(name, value), out| {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(value, out);
            });
            out.push('}');
        }
        // serde_json escapes in strings exactly what RFC 8785 section 3.2.2.2 asks for.
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
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

fn written(number: &Number) -> String {
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
    fn the_example_of_the_rfc() {
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
    fn members_are_sorted_by_utf_16_code_units() {
        let value =
            json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        let names = ["\\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"];
        let numbers = [2, 4, 6, 7, 1, 5, 3];
        let members: Vec<_> = names.iter().zip(numbers).map(|(name, n)| format!("\"{name}\":{n}")).collect();
        assert_eq!(canonical(&value), format!("{{{}}}", members.join(",")));
    }

    #[test]
    fn integers_beyond_2_53_stay_exact() {
        assert_eq!(
            canonical(&json!([9_007_199_254_740_993_u64, u64::MAX, i64::MIN])),
            "[9007199254740993,18446744073709551615,-9223372036854775808]"
        );
    }
}
