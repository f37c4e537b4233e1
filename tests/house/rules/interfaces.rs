//! Foreign crates in the public interfaces.
//!
//! Reads the sources: signatures, fields, bounds and headers of everything `pub`, and re-exports. (`unreachable_pub` ensures that
//! `pub` items are reachable.) Macro output, bodies, `#[cfg(test)]` and `#[doc(hidden)]` are ignored.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, UseTree, Visibility};

use crate::workspace;

/// Returns the foreign crates that a library's public interface may mention.
fn allowed(library: &str) -> &'static [&'static str] {
    match library {
        // `http` is behind a feature, for the adapters that use it. A propagator connects spans of `tracing`.
        // A `CancellationToken` cancels tasks and their workers.
        "tool-core" => {
            &["bytes", "http", "schemars", "serde", "serde_json", "tokio_util", "tool_core_macros", "tracing"]
        }
        "tool-tasks" => &["serde_json", "tokio_util", "tool_core"],
        "tool-core-macros" => &["proc_macro"],
        // A server has an address and extends a router; both crates are stable, unlike rmcp.
        "tool-http" => &["axum", "serde_json", "tokio", "tool_core"],
        // The trait `Stream` is that of `futures_core`. The client for tests decodes results with serde.
        "tool-mcp" => &["axum", "futures_core", "serde", "serde_json", "tokio", "tool_core"],
        // Not for applications: adapters pass connections and services.
        "tool-serve" => {
            &["bytes", "http", "http_body", "http_body_util", "hyper", "hyper_util", "metrics", "tokio"]
        }
        // The command line runs on the application's runtime.
        "tool-cli" => &["serde_json", "tokio", "tool_core"],
        // The metadata is that of `http`; claims are read with serde.
        "tool-oauth" => &["http", "serde", "serde_json", "tool_core"],
        // Its stores and streams are what `tool-mcp` takes.
        "tool-replicas" => &["futures_core", "tool_core", "tool_mcp"],
        _ => &["serde_json", "tool_core"],
    }
}

#[test]
fn public_interfaces_mention_the_crates_that_they_may() {
    for library in workspace::LIBRARIES {
        let package = workspace::member(library);
        let foreign: BTreeSet<String> =
            package.dependencies.iter().map(|dependency| dependency.name.replace('-', "_")).collect();
        let files: Vec<syn::File> = workspace::sources(package)
            .iter()
            .map(|path| syn::parse_file(&workspace::read(path)).unwrap())
            .collect();
        let found = mentioned(&files, &foreign);
        let allowed: BTreeSet<String> = allowed(library).iter().map(ToString::to_string).collect();
        let others: Vec<&String> = found.difference(&allowed).collect();
        assert!(others.is_empty(), "the public interface of `{library}` mentions {others:?}");
    }
}

/// The maximum number of names in the crate root; less common ones are in public modules.
const MOST_NAMES: usize = 60;

#[test]
fn the_root_of_the_core_exports_few_names() {
    let source: syn::File = syn::parse_file(&workspace::read("tool-core/src/lib.rs")).unwrap();
    let exported = source.items.iter().filter_map(|item| match item {
        Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => Some(names(&item.tree)),
        _ => None,
    });
    let names: usize = exported.sum();
    assert!((1..=MOST_NAMES).contains(&names), "{names} names at the root of `tool-core`");
}

/// The maximum number of methods; those for adapters are in `tool_core::adapter`.
const MOST_METHODS: usize = 30;

#[test]
fn the_registry_has_few_methods_and_all_of_them_in_one_folder() {
    let (mut methods, mut elsewhere) = (0, Vec::new());
    for path in workspace::sources(workspace::member("tool-core")) {
        let found = registry_methods(&syn::parse_file(&workspace::read(&path)).unwrap().items);
        let is_in_registry =
            path.components().any(|part| part.as_os_str() == "registry") || path.ends_with("src/registry.rs");
        match found {
            Some(found) if is_in_registry => methods += found,
            Some(_) => elsewhere.push(path),
            None => {}
        }
    }
    assert!(elsewhere.is_empty(), "`impl Registry` outside of `registry/`: {elsewhere:?}");
    assert!((1..=MOST_METHODS).contains(&methods), "{methods} public methods of `Registry`");
}

/// Counts the public inherent methods of `Registry` among these items, if there are any.
fn registry_methods(items: &[Item]) -> Option<usize> {
    let implementations = items.iter().filter_map(|item| match item {
        Item::Impl(item) if item.trait_.is_none() && is_registry(&item.self_ty) => Some(item),
        _ => None,
    });
    let is_method = |item: &&ImplItem| matches!(item, ImplItem::Fn(item) if is_public(&item.vis));
    implementations.map(|item| item.items.iter().filter(is_method).count()).reduce(|one, other| one + other)
}

fn is_registry(of: &syn::Type) -> bool {
    matches!(of, syn::Type::Path(path) if path.path.is_ident("Registry"))
}

/// Counts the names that a `use` tree imports.
fn names(tree: &UseTree) -> usize {
    match tree {
        UseTree::Path(path) => names(&path.tree),
        UseTree::Group(group) => group.items.iter().map(names).sum(),
        _ => 1,
    }
}

#[test]
fn a_mention_is_found_wherever_it_stands() {
    let foreign = BTreeSet::from(["rmcp".to_owned(), "serde".to_owned()]);
    for (code, expected) in [
        ("pub fn f(tool: rmcp::Tool) {}", true),
        ("use rmcp::model::{self as m, Tool}; pub struct S { pub tool: Vec<m::Tool> }", true),
        ("use rmcp::Tool; pub struct S; impl S { pub fn tool(&self) -> &Tool { todo!() } }", true),
        ("pub struct S; impl ::rmcp::Handler for S {}", true),
        ("pub trait T { fn f<H: rmcp::Handler>(); }", true),
        ("mod a { pub struct S; } mod b { impl rmcp::Handler for super::a::S {} }", true),
        ("use rmcp::model::{self}; pub fn f(tool: model::Tool) {}", true),
        ("pub enum E { A(rmcp::Tool) }", true),
        ("pub type T = rmcp::Tool;", true),
        ("mod inner { pub use rmcp::Tool as T; }", true),
        ("use rmcp::Tool; fn f(_: Tool) {}", false),
        ("pub fn f() { rmcp::f() }", false),
        ("pub(crate) fn f(tool: rmcp::Tool) {}", false),
        ("struct S; impl rmcp::Handler for S {}", false),
        ("pub struct S { tool: rmcp::Tool }", false),
        ("#[cfg(test)] mod tests { pub fn f(tool: rmcp::Tool) {} }", false),
    ] {
        let file = syn::parse_file(code).unwrap();
        assert_eq!(mentioned(&[file], &foreign).contains("rmcp"), expected, "{code}");
    }
}

/// Returns the foreign crates in the public items of these files.
fn mentioned(files: &[syn::File], foreign: &BTreeSet<String>) -> BTreeSet<String> {
    let mut public = BTreeSet::new();
    files.iter().for_each(|file| public_types(&file.items, &mut public));
    let mut found = BTreeSet::new();
    for file in files {
        found.append(&mut Mentions::of(&file.items, foreign, &public));
    }
    found
}

/// Collects the names of all public types and traits, as their implementations are public, too.
fn public_types(items: &[Item], names: &mut BTreeSet<String>) {
    for item in visible(items) {
        let (visibility, ident) = match item {
            Item::Struct(item) => (&item.vis, &item.ident),
            Item::Enum(item) => (&item.vis, &item.ident),
            Item::Trait(item) => (&item.vis, &item.ident),
            Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) => {
                public_types(items, names);
                continue;
            }
            _ => continue,
        };
        if is_public(visibility) {
            names.insert(ident.to_string());
        }
    }
}

/// Visits the public interface of one module.
struct Mentions<'f> {
    foreign: &'f BTreeSet<String>,
    public: &'f BTreeSet<String>,
    /// The source crate of each imported name.
    imported: BTreeMap<String, String>,
    found: BTreeSet<String>,
}

impl<'f> Mentions<'f> {
    fn of(items: &[Item], foreign: &'f BTreeSet<String>, public: &'f BTreeSet<String>) -> BTreeSet<String> {
        let mut mentions = Mentions { foreign, public, imported: BTreeMap::new(), found: BTreeSet::new() };
        for item in visible(items) {
            if let Item::Use(import) = item {
                mentions.import(&import.tree, &mut Vec::new(), is_public(&import.vis));
            }
        }
        for item in visible(items) {
            mentions.item(item);
        }
        mentions.found
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(item) if is_public(&item.vis) => self.visit_signature(&item.sig),
            Item::Struct(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                for field in item.fields.iter().filter(|field| is_public(&field.vis)) {
                    self.visit_type(&field.ty);
                }
            }
            Item::Enum(item) if is_public(&item.vis) => self.visit_item_enum(item),
            Item::Trait(item) if is_public(&item.vis) => self.visit_item_trait(item),
            Item::Type(item) if is_public(&item.vis) => self.visit_item_type(item),
            Item::Const(item) if is_public(&item.vis) => self.visit_type(&item.ty),
            Item::Static(item) if is_public(&item.vis) => self.visit_type(&item.ty),
            Item::Mod(item) => {
                if let Some((_, items)) = &item.content {
                    self.found.append(&mut Mentions::of(items, self.foreign, self.public));
                }
            }
            Item::Impl(item) => self.implementation(item),
            _ => {}
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        if !name.is_some_and(|name| self.public.contains(&name)) {
            return;
        }
        self.visit_generics(&item.generics);
        if let Some((path, _)) = &item.trait_ {
            self.visit_path(path);
        }
        for member in &item.items {
            match member {
                ImplItem::Fn(function) if is_public(&function.vis) => self.visit_signature(&function.sig),
                ImplItem::Const(constant) if is_public(&constant.vis) => self.visit_type(&constant.ty),
                ImplItem::Type(associated) => self.visit_type(&associated.ty),
                _ => {}
            }
        }
    }

    /// Records the source crate of imported names, and re-exports. `path` is the prefix.
    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>, public: bool) {
        let (name, original) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.import(&tree.tree, path, public);
                path.pop();
                return;
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, path, public));
            }
            UseTree::Name(tree) if tree.ident == "self" => (path.last().cloned(), None),
            UseTree::Name(tree) => (Some(tree.ident.to_string()), Some(&tree.ident)),
            UseTree::Rename(tree) => (Some(tree.rename.to_string()), Some(&tree.ident)),
            UseTree::Glob(_) => (None, None),
        };
        let Some(root) = path.first().cloned().or_else(|| original.map(ToString::to_string)) else { return };
        if public && self.foreign.contains(&root) {
            self.found.insert(root.clone());
        }
        if let Some(name) = name {
            self.imported.insert(name, root);
        }
    }
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path.segments[0].ident.to_string();
        let root = match self.imported.get(&first) {
            Some(root) if path.leading_colon.is_none() => root.clone(),
            _ => first,
        };
        if self.foreign.contains(&root) {
            self.found.insert(root);
        }
        visit::visit_path(self, path);
    }

    // Bodies are not part of the interface.
    fn visit_block(&mut self, _: &'ast syn::Block) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns the items of the interface.
fn visible(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| !is_hidden(attributes(item)))
}

/// Returns `true` for `#[cfg(test)]` and `#[doc(hidden)]`.
fn is_hidden(attributes: &[Attribute]) -> bool {
    let says = |attribute: &Attribute, word| {
        attribute.parse_args::<syn::Path>().is_ok_and(|argument| argument.is_ident(word))
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && says(attribute, "test")
            || attribute.path().is_ident("doc") && says(attribute, "hidden")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
