//! Names: no type name has two meanings in a crate, and some words are not used.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item};

use crate::workspace::{self, LIBRARIES};

/// The type names that a crate defines several times, and why.
const DUPLICATES: &[(&str, &str, &str)] = &[
    ("tool-core", "Inner", "private to two modules: the state that the clones of a handle share"),
    ("tool-core", "Prompt", "`op::Prompt` is an operation as a type, like `op::Read`"),
    ("tool-core", "Provider", "`marker::Provider` only distinguishes implementations of `IntoTools`"),
    ("tool-core", "Results", "one for each state of the feature `results`; only one is compiled"),
    ("tool-core", "Schema", "private to two files of one folder, with one meaning"),
];

/// Words that say too little about a value.
const WORDS: [&str; 8] = ["written", "told", "asked", "known", "apart", "home", "offer", "news"];

/// Names of other crates that have one of the words.
const FOREIGN: [&str; 2] = ["KNOWN_VERSIONS", "home_dir"];

#[test]
fn type_names_are_defined_once_in_a_crate() {
    let mut found = Vec::new();
    for library in LIBRARIES {
        let mut files = BTreeMap::<String, BTreeSet<String>>::new();
        for path in workspace::sources(workspace::member(library)) {
            if path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs") {
                continue;
            }
            for name in type_names(&syn::parse_file(&workspace::read(&path)).unwrap()) {
                // A name may have several definitions in one file, one for each platform.
                files.entry(name).or_default().insert(path.display().to_string());
            }
        }
        found.extend(files.into_iter().filter(|(_, files)| files.len() > 1).map(|file| (library, file)));
    }
    let is_listed = |library, name: &str| DUPLICATES.iter().any(|it| (it.0, it.1) == (library, name));
    let unlisted: Vec<_> = found.iter().filter(|(library, (name, _))| !is_listed(library, name)).collect();
    assert!(unlisted.is_empty(), "types of one name: {unlisted:#?}");
    for (library, name, _) in DUPLICATES {
        assert!(found.iter().any(|(it, (other, _))| it == library && other == name), "`{name}` is unique");
    }
}

#[test]
fn some_words_are_no_names() {
    let mut found = Vec::new();
    for path in workspace::rust_files() {
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut names = vec![module];
        // A case of `tests/ui` may have unbalanced brackets.
        let Ok(tokens) = workspace::read(&path).parse() else { continue };
        identifiers(tokens, &mut names);
        names.retain(|name| has_refused_word(name) && !FOREIGN.contains(&name.as_str()));
        names.sort();
        names.dedup();
        found.extend(names.into_iter().map(|name| format!("{}: {name}", path.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn types_and_words_are_found_wherever_they_stand() {
    let file = "struct A; mod inner { enum B {} } trait C { type D; } fn f() { struct E; }
        type F = u8; union G { a: u8 } #[cfg(test)] mod tests { struct H; }";
    let names = type_names(&syn::parse_file(file).unwrap());
    assert_eq!(names, ["A", "B", "C", "E", "F", "G"]);
    for (name, is_refused) in [
        ("asked", true),
        ("first_asked", true),
        ("AskedTwice", true),
        ("MOST_ASKED", true),
        ("r#asked", true),
        ("unknown", false),
        ("ask", false),
        ("newsletter", false),
    ] {
        assert_eq!(has_refused_word(name), is_refused, "{name}");
    }
    let mut names = Vec::new();
    identifiers("fn f() { g!(a.told()) } // asked".parse().unwrap(), &mut names);
    assert_eq!(names, ["fn", "f", "g", "a", "told"]);
}

/// Returns the names of the types, traits and aliases of a file, outside of tests.
fn type_names(file: &syn::File) -> Vec<String> {
    let mut names = TypeNames(Vec::new());
    names.visit_file(file);
    names.0
}

struct TypeNames(Vec<String>);

impl<'ast> Visit<'ast> for TypeNames {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Mod(item) => (&item.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if !attributes.iter().any(is_test) {
            self.0.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
}

/// Collects every identifier of the code.
fn identifiers(code: TokenStream, names: &mut Vec<String>) {
    for token in code {
        match token {
            TokenTree::Ident(name) => names.push(name.to_string()),
            TokenTree::Group(group) => identifiers(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns `true` if a word of the name is one of [`WORDS`].
fn has_refused_word(name: &str) -> bool {
    let name = name.trim_start_matches("r#");
    let mut words = String::new();
    let mut before = '_';
    for character in name.chars() {
        if character.is_uppercase() && before.is_lowercase() {
            words.push('_');
        }
        words.extend(character.to_lowercase());
        before = character;
    }
    words.split('_').any(|word| WORDS.contains(&word))
}
