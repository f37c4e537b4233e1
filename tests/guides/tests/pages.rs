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

/// A fenced block: what follows the fence, and the text.
struct Block {
    info: String,
    text: String,
}

/// Returns the code blocks. An indented one has no fence, and `indented` in its place.
fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open) = (Vec::new(), false);
    for event in events(page) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                open = true;
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => "indented".to_owned(),
                };
                blocks.push(Block { info, text: String::new() });
            }
            Event::End(TagEnd::CodeBlock) => open = false,
            Event::Text(text) if open => blocks.last_mut().unwrap().text.push_str(&text),
            _ => {}
        }
    }
    blocks
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
    let mut all = Vec::new();
    for page in markdown("docs/src") {
        for link in links(&read(&page)) {
            all.extend(broken(&page, &link));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_link_of_a_readme_leads_somewhere() {
    let folders = |parent: &str| folders(root().join(parent));
    let crates = folders("").into_iter().chain(folders("examples"));
    let of_crates = crates.flat_map(|folder| [markdown(&folder), markdown(folder.join("docs"))].concat());
    let mut count = 0;
    let mut all = Vec::new();
    for page in markdown("").into_iter().chain(of_crates) {
        for link in links(&read(&page)).filter(|link| !is_of_rustdoc(link)) {
            count += 1;
            all.extend(broken(&page, &link));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(count > 100, "only {count} links were found");
}

/// Returns `true` for links to items, such as `crate::Server` and `macro@tool`, which rustdoc checks.
fn is_of_rustdoc(link: &str) -> bool {
    link.contains("::") || link.contains('@') || !link.contains(['.', '/', '#'])
}

/// Returns the folders in a folder, except for those that are built.
fn folders(parent: PathBuf) -> Vec<PathBuf> {
    let paths = fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir() && !path.ends_with("target")).collect()
}

/// Returns the pages in a folder, which may be missing.
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
        let first = page.split("\n\n").nth(1).unwrap();
        assert!(first.contains('?'), "{name} does not begin with its question");
    }
}

#[test]
fn every_block_of_rust_is_compiled() {
    const RUST: [&str; 3] = ["rust", "rust,no_run", "rust,compile_fail"];
    const OTHERS: [&str; 7] = ["console", "ini", "json", "nginx", "sh", "text", "toml"];
    let compiled = read("tests/guides/src/lib.rs") + &read("examples/telemetry/src/lib.rs");
    for (name, page) in pages() {
        let (of_rust, others): (Vec<_>, Vec<_>) =
            blocks(&page).into_iter().partition(|block| RUST.contains(&&*block.info));
        for block in others {
            assert!(OTHERS.contains(&&*block.info), "{name} has a block `{}`", block.info);
        }
        assert!(
            of_rust.is_empty()
                || ["\"", "/"].iter().any(|before| compiled.contains(&format!("{before}{name}\""))),
            "{name} is not compiled"
        );
    }
}

/// The tests of the programs compare what they print with the blocks `console`.
#[test]
fn every_output_is_compared() {
    let tests = ["content/tests/content", "hello/tests", "weather/tests/weather"];
    let tests = tests.map(|folder| read(format!("examples/{folder}/pages.rs"))).concat();
    for (name, page) in pages() {
        for Block { info, text } in blocks(&page) {
            let shows_output = text.lines().any(|line| line.starts_with("$ "));
            assert_eq!(shows_output, info == "console", "{name}: {text}");
            assert!(
                !shows_output || tests.contains(&format!("docs/src/{name}\"")),
                "no test compares {name}"
            );
        }
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
