//! The schemas of dynamic tools, stored as text.
//!
//! A schema as a value takes seven times the memory of its text, and its documentation as much again. Of ten thousand
//! dynamic tools, few are ever called: only these keep more than text.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::definition::compose::{InputSchema, OutputSchema};

/// The prefix of names that `serde_json` uses internally: an object with such a member does not round-trip.
const NO_NAME: &str = "$serde_json::private::";

/// The checked schemas and examples of a dynamic tool.
#[derive(Debug)]
pub(super) struct CustomSchemas {
    text: Arc<Text>,
    /// Created on first use.
    input: OnceLock<Box<InputSchema>>,
    output: OnceLock<Option<Box<OutputSchema>>>,
}

#[derive(Debug)]
struct Text {
    input: Box<str>,
    output: Option<Box<str>>,
    examples: Box<[Box<str>]>,
    /// The locators.
    locators: Arc<[String]>,
    /// Whether every input is a locator.
    only_locators: bool,
}

impl CustomSchemas {
    pub(super) fn new(
        input: &Value,
        output: Option<&Value>,
        examples: Vec<Value>,
        locators: Vec<String>,
    ) -> Self {
        let mut names = input["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
        let text = Text {
            only_locators: names.all(|name| locators.contains(name)),
            input: text(input),
            output: output.map(text),
            examples: examples.iter().map(text).collect(),
            locators: locators.into(),
        };
        let is_kept = text.is_faithful();
        let schemas = CustomSchemas { text: Arc::new(text), input: OnceLock::new(), output: OnceLock::new() };
        if !is_kept {
            let locators = Arc::clone(&schemas.text.locators);
            let input = InputSchema::foreign(input.clone(), examples, locators);
            schemas.input.get_or_init(|| Box::new(input));
            schemas.output.get_or_init(|| output.cloned().map(OutputSchema::foreign).map(Box::new));
        }
        schemas
    }

    /// Returns a copy of the text without parsed schemas; `None` if schemas were already parsed, which are shared then.
    pub(super) fn detached(&self) -> Option<Self> {
        let text = Arc::clone(&self.text);
        let is_made = self.input.get().is_some();
        (!is_made).then(|| CustomSchemas { text, input: OnceLock::new(), output: OnceLock::new() })
    }

    pub(super) fn input(&self) -> &InputSchema {
        self.input.get_or_init(|| {
            let examples = self.text.examples.iter().map(|text| value(text)).collect();
            let input =
                InputSchema::foreign(value(&self.text.input), examples, Arc::clone(&self.text.locators));
            Box::new(input)
        })
    }

    pub(super) fn output(&self) -> Option<&OutputSchema> {
        let make = || self.text.output.as_deref().map(|text| Box::new(OutputSchema::foreign(value(text))));
        self.output.get_or_init(make).as_deref()
    }

    pub(super) fn input_text(&self) -> &str {
        &self.text.input
    }

    pub(super) fn output_text(&self) -> Option<&str> {
        self.text.output.as_deref()
    }

    pub(super) fn locators(&self) -> &[String] {
        &self.text.locators
    }

    pub(super) fn takes_only_locators(&self) -> bool {
        self.text.only_locators
    }
}

impl Text {
    /// Returns `true` if the text parses to the same value.
    fn is_faithful(&self) -> bool {
        let texts = self.examples.iter().chain(&self.output).chain([&self.input]);
        texts.into_iter().all(|text| !text.contains(NO_NAME))
    }
}

fn text(value: &Value) -> Box<str> {
    value.to_string().into_boxed_str()
}

/// Parses a text written by [`text`], which is within the limits of a schema.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::definition::ToolDefinition;
    use crate::{DynamicTool, Output, Registry};

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"n": {"type": "integer", "description": "How many.", "default": 1.0}},
            "examples": [{"n": 3}],
        })
    }

    /// Nothing was parsed that would stay in memory.
    fn is_text(tool: &ToolDefinition) -> bool {
        !tool.detached().ptr_eq(tool)
    }

    #[test]
    fn keeps_the_text_until_the_schema_is_needed() {
        let output =
            json!({"type": "object", "title": "Count", "properties": {"result": {"type": "integer"}}});
        let builder =
            ToolDefinition::builder("count", "Counts.").input_schema(schema()).example(json!({"n": 2}));
        let tool = builder.output_schema(output.clone()).build().unwrap();
        let registered = DynamicTool::new(tool.clone(), |_, _: Value| async { Ok(Output::empty()) });
        let registry = Registry::builder().tool(registered).build().unwrap();
        assert_eq!(tool.input_schema_text(), schema().to_string());
        assert_eq!(tool.output_schema_text().unwrap(), output.to_string());
        tool.digest();
        assert_eq!(registry.search("many").len(), 1);
        assert!(registry.check().is_ok() && registry.callable().count() == 1);
        assert!(is_text(&tool));
        // A detached definition is complete, and is dropped with its user.
        let passing = tool.detached();
        assert_eq!(*passing.input_schema(), schema());
        assert_eq!(passing.inputs()[0].description.as_deref(), Some("How many."));
        assert_eq!(passing.examples(), [json!({"n": 2}), json!({"n": 3})]);
        assert_eq!((passing.output_type(), passing.output_schema()), (Some("Count"), Some(&output)));
        assert!(is_text(&tool) && passing.detached().ptr_eq(&passing));
        // A call keeps the schema, because it is needed again.
        assert_eq!(*tool.input_schema(), schema());
        assert!(!is_text(&tool));
        assert_eq!(tool.inputs(), passing.inputs());
    }

    #[test]
    fn digest_does_not_depend_on_when_it_is_computed() {
        let plain = || ToolDefinition::builder("count", "Counts.").input_schema(schema());
        for builder in [plain(), plain().output_schema(schema())] {
            let tool = builder.build().unwrap();
            let (input, output) = (tool.input_schema(), tool.output_schema());
            assert_eq!(tool.digest(), crate::definition::promise::digest(&tool, input, output));
            assert_eq!(tool.digest(), tool.detached().digest());
        }
    }

    /// `serde_json` parses an object with only this member as the text in it.
    #[test]
    fn keeps_values_that_do_not_round_trip() {
        let odd = json!({"$serde_json::private::RawValue": "{\"type\":\"string\"}"});
        let schema = json!({"type": "object", "properties": {"a": odd}});
        let builder = || ToolDefinition::builder("odd", "Is odd.");
        let tool = builder().input_schema(schema.clone()).build().unwrap();
        assert_ne!(serde_json::from_str::<Value>(&tool.input_schema_text()).unwrap(), schema);
        assert_eq!((tool.input_schema(), tool.detached().input_schema()), (&schema, &schema));
        let example = json!({"a": odd});
        let anything = json!({"type": "object"});
        let tool = builder().input_schema(anything).output_schema(schema.clone()).example(example.clone());
        let tool = tool.build().unwrap();
        assert_eq!((tool.output_schema(), tool.examples()), (Some(&schema), &[example][..]));
        let tool = builder().output_schema(schema.clone()).build().unwrap();
        assert_eq!(tool.output_schema(), Some(&schema));
    }
}
