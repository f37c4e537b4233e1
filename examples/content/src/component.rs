//! Blocks of a page, and their descriptions.

use std::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::Locator;

/// A block of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Component {
    /// A notice, set apart from the text.
    Callout {
        /// How urgent it is.
        variant: CalloutVariant,
        /// What it says.
        props: CalloutProps,
    },
    /// What somebody said.
    Quote {
        /// How large it is set.
        variant: QuoteVariant,
        /// What was said.
        props: QuoteProps,
    },
    /// A link in the shape of a button.
    Button {
        /// How much it stands out.
        variant: ButtonVariant,
        /// Where it leads.
        props: Link,
    },
}

/// How urgent a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalloutVariant {
    /// Good to know.
    Info,
    /// Something went well, or is possible again.
    Success,
    /// Mind this before you go on.
    Warning,
    /// Whoever overlooks it may come to harm.
    Danger,
}

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalloutProps {
    /// Line above the notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub title: Option<String>,
    /// The notice itself, in plain text.
    #[schemars(length(min = 1, max = 500))]
    pub text: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

/// How a quotation is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuoteVariant {
    /// As wide as the text.
    Inline,
    /// Across the page.
    Large,
}

/// What was said, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuoteProps {
    /// The words.
    #[schemars(length(min = 1, max = 500))]
    pub text: String,
    /// Who said them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// How a button stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ButtonVariant {
    /// The one thing to do on this page.
    Primary,
    /// Something else that can be done.
    Secondary,
}

/// A link to a page, here or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// What a reader sees.
    #[schemars(length(min = 1, max = 80))]
    pub label: String,
    /// Where it leads: a path of this site, or an address with `https`.
    #[schemars(regex(pattern = r"^(/|https://)[^ ]*$"), example = "/tickets")]
    pub href: String,
}

/// A kind of component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComponentKind {
    /// A link in the shape of a button.
    Button,
    /// A notice, set apart from the text.
    Callout,
    /// What somebody said.
    Quote,
}

/// It identifies its [`ComponentHelp`].
impl Locator for ComponentKind {}

impl fmt::Display for ComponentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What an author should know about a kind of component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentHelp {
    /// The kind.
    pub kind: ComponentKind,
    /// What it is.
    pub description: String,
    /// The shapes that it comes in.
    pub variants: Vec<Explained>,
    /// What it is filled with.
    pub props: Vec<Explained>,
}

/// A name, and what is meant by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// The name.
    pub name: String,
    /// What is meant by it.
    pub description: String,
    /// Whether it must be given, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

impl ComponentHelp {
    /// Describes every kind of component, from the schema of [`Component`], so that it is never out of date.
    ///
    /// ```
    /// use content::{ComponentHelp, component::ComponentKind};
    ///
    /// let callout = ComponentHelp::all().into_iter().find(|help| help.kind == ComponentKind::Callout).unwrap();
    /// assert_eq!(callout.variants[2].name, "warning");
    /// assert_eq!(callout.variants[2].description, "Mind this before you go on.");
    /// ```
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        let schema = settings.into_generator().into_root_schema_for::<Component>().to_value();
        members(&schema["oneOf"]).filter_map(Self::read).collect()
    }

    fn read(branch: &Value) -> Option<Self> {
        let properties = &branch["properties"];
        let (variant, props) = (&properties["variant"], &properties["props"]);
        let name = |value: &Value| value.as_str().map(str::to_owned);
        let required: Vec<&str> = members(&props["required"]).filter_map(Value::as_str).collect();
        let prop = |(name, schema): (&String, &Value)| Explained {
            name: name.clone(),
            description: description(schema),
            required: Some(required.contains(&name.as_str())),
        };
        Some(Self {
            kind: serde_json::from_value(properties["kind"]["const"].clone()).ok()?,
            description: description(branch),
            variants: members(&variant["oneOf"])
                .filter_map(|choice| {
                    let name = name(&choice["const"])?;
                    Some(Explained { name, description: description(choice), required: None })
                })
                .collect(),
            props: props["properties"].as_object()?.iter().map(prop).collect(),
        })
    }
}

fn members(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_every_kind() {
        let all = ComponentHelp::all();
        let kinds: Vec<String> = all.iter().map(|help| help.kind.to_string()).collect();
        assert_eq!(kinds, ["callout", "quote", "button"]);
        for help in &all {
            assert!(
                !help.description.is_empty() && help.variants.len() >= 2 && help.props.len() >= 2,
                "{help:?}"
            );
            for explained in help.variants.iter().chain(&help.props) {
                assert!(!explained.description.is_empty(), "{explained:?}");
            }
        }
        let callout: Vec<(&str, bool)> =
            all[0].props.iter().map(|prop| (prop.name.as_str(), prop.required.unwrap())).collect();
        assert_eq!(callout, [("title", false), ("text", true), ("link", false)]);
    }
}
