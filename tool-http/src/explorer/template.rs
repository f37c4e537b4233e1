//! The variables of the page.

/// Replaces each `{{NAME}}` with its value, escaped for HTML text and attributes.
///
/// Values are not expanded again.
pub(super) fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len() + 256);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let variable = after.split_once("}}").and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(key, _)| *key == name)?;
            Some((value, after))
        });
        text.push_str(before);
        rest = match variable {
            Some((value, after)) => {
                push_escaped(&mut text, value);
                after
            }
            None => {
                text.push_str("{{");
                after
            }
        };
    }
    text.push_str(rest);
    text
}

/// Returns the prefix of the page's files, relative to the requested path.
///
/// A router that is nested under `/api` also answers at `/api`, where `tools` would resolve to `/tools`: the last segment is
/// repeated. With a trailing slash, the prefix is empty.
pub(super) fn base(path: &str) -> String {
    // Without `./`, a segment with a colon would be parsed as a scheme.
    match path.rsplit_once('/') {
        Some((_, "")) | None => "./".to_owned(),
        Some((_, segment)) => format!("./{segment}/"),
    }
}

fn push_escaped(text: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_values_once() {
        let hostile = r#"</title><script>alert('$&')</script> {{TITLE}} {{ALLOW_EXECUTE}} &amp; "x""#;
        let page = render(
            "<title>{{TITLE}}</title>{{ALLOW_EXECUTE}}",
            &[("TITLE", hostile), ("ALLOW_EXECUTE", "false")],
        );
        assert_eq!(
            page,
            "<title>&lt;/title&gt;&lt;script&gt;alert(&#39;$&amp;&#39;)&lt;/script&gt; {{TITLE}} \
             {{ALLOW_EXECUTE}} &amp;amp; &quot;x&quot;</title>false"
        );
    }

    #[test]
    fn keeps_unknown_variables() {
        let values = [("A", "1")];
        for text in ["{{", "}}", "{{B}}", "{{ A }}", "{A}", "{{A", ""] {
            assert_eq!(render(text, &values), text);
        }
        assert_eq!(render("{{{{A}}}}", &values), "{{1}}");
    }

    #[test]
    fn computes_the_base_path() {
        assert_eq!(base("/"), "./");
        assert_eq!(base("/api/"), "./");
        assert_eq!(base("/api"), "./api/");
        assert_eq!(base("/a/b:c"), "./b:c/");
    }
}
