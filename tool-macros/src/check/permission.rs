//! The grammar of `permission`: names with `,` between them are all required, with `+` any is enough.

use crate::diagnostics::{Errors, Place};
use crate::model::Permission;
use crate::parse::Attribute;

/// What is wrong with a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    Mixed,
    EmptyPart(char),
    Twice(String),
}

/// Reads `a, b` as both, and `a + b` as any of them.
pub(super) fn read(text: &str) -> Result<Permission, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::Empty);
    }
    let any = text.contains('+');
    if any && text.contains(',') {
        return Err(Fault::Mixed);
    }
    let separator = if any { '+' } else { ',' };
    let mut names: Vec<String> = Vec::new();
    for name in text.split(separator).map(str::trim) {
        if name.is_empty() {
            return Err(Fault::EmptyPart(separator));
        }
        if names.iter().any(|earlier| earlier == name) {
            return Err(Fault::Twice(name.to_owned()));
        }
        names.push(name.to_owned());
    }
    Ok(Permission { names, any })
}

// A permission that is misread lets the wrong people in, so that only two readings are allowed.
pub(super) fn check_permission(attribute: &Attribute, errors: &mut Errors) {
    let Some(given) = &attribute.permission else { return };
    let Err(fault) = read(&given.value) else { return };
    let (fact, help) = match fault {
        Fault::Empty => (
            "the permission is empty".to_owned(),
            "name one, as in `permission = \"node.view\"`, or drop `permission`".to_owned(),
        ),
        Fault::Mixed => (
            "`permission` mixes `,` and `+`".to_owned(),
            "write `a, b` where both are required, or `a + b` where one is enough".to_owned(),
        ),
        Fault::EmptyPart(separator) => (
            format!("a name is missing beside `{separator}` in `permission`"),
            format!("write a name on both sides of each `{separator}`"),
        ),
        Fault::Twice(name) => (format!("`permission` names `{name}` twice"), "keep one".to_owned()),
    };
    errors.push(Place::Attribute, &given.tokens, fact, help);
}

#[cfg(test)]
mod tests {
    use super::{Fault, Permission, read};

    #[test]
    fn a_list_is_all_of_them_or_any_of_them() {
        let permission = |names: &[&str], any| {
            Ok(Permission { names: names.iter().map(|name| (*name).to_owned()).collect(), any })
        };
        assert_eq!(read("node.view"), permission(&["node.view"], false));
        assert_eq!(read(" node.view ,node.edit"), permission(&["node.view", "node.edit"], false));
        assert_eq!(
            read("edit any page+view any page"),
            permission(&["edit any page", "view any page"], true)
        );
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for text in ["", " ", "\t\n"] {
            assert_eq!(read(text), Err(Fault::Empty), "{text:?}");
        }
        for text in ["a, b + c", "+,", "a+,b"] {
            assert_eq!(read(text), Err(Fault::Mixed), "{text:?}");
        }
        for text in [",", "a,", ",a", "a,,b", "a, ,b"] {
            assert_eq!(read(text), Err(Fault::EmptyPart(',')), "{text:?}");
        }
        for text in ["+", "a +", "a + + b"] {
            assert_eq!(read(text), Err(Fault::EmptyPart('+')), "{text:?}");
        }
        assert_eq!(read("a, b ,a"), Err(Fault::Twice("a".to_owned())));
    }
}
