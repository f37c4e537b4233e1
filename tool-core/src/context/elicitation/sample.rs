//! Sampling requests: what a model of the caller is asked to write.

use serde::{Deserialize, Serialize};

use crate::model::content::Content;
use crate::model::prompt::PromptMessage;
use crate::model::setters::setters;

/// A request for a model of the caller to write a message.
///
/// Serializes to, and deserializes from, the parameters of MCP's `sampling/createMessage`.
///
/// ```
/// use tool_core::elicitation::Sample;
///
/// let sample = Sample::new(100).system("Answer in one word.").user("What is the capital of France?");
/// assert_eq!(serde_json::to_value(&sample).unwrap()["maxTokens"], 100);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[must_use]
pub struct Sample {
    /// The conversation so far.
    pub messages: Vec<PromptMessage>,
    /// The preferred models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The temperature, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// The maximum number of tokens to write.
    pub max_tokens: u32,
    /// Texts that end the message.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stop_sequences: Vec<String>,
}

impl Sample {
    /// Creates a request without messages, for at most `max_tokens` tokens.
    ///
    /// ```
    /// assert!(tool_core::elicitation::Sample::new(50).messages.is_empty());
    /// ```
    pub fn new(max_tokens: u32) -> Self {
        Sample {
            messages: Vec::new(),
            model_preferences: None,
            system_prompt: None,
            temperature: None,
            max_tokens,
            stop_sequences: Vec::new(),
        }
    }

    /// Adds a message of the user: a text, an image, a sound.
    ///
    /// ```
    /// use tool_core::Content;
    /// use tool_core::elicitation::Sample;
    ///
    /// let sample = Sample::new(50).user("What is this?").user(Content::image([1, 2], "image/png"));
    /// assert_eq!(sample.messages.len(), 2);
    /// ```
    pub fn user(mut self, content: impl Into<Content>) -> Self {
        self.messages.push(PromptMessage::user(content));
        self
    }

    /// Adds a message of the assistant.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Sample::new(50).user("Hello").assistant("Hello!").messages.len(), 2);
    /// ```
    pub fn assistant(mut self, content: impl Into<Content>) -> Self {
        self.messages.push(PromptMessage::assistant(content));
        self
    }

    setters! {
        /// Sets the system prompt.
        ///
        /// ```
        /// assert!(tool_core::elicitation::Sample::new(50).system("Be brief.").system_prompt.is_some());
        /// ```
        pub fn system(prompt: impl Into<String>) => system_prompt = Some(prompt.into());

        /// Sets the temperature, from 0 to 1.
        ///
        /// ```
        /// assert_eq!(tool_core::elicitation::Sample::new(50).temperature(0.5).temperature, Some(0.5));
        /// ```
        pub fn temperature(temperature: f32) => temperature = Some(temperature);

        /// Sets the preferred models. The client decides.
        ///
        /// ```
        /// use tool_core::elicitation::{ModelPreferences, Sample};
        ///
        /// let sample = Sample::new(50).prefer(ModelPreferences::new().model("haiku").speed(0.9));
        /// assert!(sample.model_preferences.is_some());
        /// ```
        pub fn prefer(preferences: ModelPreferences) => model_preferences = Some(preferences);
    }

    /// Adds a text that ends the message.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Sample::new(50).stop("END").stop_sequences, ["END"]);
    /// ```
    pub fn stop(mut self, text: impl Into<String>) -> Self {
        self.stop_sequences.push(text.into());
        self
    }
}

/// The preferred models for a [`Sample`]: names or parts of names, and priorities, each from 0 to 1.
///
/// ```
/// use tool_core::elicitation::ModelPreferences;
///
/// let preferences = ModelPreferences::new().model("sonnet").intelligence(0.8);
/// let json = r#"{"hints":[{"name":"sonnet"}],"intelligencePriority":0.8}"#;
/// assert_eq!(serde_json::to_string(&preferences).unwrap(), json);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct ModelPreferences {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    hints: Vec<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_priority: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed_priority: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intelligence_priority: Option<f32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Hint {
    name: String,
}

impl ModelPreferences {
    /// Creates empty preferences.
    ///
    /// ```
    /// assert_eq!(serde_json::to_string(&tool_core::elicitation::ModelPreferences::new()).unwrap(), "{}");
    /// ```
    pub fn new() -> Self {
        ModelPreferences::default()
    }

    /// Adds the name of a model, or a part of it. The first one is preferred.
    ///
    /// ```
    /// let preferences = tool_core::elicitation::ModelPreferences::new().model("haiku").model("mini");
    /// ```
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.hints.push(Hint { name: name.into() });
        self
    }

    setters! {
        /// Sets the priority of low cost.
        ///
        /// ```
        /// let preferences = tool_core::elicitation::ModelPreferences::new().cost(0.5);
        /// ```
        pub fn cost(priority: f32) => cost_priority = Some(priority);

        /// Sets the priority of speed.
        ///
        /// ```
        /// let preferences = tool_core::elicitation::ModelPreferences::new().speed(0.5);
        /// ```
        pub fn speed(priority: f32) => speed_priority = Some(priority);

        /// Sets the priority of capability.
        ///
        /// ```
        /// let preferences = tool_core::elicitation::ModelPreferences::new().intelligence(0.5);
        /// ```
        pub fn intelligence(priority: f32) => intelligence_priority = Some(priority);
    }
}
