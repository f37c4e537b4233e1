//! Finding tools by what they are about: a ranked search over names, texts, tags and inputs.

mod index;
mod words;

pub(crate) use index::Index;
pub(crate) use words::words;

use crate::definition::ToolDefinition;
use crate::registry::Registry;
use crate::schema::NativeSchema;
use crate::search::index::{Document, Field};

/// How many words of a search a tool must have.
///
/// ```
/// assert_eq!(tool_core::Match::default(), tool_core::Match::Any);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Match {
    /// One of them; with more of them it ranks higher.
    #[default]
    Any,
    /// Every one.
    All,
}

/// A tool that was found.
///
/// ```
/// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// for hit in registry.search("weather of a day") {
///     println!("{:.3} {}", hit.score, hit.tool.name());
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Hit<'r> {
    /// The tool.
    pub tool: &'r ToolDefinition,
    /// How well it fits, greater than 0; comparable within one search. 0 when nothing was searched for.
    pub score: f64,
}

impl Registry {
    /// The tools that have a word of this text, the best first, equal ones by name.
    ///
    /// A word matches a longer one that it begins (`temp`) and a shorter one that it inflects (`reports`, `report`); one
    /// that matches nothing matches what was probably meant, with one letter wrong from four letters on, two from eight.
    /// A tool whose name is the text comes first. A text without a word lists every tool, by name.
    ///
    /// The ranking is BM25 over fields, each with its own weight: name, title and tags, names of inputs, description,
    /// descriptions of inputs. It is the same in every run and on every machine.
    ///
    /// ```
    /// use tool_core::{Registry, tool};
    ///
    /// /// Daily weather as it was observed.
    /// #[tool(operation = Read)]
    /// fn search_weather(/** City. */ city: String) -> String {
    ///     city
    /// }
    ///
    /// /// Sends a letter.
    /// #[tool(operation = Trigger, destructive = false)]
    /// fn search_letter(/** To whom. */ to: String) {}
    ///
    /// let registry = Registry::builder().linked().select(|tool| tool.name().starts_with("search_")).build().unwrap();
    /// let names = |text| registry.search(text).iter().map(|hit| hit.tool.name()).collect::<Vec<_>>();
    /// assert_eq!(names("wether"), ["search_weather"]);
    /// assert_eq!(names("letters to"), ["search_letter"]);
    /// assert!(names("invoice").is_empty());
    /// assert_eq!(names("").len(), 2);
    /// ```
    pub fn search(&self, text: &str) -> Vec<Hit<'_>> {
        self.search_matching(text, Match::Any)
    }

    /// As [`search`](Self::search), with a say in how many words a tool must have.
    ///
    /// ```
    /// use tool_core::{Match, Registry};
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.search_matching("daily weather", Match::All).is_empty());
    /// ```
    pub fn search_matching(&self, text: &str, matching: Match) -> Vec<Hit<'_>> {
        let wanted = words(text);
        if wanted.is_empty() {
            return self.tools().map(|tool| Hit { tool, score: 0.0 }).collect();
        }
        // Whoever asks is told of the tools that are listed for him, and nothing by the words of any other.
        let visible = self.visible();
        let scores = self.index().scores(&wanted, matching, &visible);
        let found = self.declared().zip(scores).filter(|(_, score)| *score > 0.0);
        let mut hits: Vec<Hit<'_>> = found.map(|(tool, score)| Hit { tool, score }).collect();
        // Stable, and the tools came by name. Names are looked at once each, and not at each comparison.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        let is_named = |hit: &Hit<'_>| hit.tool.name().eq_ignore_ascii_case(text.trim());
        let (mut found, others): (Vec<_>, Vec<_>) = hits.into_iter().partition(is_named);
        found.extend(others);
        found
    }
}

impl Index {
    /// The index of these tools, in their order.
    pub(crate) fn of<'d>(tools: impl Iterator<Item = &'d ToolDefinition>) -> Self {
        Index::new(tools.map(document))
    }
}

fn document(tool: &ToolDefinition) -> Document {
    let mut document = Document::default();
    document.add(Field::Name, tool.name());
    tool.title().into_iter().for_each(|title| document.add(Field::Title, title));
    tool.tags().for_each(|tag| document.add(Field::Tags, tag));
    document.add(Field::Description, tool.description());
    for input in tool.inputs() {
        add_input(&mut document, input);
    }
    document
}

fn add_input(document: &mut Document, input: &NativeSchema) {
    input.name.iter().for_each(|name| document.add(Field::InputNames, name));
    input.description.iter().for_each(|text| document.add(Field::InputDescriptions, text));
    let below = input.properties.iter().chain(&input.variants).chain(input.items.as_deref());
    below.for_each(|input| add_input(document, input));
}
