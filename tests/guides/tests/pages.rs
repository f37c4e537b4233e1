//! Checks the pages of the guides, and the links of all pages of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The maximum number of lines of a page.
const MAX_LINES: usize = 200;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of the pages, and their texts.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs/src")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> =
        names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect();
    names.into_iter().map(|name| (name.clone(), read(format!("docs/src/{name}")))).collect()
}

fn events(page: &str) -> Parser<'_> {
    Parser::new_ext(page, Options::ENABLE_TABLES)
}

/// Returns what follows the fence of each code block.
fn blocks(page: &str) -> impl Iterator<Item = String> {
    events(page).filter_map(|event| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => Some(info.into_string()),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Some("indented".to_owned()),
        _ => None,
    })
}

/// Returns where links and images lead.
fn links(page: &str) -> impl Iterator<Item = String> {
    events(page).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    })
}

/// Returns the anchors of the headings, as mdBook and GitHub make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let (mut anchors, mut heading) = (BTreeSet::new(), None);
    for event in events(page) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.push_str(&text),
            (Event::End(TagEnd::Heading(_)), _) => {
                anchors.extend(heading.take().map(|heading| anchor(&heading)));
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns why a link of a page leads nowhere; links to other hosts are not tried.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { page.to_owned() } else { page.parent().unwrap().join(path) };
    if !target.exists() {
        return Some(format!("{}: there is no `{link}`", page.display()));
    }
    let anchor = anchor.filter(|_| target.extension().is_some_and(|extension| extension == "md"))?;
    let found = anchors(&fs::read_to_string(&target).unwrap()).contains(anchor);
    (!found).then(|| format!("{}: `{link}` names no heading", page.display()))
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let folder = root().join("docs/src");
    let names = pages().into_iter().map(|(name, _)| name).chain(["SUMMARY.md".to_owned()]);
    let broken: Vec<String> = names
        .flat_map(|name| {
            links(&read(format!("docs/src/{name}"))).map(move |link| (name.clone(), link)).collect::<Vec<_>>()
        })
        .filter_map(|(name, link)| broken(&folder.join(name), &link))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Links of documentation comments, such as `crate::Server` and `macro@tool`, are checked by rustdoc.
#[test]
fn every_link_of_a_readme_leads_somewhere() {
    let of_rustdoc = |link: &str| {
        link.contains("::") || link.contains('@') || link == "crate" || !link.contains(['.', '/', '#'])
    };
    let found = ["", "deploy", "examples", "docs"].into_iter().flat_map(markdown);
    let crates = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let crates = crates.filter(|path| path.join("Cargo.toml").exists());
    let examples = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let of_crates =
        crates.chain(examples).flat_map(|path| [markdown(&path), markdown(path.join("docs"))].concat());
    let mut count = 0;
    let mut all = Vec::new();
    for page in found.chain(of_crates) {
        for link in links(&fs::read_to_string(&page).unwrap()).filter(|link| !of_rustdoc(link)) {
            count += 1;
            all.extend(broken(&page, &link));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(count > 100, "only {count} links were found");
}

/// Returns the pages in a folder.
fn markdown(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary: Vec<String> = links(&read("docs/src/SUMMARY.md")).collect();
    let mut listed = summary.clone();
    listed.sort();
    let names: Vec<String> = pages().into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, names);
    assert_eq!(summary[..2], ["index.md", "start.md"]);
}

#[test]
fn every_page_answers_a_question_and_is_short() {
    for (name, page) in pages() {
        let lines = page.lines().count();
        assert!(lines <= MAX_LINES, "{name} has {lines} lines");
        let titles = events(&page)
            .filter(|event| matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H1, .. })));
        assert!(page.starts_with("# ") && titles.count() == 1, "{name} does not have one title");
    }
}

#[test]
fn every_block_of_rust_is_compiled() {
    let compiled = read("tests/guides/src/lib.rs") + &read("examples/telemetry/src/lib.rs");
    for (name, page) in pages() {
        let mut of_rust = false;
        for block in blocks(&page) {
            of_rust |= block.starts_with("rust");
            let known = [
                "rust",
                "rust,no_run",
                "rust,compile_fail",
                "console",
                "sh",
                "toml",
                "json",
                "yaml",
                "nginx",
                "ini",
                "text",
            ];
            assert!(known.contains(&&*block), "{name} has a block `{block}`");
        }
        assert!(!of_rust || compiled.contains(&format!("{name}\"")), "{name} is not compiled");
    }
}

/// The tests of the programs compare what they print with these blocks.
#[test]
fn every_output_is_compared() {
    let programs = ["content", "hello", "weather"];
    let tests = programs.map(|program| read(format!("examples/{program}/tests/pages.rs"))).concat();
    for (name, page) in pages() {
        let shows_output = page.lines().any(|line| line.starts_with("$ "));
        assert_eq!(
            shows_output,
            blocks(&page).any(|block| block == "console"),
            "{name}: output is in blocks `console`"
        );
        assert!(!shows_output || tests.contains(&format!("docs/src/{name}\"")), "no test compares {name}");
    }
}

#[test]
fn anchors_are_those_of_the_built_pages() {
    assert_eq!(anchor("What `tasks` do, and why"), "what-tasks-do-and-why");
    let page = Path::new("page.md");
    assert_eq!(broken(page, "https://example.org/nowhere"), None);
    assert!(broken(page, "nowhere.md").is_some());
    let index = root().join("docs/src/index.md");
    assert_eq!(broken(&index, "start.md#start-here"), None);
    assert!(broken(&index, "start.md#nothing-of-the-kind").is_some());
}
