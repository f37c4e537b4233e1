//! The table of rules, and findings.

use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::definition::ToolDefinition;

macro_rules! rules {
    ($($rule:ident $code:literal $what:literal $remedy:literal;)*) => {
        /// Every rule of [`lint`](crate::lint::lint).
        ///
        /// | code | finds | remedy |
        /// |---|---|---|
        $(#[doc = concat!("| `", $code, "` | ", $what, " | ", $remedy, " |")])*
        ///
        /// ```
        /// use tool_core::lint::LintRule;
        ///
        /// assert_eq!(LintRule::NameDotted.code(), "name-dotted");
        /// assert!(LintRule::NameDotted.remedy().starts_with("use `_`"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum LintRule {
            $(#[doc = concat!("Finds ", $what, ".")] $rule,)*
        }

        impl LintRule {
            /// All rules, in the order of the table.
            ///
            /// ```
            /// let codes: std::collections::BTreeSet<_> =
            ///     tool_core::lint::LintRule::ALL.iter().map(|rule| rule.code()).collect();
            /// assert_eq!(codes.len(), tool_core::lint::LintRule::ALL.len());
            /// ```
            pub const ALL: &[LintRule] = &[$(LintRule::$rule),*];

            const fn row(self) -> (&'static str, &'static str) {
                match self {
                    $(LintRule::$rule => ($code, $remedy),)*
                }
            }
        }
    };
}

rules! {
    NameTooLong "name-too-long"
        "a name of more than 64 characters: OpenAI, Anthropic and Gemini refuse it"
        "give it a shorter `name`, and the old one as `alias`";
    NameDotted "name-dotted"
        "a name with a dot: OpenAI and Anthropic refuse it (`^[a-zA-Z0-9_-]{1,64}$`)"
        "use `_` in its place, and give the old name as `alias`";
    NameStart "name-start"
        "a name that begins with neither a letter nor `_`: Gemini refuses it"
        "begin it with a letter, and give the old name as `alias`";
    NamesDifferByCase "names-differ-by-case"
        "two tools or aliases whose names differ by case alone, which a model mixes up"
        "give one of them another `name`";
    DescriptionVague "description-vague"
        "a description that is too short, is to be written yet, or says the name again"
        "say what it does, what it returns, and when to use it";
    DescriptionTooLong "description-too-long"
        "a description of more than 1,024 characters (OpenAI refuses it) or a limit of your own, or of more than 2,048 bytes \
         (Claude Code cuts it)"
        "say the essential; put the rest where it is asked for, as into an `Explain` tool";
    InstructionsTooLong "instructions-too-long"
        "instructions of an MCP server of more than 2,048 bytes: Claude Code cuts them"
        "say how the tools work together, and leave what one tool does to its description";
    DescriptionsAlike "descriptions-alike"
        "a description that hardly differs from that of another tool: a model cannot choose"
        "say in each what the other does not do";
    InputUndocumented "input-undocumented"
        "an input, or a member of one, without a description"
        "write a doc comment on the parameter or field";
    InputVague "input-vague"
        "a description of an input that is to be written yet or says the name again"
        "say what it means, in which unit or form";
    InputNameRefused "input-name-refused"
        "an input whose name is not `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`: Gemini refuses it, and other APIs some of these"
        "give it such a name with `rename`";
    ExampleInvalid "example-invalid"
        "an example or a default that a call could not have"
        "make it one that the tool takes, or widen the input";
    PatternWithoutExample "pattern-without-example"
        "a text that must match a pattern and has no example: it would have to be guessed"
        "declare an `example`";
    ChoiceUntagged "choice-untagged"
        "an input of a type that contains itself and is chosen by trying: each level is tried several times"
        "tag it: `#[serde(tag = \"kind\")]`, or give each variant a member of its own";
    HiddenCharacters "hidden-characters"
        "a character that a reader does not see and a model does: zero width, direction, tag, control"
        "delete it";
    InstructionInText "instruction-in-text"
        "a text that reads like an order to the model: clients take the tool for an attack"
        "describe the tool, and address nobody";
    RawState "raw-state"
        "a tool that modifies nothing and takes as `State`, or as `&self`, what is a `Resource` to another"
        "take a `Reader` of it: in an `impl` block, `#[inject] it: Reader<Self>` in the place of `&self`";
    ToolOverBudget "tool-over-budget"
        "a tool whose definition takes too many tokens, 1,000 unless told"
        "take fewer inputs, or describe them in fewer words";
    TooManyTools "too-many-tools"
        "more tools than a model API takes: 128 (OpenAI), or a limit of your own"
        "select fewer, or serve them by two-step discovery";
    RegistryOverBudget "registry-over-budget"
        "definitions that together take too many tokens, 20,000 unless told"
        "select fewer tools, or serve them by two-step discovery";
}

impl LintRule {
    /// Returns the stable code for programs.
    ///
    /// ```
    /// assert_eq!(tool_core::lint::LintRule::RawState.code(), "raw-state");
    /// ```
    pub const fn code(self) -> &'static str {
        self.row().0
    }

    /// Returns how to fix it.
    ///
    /// ```
    /// assert_eq!(tool_core::lint::LintRule::HiddenCharacters.remedy(), "delete it");
    /// ```
    pub const fn remedy(self) -> &'static str {
        self.row().1
    }
}

impl fmt::Display for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// Something that could be better. Its JSON is `{"code","tool"?,"prompt"?,"place"?,"input"?,"message","remedy"}`; `place` is
/// the location.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// for finding in tool_core::lint::lint(&registry) {
///     println!("{}: {} ({})", finding.rule, finding.message, finding.remedy());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it.
    pub rule: LintRule,
    /// The tool; `None` if the finding concerns a prompt, or all tools.
    pub tool: Option<String>,
    /// The prompt, if the finding concerns one.
    pub prompt: Option<String>,
    /// The declaration of the tool or the prompt, as `file:line`.
    pub location: Option<String>,
    /// The input, if the finding concerns one, as a JSON Pointer (RFC 6901) into the arguments; `*` is any item of a list or
    /// any value of a map.
    pub input: Option<String>,
    /// The finding, for people.
    pub message: String,
}

impl Finding {
    /// Returns how to fix it.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let remedies: Vec<&str> = tool_core::lint::lint(&registry).iter().map(|finding| finding.remedy()).collect();
    /// # assert!(remedies.is_empty());
    /// ```
    pub const fn remedy(&self) -> &'static str {
        self.rule.remedy()
    }

    pub(super) fn of(rule: LintRule, tool: &ToolDefinition, message: impl Into<String>) -> Self {
        Finding {
            tool: Some(tool.name().to_owned()),
            location: Some(tool.source().to_string()),
            ..Finding::of_all(rule, message)
        }
    }

    /// Returns the same finding for a prompt, which is checked like a tool.
    pub(super) fn of_prompt(self) -> Self {
        Finding { prompt: self.tool, tool: None, ..self }
    }

    pub(super) fn at(self, input: &str) -> Self {
        Finding { input: (!input.is_empty()).then(|| input.to_owned()), ..self }
    }

    pub(super) fn of_all(rule: LintRule, message: impl Into<String>) -> Self {
        Finding { rule, tool: None, prompt: None, location: None, input: None, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.rule)?;
        let tool = self.tool.as_ref().map(|name| ("tool", name));
        if let Some((noun, name)) = tool.or(self.prompt.as_ref().map(|name| ("prompt", name))) {
            write!(f, "{noun} `{name}`")?;
            if let Some(input) = &self.input {
                write!(f, ", input {input}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        if let Some(location) = &self.location {
            write!(f, "\n  declared: {location}")?;
        }
        write!(f, "\nhelp: {}", self.remedy())
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let optional = [
            ("tool", &self.tool),
            ("prompt", &self.prompt),
            ("place", &self.location),
            ("input", &self.input),
        ];
        let given = optional.iter().filter(|(_, value)| value.is_some()).count();
        let mut object = serializer.serialize_struct("Finding", 3 + given)?;
        object.serialize_field("code", self.rule.code())?;
        for (name, value) in optional {
            if let Some(value) = value {
                object.serialize_field(name, value)?;
            }
        }
        object.serialize_field("message", &self.message)?;
        object.serialize_field("remedy", self.remedy())?;
        object.end()
    }
}
