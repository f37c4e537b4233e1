//! Ranked search for tools over names, texts, tags and inputs.

mod english;
pub(crate) mod index;
#[cfg(test)]
mod tests;
mod words;

use serde_json::Value;

pub use index::Match;
pub(crate) use words::words;

use crate::definition::ToolDefinition;
use crate::registry::Registry;
use crate::registry::search::index::{Document, Index, IndexField};
use crate::schema::subschemas::branches;
use crate::schema::{NativeSchema, item};

/// A tool that matches a search.
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
    /// The score, greater than 0 and comparable within one search; 0 for an empty search.
    pub score: f64,
}

impl Registry {
    /// Returns the tools that match a word of this text, the best first, and by name if equal.
    ///
    /// A word of three letters or more also matches longer words that begin with it (`temp`). Each word matches its other forms
    /// (`reports`, `reported`) and, with a lower score, a few synonyms (`folder`, `directory`). A word without a match is
    /// corrected: one letter from four letters on, two from eight. Words such as `the` and `which` count only if there are no
    /// others. A tool whose name equals the text ranks first. A text without words lists every tool by name.
    ///
    /// The ranking is BM25 with a weight for each field: name, title, description, tags, names of inputs, descriptions of
    /// inputs. Words in an unusually long field count less. The ranking is the same in every run and on every machine.
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

    /// Searches as [`search`](Self::search) does; `matching` determines how many words a tool must match.
    ///
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::search::Match;
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.search_matching("daily weather", Match::All).is_empty());
    /// ```
    pub fn search_matching(&self, text: &str, matching: Match) -> Vec<Hit<'_>> {
        let wanted = words(text);
        if wanted.is_empty() {
            return self.tools().map(|tool| Hit { tool, score: 0.0 }).collect();
        }
        // A caller finds listed tools only, and other tools do not influence the result.
        let visible = self.visible();
        let scores = self.index().scores(&wanted, matching, &visible);
        // Only names with the length of the text are compared.
        let name = text.trim();
        let is_named = |tool: &ToolDefinition, length: u32| {
            length as usize == name.len() && tool.name().eq_ignore_ascii_case(name)
        };
        let scored = self.definitions().zip(scores).zip(self.index().names());
        let (mut named, mut hits) = (Vec::new(), Vec::new());
        for ((tool, score), length) in scored.filter(|((_, score), _)| *score > 0.0) {
            let hits = if is_named(tool, length) { &mut named } else { &mut hits };
            hits.push(Hit { tool, score });
        }
        // A stable sort of tools that are ordered by name.
        let by_score = |a: &Hit<'_>, b: &Hit<'_>| b.score.total_cmp(&a.score);
        named.sort_by(by_score);
        hits.sort_by(by_score);
        named.append(&mut hits);
        named
    }
}

impl Index {
    /// Builds the index of these tools, in their order.
    pub(crate) fn of<'d>(tools: impl Iterator<Item = &'d ToolDefinition>) -> Self {
        Index::new(tools.map(document))
    }
}

fn document(tool: &ToolDefinition) -> Document {
    let mut document = Document::default();
    document.add(IndexField::Name, tool.name());
    tool.title().into_iter().for_each(|title| document.add(IndexField::Title, title));
    tool.tags().for_each(|tag| document.add(IndexField::Tags, tag));
    document.add(IndexField::Description, tool.description());
    let tool = tool.detached();
    let schema = tool.input_schema();
    if tool.declaration().is_none() && !tool.input_schema_text().contains("\"$ref\"") {
        add_members(&mut document, schema);
    } else {
        tool.inputs().iter().for_each(|input| add_input(&mut document, input));
    }
    document
}

/// Adds the inputs of a schema without references, as [`add_input`] does.
fn add_members(document: &mut Document, schema: &Value) {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        document.add(IndexField::InputNames, name);
        add_value(document, schema);
    }
}

fn add_value(document: &mut Document, schema: &Value) {
    schema["description"]
        .as_str()
        .into_iter()
        .for_each(|text| document.add(IndexField::InputDescriptions, text));
    if let Some(variants) = branches(schema) {
        return variants.iter().for_each(|variant| add_value(document, variant));
    }
    item(schema).into_iter().for_each(|item| add_value(document, item));
    match schema["prefixItems"].as_array() {
        Some(items) => items.iter().enumerate().for_each(|(position, item)| {
            document.add(IndexField::InputNames, &position.to_string());
            add_value(document, item);
        }),
        None => add_members(document, schema),
    }
}

fn add_input(document: &mut Document, input: &NativeSchema) {
    input.name.iter().for_each(|name| document.add(IndexField::InputNames, name));
    input.description.iter().for_each(|text| document.add(IndexField::InputDescriptions, text));
    let below = input.properties.iter().chain(&input.variants).chain(input.items.as_deref());
    below.for_each(|input| add_input(document, input));
}
