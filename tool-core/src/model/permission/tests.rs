//! Tests of the text form and of implication.

use super::Permission;
use crate::model::access::Principal;

fn read(text: &str) -> Permission {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn round_trips_the_text_form() {
    for (text, canonical) in [
        ("node.view", "node.view"),
        (" edit any page ", "edit any page"),
        ("https://example.org/auth/drive.read-only", "https://example.org/auth/drive.read-only"),
        ("all", "all"),
        ("all( a,b )", "all(a, b)"),
        ("any(a)", "a"),
        ("any (admin, all(node.view, any(b, c)) )", "any(admin, all(node.view, any(b, c)))"),
    ] {
        assert_eq!(read(text).to_string(), canonical, "{text}");
        assert_eq!(read(canonical), read(text), "{text}");
        assert_eq!(read(text).check(), Ok(()), "{text}");
    }
}

#[test]
fn rejects_ambiguous_text() {
    let deep = "all(".repeat(17) + "a" + &")".repeat(17);
    for (text, reason) in [
        ("", "a name is missing"),
        (" \t", "a name is missing"),
        ("a, b", "a name cannot contain `,`"),
        ("a + b", "a name cannot contain `+`"),
        ("a && b", "a name cannot contain `&`"),
        ("!a", "a name cannot contain `!`"),
        ("\"a\"", "a name cannot contain `\"`"),
        ("a\u{0}", "a control character"),
        ("all()", "a list is empty"),
        ("any(a,)", "a name is missing"),
        ("any(a,,b)", "a name is missing"),
        ("any(a, b", "parentheses do not match"),
        ("any(a, b))", "parentheses do not match"),
        ("any(a b(c))", "only `all(…)` and `any(…)` are lists"),
        ("all(a) b", "something follows a list"),
        ("none(a)", "only `all(…)` and `any(…)` are lists"),
        ("(a, b)", "only `all(…)` and `any(…)` are lists"),
        (&deep, "it nests more than 16 lists"),
    ] {
        let error = text.parse::<Permission>().expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
        assert!(error.contains("write a name, `all(a, b)` if each is required"), "{error}");
    }
}

#[test]
fn checks_permissions_built_in_code() {
    let none: [&str; 0] = [];
    let deep = (0..17).fold(Permission::from("a"), |inner, _| Permission::all([inner, "b".into()]));
    for (permission, reason) in [
        (Permission::all(none), "a list is empty"),
        (Permission::any(none), "a list is empty"),
        (Permission::any([Permission::all(["a", "b"]), Permission::from("c, d")]), "cannot contain `,`"),
        (Permission::from(" a"), "begin or end with a space"),
        (deep, "it nests more than 16 lists"),
    ] {
        let error = permission.check().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn evaluates_nested_permissions_and_names_what_is_missing() {
    let permission = read("all(see, any(admin, all(view, edit)))");
    let caller = |names: &[&str]| names.iter().copied().fold(Principal::local(), Principal::grant);
    for (granted, lack) in [
        (&["see", "admin"][..], None),
        (&["see", "view", "edit"], None),
        (
            &["see", "view"],
            Some("one of the permissions `admin`, `all(view, edit)`, of which the caller has none"),
        ),
        (&["admin"], Some("the permission `see`, which the caller does not have")),
        (&[], Some("the permissions `see`, `any(admin, all(view, edit))`, which the caller does not have")),
    ] {
        let caller = caller(granted);
        assert_eq!(permission.lack(&caller).as_deref(), lack, "{granted:?}");
        assert_eq!(permission.is_met_by(&caller), lack.is_none(), "{granted:?}");
    }
}

#[test]
fn names_everything_that_the_nearest_alternative_needs() {
    let permission = read("all(see, any(admin, all(view, edit)))");
    let caller = |names: &[&str]| names.iter().copied().fold(Principal::local(), Principal::grant);
    for (granted, needed) in [
        (&[][..], &["see", "admin"][..]),
        (&["admin"], &["see", "admin"]),
        (&["view", "edit"], &["see", "view", "edit"]),
        // One is lacking either way: the first alternative counts.
        (&["see", "view"], &["see", "admin"]),
    ] {
        assert_eq!(permission.needed_by(&caller(granted)), needed, "{granted:?}");
    }
    assert_eq!(read("all(a, all(b, a))").needed_by(&caller(&[])), ["a", "b"]);
    assert!(Permission::any([""; 0]).needed_by(&caller(&[])).is_empty());
}

#[test]
fn decides_implications() {
    for (old, new, implied) in [
        ("a", "any(a, b)", true),
        ("any(a, b)", "a", false),
        ("all(a, b)", "any(b, c)", true),
        ("any(a, all(b, c))", "all(any(a, b), any(a, c))", true),
        ("all(any(a, b), any(a, c))", "any(a, all(b, c))", true),
        ("any(a, all(b, c))", "any(a, all(b, c, d))", false),
    ] {
        assert_eq!(read(old).implies(&read(new)), implied, "{old} => {new}");
    }
    // Ten pairs have 1024 alternatives; eleven have too many.
    let pairs = |count: usize| {
        Permission::all((0..count).map(|at| Permission::any([format!("a{at}"), format!("b{at}")])))
    };
    assert!(pairs(10).implies(&read("any(a0, b0)")));
    assert!(!pairs(11).implies(&read("any(a0, b0)")));
}
