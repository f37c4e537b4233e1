//! Search quality: questions as people and agents type them, over the tools of many servers.
//!
//! Each line of `search/tools.txt` is a tool (name, description, tags, inputs), and each line of
//! `search/questions.txt` a question and the expected tool. Write questions before you change the ranking,
//! and do not adapt them to it. Those of `search/held_out.txt` only measure: do not choose a ranking by them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

const TOOLS: &str = include_str!("search/tools.txt");
const QUESTIONS: &str = include_str!("search/questions.txt");
const HELD_OUT: &str = include_str!("search/held_out.txt");

/// How often the expected tool comes first, and how often it is among the first three.
#[derive(Debug, PartialEq, PartialOrd)]
struct Found {
    first: usize,
    among_three: usize,
}

/// The required result for the fifty questions; plain BM25 finds less.
const FLOOR: Found = Found { first: 43, among_three: 47 };

/// The required result for the twenty-five held-out questions.
const HELD_OUT_FLOOR: Found = Found { first: 18, among_three: 20 };

struct Described {
    name: &'static str,
    description: &'static str,
    tags: Vec<&'static str>,
    inputs: Vec<(&'static str, &'static str)>,
}

fn described() -> impl Iterator<Item = Described> {
    TOOLS.lines().map(|line| {
        let [name, description, tags, inputs] = line.splitn(4, " | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let inputs = inputs.split("; ").map(|input| input.split_once('=').unwrap());
        Described { name, description, tags: tags.split(',').collect(), inputs: inputs.collect() }
    })
}

fn questions() -> impl Iterator<Item = (&'static str, &'static str)> {
    of(QUESTIONS)
}

fn of(questions: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    questions.lines().map(|line| line.rsplit_once(" | ").unwrap())
}

fn tool(name: &str, description: &str, tags: Vec<String>, inputs: &[(&str, &str)]) -> DynamicTool {
    let properties = inputs
        .iter()
        .map(|(name, text)| (String::from(*name), json!({"type": "string", "description": text})));
    let schema = json!({"type": "object", "properties": properties.collect::<Map<_, _>>()});
    let definition = ToolDefinition::builder(name, description).operation(Operation::Write);
    let definition = definition.tags(tags).input_schema(schema).build().unwrap();
    DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
}

fn registry(more: impl IntoIterator<Item = DynamicTool>) -> Registry {
    let owned = |tags: &[&str]| tags.iter().map(|tag| String::from(*tag)).collect();
    let tools = described().map(|it| tool(it.name, it.description, owned(&it.tags), &it.inputs));
    tools.chain(more).fold(Registry::builder(), tool_core::RegistryBuilder::tool).build().unwrap()
}

/// Returns how well a search does, and the questions whose tool does not come first.
fn measure<'t>(questions: &'static str, search: impl Fn(&str) -> Vec<&'t str>) -> (Found, Vec<String>) {
    let mut found = Found { first: 0, among_three: 0 };
    let mut missed = Vec::new();
    for (question, expected) in of(questions) {
        let ranked = search(question);
        let rank = ranked.iter().position(|name| *name == expected);
        found.first += usize::from(rank == Some(0));
        found.among_three += usize::from(rank.is_some_and(|rank| rank < 3));
        if rank != Some(0) {
            missed
                .push(format!("{question}: {expected} is {rank:?} of {:?}", &ranked[..ranked.len().min(4)]));
        }
    }
    (found, missed)
}

#[test]
fn ranks_the_expected_tool_first() {
    let names: HashSet<&str> = described().map(|tool| tool.name).collect();
    assert!(names.len() >= 110 && questions().count() == 50);
    assert!(
        questions().chain(of(HELD_OUT)).all(|(_, expected)| names.contains(expected))
            && of(HELD_OUT).count() == 25
    );
    let registry = registry([]);
    for (questions, floor) in [(QUESTIONS, FLOOR), (HELD_OUT, HELD_OUT_FLOOR)] {
        let (found, missed) =
            measure(questions, |text| registry.search(text).iter().map(|hit| hit.tool.name()).collect());
        let (plain, _) = measure(questions, plain_bm25);
        let is_enough = found.first >= floor.first && found.among_three >= floor.among_three;
        assert!(is_enough, "{found:?}\n{}", missed.join("\n"));
        assert!(found.first > plain.first && found.among_three > plain.among_three, "{found:?}, {plain:?}");
    }
}

/// Ranks by plain BM25 over all words, for comparison: no fields, no prefixes, no misspellings.
fn plain_bm25(question: &str) -> Vec<&'static str> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let documents: Vec<(&str, Vec<String>)> = described()
        .map(|tool| {
            let inputs = tool.inputs.iter().flat_map(|(name, text)| [*name, *text]);
            let texts = [tool.name, tool.description].into_iter().chain(tool.tags).chain(inputs);
            (tool.name, texts.flat_map(words).collect())
        })
        .collect();
    let count = documents.len() as f64;
    let average = documents.iter().map(|(_, words)| words.len()).sum::<usize>() as f64 / count;
    let mut having: HashMap<&str, f64> = HashMap::new();
    for (_, words) in &documents {
        let each: HashSet<&String> = words.iter().collect();
        each.into_iter().for_each(|word| *having.entry(word).or_default() += 1.0);
    }
    let wanted: HashSet<String> = words(question).into_iter().collect();
    let score = |words: &Vec<String>| -> f64 {
        let of = |word: &String| {
            let frequency = words.iter().filter(|other| *other == word).count() as f64;
            let having = having.get(word.as_str()).copied().unwrap_or_default();
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            rarity * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * words.len() as f64 / average))
        };
        wanted.iter().map(of).sum()
    };
    let mut ranked: Vec<(&str, f64)> = documents.iter().map(|(name, words)| (*name, score(words))).collect();
    ranked.retain(|(_, score)| *score > 0.0);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    ranked.into_iter().map(|(name, _)| name).collect()
}

/// Tools of a foreign server that match every question.
#[test]
fn resists_keyword_stuffing() {
    let words: Vec<String> = QUESTIONS.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let distinct: HashSet<&String> = words.iter().filter(|word| word.len() > 2).collect();
    let mut stuffing: Vec<String> = distinct.into_iter().cloned().collect();
    stuffing.sort();
    let all = stuffing.join(" ");
    let tags: Vec<String> = stuffing.iter().cycle().take(300).cloned().collect();
    let registry = registry([
        tool("x_tags", "Does everything.", tags, &[("x", "Anything.")]),
        tool("x_text", &format!("{all} {all} {all}"), Vec::new(), &[("x", "Anything.")]),
        tool("x_input", "Does everything.", Vec::new(), &[("x", &format!("{all} {all}"))]),
    ]);
    let is_stuffed = |name: &str| name.starts_with("x_");
    let comes_first = |question: &str| {
        let found = registry.search(question);
        // If no other tool has a word of the question, only stuffed ones are found.
        found.iter().any(|hit| !is_stuffed(hit.tool.name())) && is_stuffed(found[0].tool.name())
    };
    let first = questions().map(|(question, _)| question).filter(|question| comes_first(question));
    let first: Vec<_> = first.collect();
    assert!(first.is_empty(), "{first:?}");
}

/// Words of one or two letters match only as whole words.
#[test]
fn matches_short_words_only_as_whole_words() {
    let registry = registry([]);
    for word in ["a", "i", "to", "is", "on", "me", "re"] {
        let begins = |name: &str| name.split('_').any(|part| part.starts_with(word) && part != word);
        let found = registry.search(word);
        let by_name: Vec<_> = found.iter().map(|hit| hit.tool.name()).filter(|name| begins(name)).collect();
        let spelled = |name: &&str| {
            let tool = described().find(|tool| tool.name == *name).unwrap();
            let inputs = tool.inputs.iter().flat_map(|(name, text)| [*name, *text]);
            let texts =
                [tool.description].into_iter().chain(inputs).collect::<Vec<_>>().join(" ").to_lowercase();
            texts.split(|c: char| !c.is_alphanumeric()).any(|other| other == word)
        };
        assert!(by_name.iter().all(spelled), "{word}: {by_name:?}");
    }
}
