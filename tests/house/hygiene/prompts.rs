//! Hygiene of `#[prompt]`: shadowed names and strict lints.

use serde_json::{Value, json};
use tool_core::{Prompt, PromptMessage, Prompts, Registry, State, prompt, prompts};

use super::of;

/// Returns the messages of a prompt as JSON.
#[track_caller]
fn messages(registry: &Registry, name: &str, arguments: Value) -> Value {
    let prompt = tool_core::private::block_on(registry.get_prompt(name, arguments));
    let prompt = prompt.unwrap_or_else(|failure| panic!("{name}: {}", failure.text()));
    prompt
        .messages
        .iter()
        .map(|message| serde_json::to_value(&message.content).unwrap()["text"].clone())
        .collect()
}

/// Has a name that is a keyword, and inputs that have the names of generated code.
#[prompt]
#[cfg(test)]
fn r#match(r#type: String, __arg0: u8, __call: Option<u8>) -> String {
    format!("{type} {__arg0} {__call:?}")
}

/// Is not compiled.
#[prompt]
#[cfg(not(test))]
fn absent(nonsense: Nonsense) -> Nonsense {}

/// Is deprecated.
#[prompt]
#[deprecated]
async fn old(mut number: u32) -> Vec<PromptMessage> {
    number += 1;
    vec![PromptMessage::user(number.to_string()), PromptMessage::assistant("old")]
}

macro_rules! by_macro {
    ($name:ident $text:literal $kind:ty = $default:expr) => {
        #[doc = $text]
        #[prompt(title = $text)]
        fn $name(#[arg(default = $default)] value: $kind) -> String {
            format!("{} {value}", $text)
        }
    };
}
by_macro!(via_macro "By a macro." u32 = 2 + 3);

/// Uses only imported names and paths that begin with `::`.
mod taken {
    #![no_implicit_prelude]
    #![expect(dead_code, reason = "they are there to be in the way")]

    struct Prompt;
    struct PromptDeclaration;
    struct String;
    struct Declaration;
    mod tool_core {}

    trait Extension {
        fn messages(&self) {}
        fn title(&self) {}
    }
    impl<T: ?::core::marker::Sized> Extension for T {}

    /// Has what it needs.
    #[::tool_core::prompt(title = "Title")]
    pub(super) fn undisturbed()
    -> ::core::result::Result<&'static ::core::primitive::str, ::std::string::String> {
        ::core::result::Result::Ok("undisturbed")
    }

    pub(super) const PROMPTS: ::tool_core::Prompts = ::tool_core::prompts![undisturbed];
}

fn body() -> Prompts {
    /// Is in a body.
    #[prompt]
    fn inside(#[inject] text: State<&'static str>) -> Prompt {
        Prompt::new([PromptMessage::user(*text)])
    }
    prompts![inside, super::prompts::via_macro]
}

#[test]
fn renders_prompts_from_every_context() {
    let registry = of(module_path!()).state("inside").allow_empty().build().unwrap();
    registry.check().unwrap();
    let names: Vec<&str> = registry.prompts().map(tool_core::PromptDefinition::name).collect();
    assert_eq!(names, ["inside", "match", "old", "undisturbed", "via_macro"]);
    for (name, arguments, expected) in [
        ("inside", json!({}), json!(["inside"])),
        ("match", json!({"type": "a", "__arg0": 1}), json!(["a 1 None"])),
        ("old", json!({"number": 1}), json!(["2", "old"])),
        ("undisturbed", json!({}), json!(["undisturbed"])),
        ("via_macro", json!({}), json!(["By a macro. 5"])),
    ] {
        assert_eq!(messages(&registry, name, arguments), expected, "{name}");
    }
}

#[test]
fn lists_prompts_by_any_path() {
    let registry = Registry::builder().prompts(body()).prompts(taken::PROMPTS).prompts(prompts![r#match]);
    let registry =
        registry.prompts(hygiene_renamed::PROMPTS).prompts(prompts![hygiene_strict::strict_prompt]);
    let registry = registry.state("inside").build().unwrap();
    assert_eq!(registry.prompts().len(), 6);
    assert_eq!(messages(&registry, "renamed_prompt", json!({"number": "3"})), json!(["3"]));
    assert_eq!(messages(&registry, "strict_prompt", json!({"text": "a"})), json!(["a 1"]));
}

#[test]
#[expect(deprecated, reason = "a deprecated prompt is still a function")]
fn keeps_prompts_callable() {
    assert_eq!(r#match("a".to_owned(), 1, None), "a 1 None");
    assert_eq!(tool_core::private::block_on(old(1)).len(), 2);
    assert_eq!((via_macro(1).as_str(), taken::undisturbed()), ("By a macro. 1", Ok("undisturbed")));
}
