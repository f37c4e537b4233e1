//! Allowed imports between modules: folders are layered, and files do not import each other, except for listed pairs.
//!
//! A module names its own children by relative paths (`child::function`), which are not counted: a parent is built from
//! its children.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::workspace::{self, LIBRARIES};

/// The folders of `tool-core/src`, from the bottom to the top. A module imports its own folder and those below it.
const FLOORS: [&str; 12] = [
    "schema",
    "model",
    "context",
    "declare",
    "tasks",
    "definition",
    "results",
    "call",
    "registry",
    "lock",
    "lint",
    "testing",
];

/// Pairs of files that import each other, and why. Larger circles are not allowed.
const PAIRS: &[(&str, [&str; 2], &str)] = &[
    (
        "tool-core",
        ["context", "context/options"],
        "a nested call has the context of its outer call as an option",
    ),
    (
        "tool-core",
        ["context/permit", "context/wait"],
        "acquiring a permit records a wait, which refers to permits",
    ),
    (
        "tool-core",
        ["declare/input", "declare/locator"],
        "a locator is an input, and inputs may have to be locators",
    ),
    (
        "tool-core",
        ["definition", "definition/declared"],
        "a declared tool computes its definition on first use",
    ),
    (
        "tool-core",
        ["registry/provider/discovery", "registry/provider/toolset"],
        "discovery returns a toolset, which lists errors of discovery",
    ),
    ("tool-core", ["results", "results/writing"], "the store writes results, and a write updates the store"),
    (
        "tool-core",
        ["schema/bounds/graph", "schema/bounds/reach"],
        "a traversal follows the edges of a graph, whose methods start it",
    ),
    ("tool-core", ["schema/deep", "schema/validator"], "the validator of a deep value validates its parts"),
];

/// Files without a layer: for users, for the macros, for disabled features, and for fuzz targets.
const OUTSIDE: [&str; 5] = ["lib", "main", "private", "feature", "fuzzing"];

#[test]
fn no_module_of_the_core_imports_a_floor_above() {
    let mut upward = Vec::new();
    for (file, imports) in Crate::read("tool-core").imports() {
        let from = floor(&file);
        upward.extend(imports.iter().filter(|to| floor(to) > from).map(|to| format!("{file} imports {to}")));
    }
    assert!(upward.is_empty(), "imports that go up:\n{}", upward.join("\n"));
}

#[test]
fn every_folder_of_the_core_stands_on_a_floor() {
    let sources = Crate::read("tool-core");
    let folders: BTreeSet<&str> = sources.files.keys().map(|file| top(file)).collect();
    let floors: BTreeSet<&str> = FLOORS.iter().chain(&OUTSIDE).copied().collect();
    let strangers: Vec<&&str> = folders.difference(&floors).collect();
    assert!(strangers.is_empty(), "on no floor: {strangers:?}");
}

#[test]
fn only_listed_pairs_of_files_import_each_other() {
    let found = LIBRARIES.iter().flat_map(|library| {
        circles(&Crate::read(library).imports()).into_iter().map(move |circle| (*library, circle))
    });
    let listed: BTreeSet<_> =
        PAIRS.iter().map(|(library, pair, _)| (*library, pair.map(str::to_owned).to_vec())).collect();
    assert_eq!(found.collect::<BTreeSet<_>>(), listed, "files that import each other");
}

#[test]
fn imports_are_found_wherever_they_stand() {
    let files = ["a", "a/b", "c"].map(|name| (name.to_owned(), TokenStream::new()));
    let mut sources = Crate { files: files.into() };
    for (code, expected) in [
        ("use crate::c::Thing;", &["c"][..]),
        ("use crate::{a::b::{self, Other}, c};", &["a/b", "c"]),
        ("use super::super::c::Thing;", &["c"]),
        ("use super::Thing;", &["a"]),
        ("fn f() -> crate::c::Thing { todo!() }", &["c"]),
        ("fn f() { g!(crate::c::thing()) }", &["c"]),
        ("#[cfg(test)] mod tests { use crate::c::Thing; }", &[]),
        ("#[cfg(test)] use crate::c::Thing;", &[]),
        ("mod inner { use super::super::Thing; }", &["a"]),
        ("use std::c::Thing; use other::crate_c;", &[]),
        ("pub(crate) use crate::c::Thing;", &["c"]),
    ] {
        sources.files.insert("a/b".to_owned(), code.parse().unwrap());
        let expected: BTreeSet<String> =
            expected.iter().filter(|to| **to != "a/b").map(ToString::to_string).collect();
        assert_eq!(sources.imports()["a/b"], expected, "{code}");
    }
    for (code, imports) in [
        ("use b::Thing; use self::b::Other;", true),
        ("pub use b::Thing;", false),
        ("pub(crate) use crate::a::b::Thing;", false),
    ] {
        sources.files.insert("a".to_owned(), code.parse().unwrap());
        assert_eq!(sources.imports()["a"].contains("a/b"), imports, "{code}");
    }
}

#[test]
fn circles_are_found_with_all_of_their_files() {
    let imports = |edges: &[(&str, &str)]| {
        let mut imports = BTreeMap::<String, BTreeSet<String>>::new();
        for (from, to) in edges {
            imports.entry((*to).to_owned()).or_default();
            imports.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        imports
    };
    assert_eq!(circles(&imports(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])), [["a", "b", "c"]]);
    assert_eq!(circles(&imports(&[("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")])), [["a", "b"]]);
    assert!(circles(&imports(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
}

/// Returns the layer of a file.
fn floor(file: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == top(file))
}

/// Returns the folder or file below `src` that a file belongs to.
fn top(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}

/// The files of a crate by module (`call/decode`), without tests.
struct Crate {
    files: BTreeMap<String, TokenStream>,
}

impl Crate {
    fn read(library: &str) -> Self {
        let package = workspace::member(library);
        let folder = package.manifest_path.parent().unwrap().join("src").into_std_path_buf();
        let module = |path: &Path| {
            let path = path.strip_prefix(&folder).unwrap().with_extension("");
            path.components().map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/")
        };
        let is_test = |module: &String| module.split('/').any(|part| part == "tests");
        let files = workspace::sources(package).into_iter().map(|path| {
            let tokens =
                workspace::read(&path).parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (module(&path), tokens)
        });
        Crate { files: files.filter(|(module, _)| !is_test(module)).collect() }
    }

    /// Returns the files that each file imports, by `use` or by path.
    fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let stands = |file: &String| !OUTSIDE.contains(&file.as_str());
        let files = self.files.iter().filter(|(file, _)| stands(file));
        files
            .map(|(file, tokens)| {
                let mut paths = Vec::new();
                collect(tokens.clone(), &module_of(file), &mut paths);
                let targets = paths.iter().filter_map(|path| self.file_of(path));
                (file.clone(), targets.filter(|target| target != file && stands(target)).collect())
            })
            .collect()
    }

    /// Returns the file that an absolute path refers to.
    fn file_of(&self, path: &[String]) -> Option<String> {
        (1..=path.len()).rev().map(|parts| path[..parts].join("/")).find(|file| self.files.contains_key(file))
    }
}

fn module_of(file: &str) -> Vec<String> {
    file.split('/').map(str::to_owned).collect()
}

/// Collects the absolute paths that begin with `crate`, `self`, `super` or, in a `use`, with a name.
fn collect(tokens: TokenStream, module: &[String], paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(end) = end_of_test_item(&tokens, at) {
            at = end;
        } else if is_word(&tokens[at], "use") {
            let end = (at..tokens.len()).find(|at| is_sign(&tokens[*at], ';')).unwrap_or(tokens.len());
            let leaves = leaves(&tokens[at + 1..end]).into_iter();
            let imported = leaves.filter_map(|leaf| absolute(&leaf, module, true));
            // Re-exporting items of child modules is not a dependency.
            let exports = exports(&tokens[..at]);
            paths.extend(imported.filter(|path| !(exports && path.starts_with(module))));
            at = end;
        } else if let Some((inner, body)) = inline_module(&tokens, at) {
            collect(body, &[module, &[inner]].concat(), paths);
            at += 3;
        } else if let TokenTree::Group(group) = &tokens[at] {
            collect(group.stream(), module, paths);
            at += 1;
        } else {
            let path = path_at(&tokens[at..]);
            let continues = at > 0 && is_sign(&tokens[at - 1], ':');
            if !continues && path.len() > 1 {
                paths.extend(absolute(&path, module, false));
            }
            at += 1;
        }
    }
}

/// Returns `true` if an import after these tokens is visible outside of its module.
fn exports(before: &[TokenTree]) -> bool {
    match before {
        [.., word, TokenTree::Group(_)] | [.., word] => is_word(word, "pub"),
        [] => false,
    }
}

/// Returns the end of an item under `#[cfg(test)]` that begins here.
fn end_of_test_item(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let (TokenTree::Punct(sign), TokenTree::Group(attribute)) = (&tokens[at], tokens.get(at + 1)?) else {
        return None;
    };
    let is_test = sign.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)";
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_sign(token, ';'),
    };
    is_test.then(|| (at + 2..tokens.len()).find(|at| ends(&tokens[*at])).map_or(tokens.len(), |end| end + 1))
}

/// Returns the name and body of an inline module that begins here.
fn inline_module(tokens: &[TokenTree], at: usize) -> Option<(String, TokenStream)> {
    match tokens.get(at..at + 3)? {
        [word, TokenTree::Ident(name), TokenTree::Group(body)] if is_word(word, "mod") => {
            Some((name.to_string(), body.stream()))
        }
        _ => None,
    }
}

/// Returns the segments of the path that begins here.
fn path_at(tokens: &[TokenTree]) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = 0;
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        path.push(name.to_string());
        if !(tokens.get(at + 1).is_some_and(|sign| is_sign(sign, ':'))
            && tokens.get(at + 2).is_some_and(|sign| is_sign(sign, ':')))
        {
            break;
        }
        at += 3;
    }
    path
}

/// Returns every path of a `use` tree.
fn leaves(tree: &[TokenTree]) -> Vec<Vec<String>> {
    let path = path_at(tree);
    let Some(TokenTree::Group(group)) = tree.get(path.len() * 3) else { return vec![path] };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    let branches = inner.split(|token| is_sign(token, ','));
    let within = branches.filter(|branch| !branch.is_empty()).flat_map(leaves);
    within
        .map(|leaf| path.iter().cloned().chain(leaf.into_iter().filter(|name| name != "self")).collect())
        .collect()
}

/// Resolves a path from the crate root; `None` if it leads to another crate.
fn absolute(path: &[String], module: &[String], in_use: bool) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([&module[..module.len().checked_sub(supers)?], &path[supers..]].concat()),
        // A module that the file declares, if there is one of the name.
        _ if in_use => Some([module, path].concat()),
        _ => None,
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(name) if name == word)
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns the circles of files that import each other, each sorted, by first file.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|file| (file, reached_from(file, imports))).collect();
    let mut circles = BTreeSet::new();
    for (file, others) in &reached {
        let circle: Vec<String> = others
            .iter()
            .filter(|other| reached[**other].contains(*file))
            .map(|file| (*file).clone())
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// Returns every file that a file imports, directly or indirectly.
fn reached_from<'i>(file: &String, imports: &'i BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'i String> {
    let mut reached: BTreeSet<&String> = imports[file].iter().collect();
    let mut next: Vec<&String> = reached.iter().copied().collect();
    while let Some(file) = next.pop() {
        next.extend(imports[file].iter().filter(|file| reached.insert(file)));
    }
    reached
}
