//! URIs, and their templates.

use fluent_uri::Uri;
use tool_mcp::fuzzing::UriTemplate;

/// Reads a template, which is the first line, and expands it with the next ones. The last line is a URI.
///
/// - What a template expands to is a URI, matches the template, and has the same values.
/// - A URI that matches has values that expand to a URI with the same values.
pub fn uri(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let mut lines = input.split('\n');
    let Some(template) = lines.next().and_then(UriTemplate::parse) else { return };
    let mut values: Vec<&str> = lines.collect();
    let given = values.pop().unwrap_or_default();
    let names: Vec<&str> = template.variables().collect();
    let value_of = |name: &str| {
        let position = names.iter().position(|other| *other == name)?;
        values.get(position).map(|value| (*value).to_owned())
    };
    if let Some(expanded) = template.expand(&value_of) {
        let expected = names.iter().map(|name| ((*name).to_owned(), value_of(name).unwrap_or_default()));
        check(&template, &expanded, &expected.collect::<Vec<_>>());
    }
    if let Some(matched) = template.values(given) {
        let value_of = |name: &str| matched.iter().find(|(other, _)| other == name).map(|(_, it)| it.clone());
        let expanded = template.expand(&value_of).expect("a value of a URI is allowed");
        check(&template, &expanded, &matched);
    }
}

fn check(template: &UriTemplate, expanded: &str, values: &[(String, String)]) {
    assert!(
        Uri::parse(expanded).is_ok(),
        "`{}` expands to `{expanded}`, which is not a URI",
        template.as_str()
    );
    assert_eq!(template.values(expanded).as_deref(), Some(values), "{} from `{expanded}`", template.as_str());
}
