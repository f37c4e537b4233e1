//! Prompts of a registry, next to its tools.

use serde_json::json;
use tool_core::lock::Lock;
use tool_core::{
    BuildError, Context, PromptDefinition, Reader, Registry, Resource, State, WritePass, prompt, prompts,
    tool, tools,
};

use super::{prompts_of, text};

struct Library {
    books: u32,
}

impl Resource for Library {
    type Reader = u32;
    type Writer = ();

    fn reader(&self) -> &u32 {
        &self.books
    }

    fn writer(&self, _: WritePass<'_>) -> &() {
        &()
    }
}

mod needy {
    use super::*;

    /// Takes everything that a prompt can take.
    #[prompt(name = "librarian", title = "The librarian", description = "Asks the librarian.")]
    pub(super) async fn ask_librarian(
        #[inject] name: State<String>,
        #[inject] library: Reader<Library>,
        #[inject] context: Context,
        /// What is asked.
        #[arg(example = "Where is it?")]
        question: String,
    ) -> String {
        format!("{question} asked {} of {} books in {}", *name, *library, context.tool())
    }
}

mod twice {
    /// One of two.
    #[tool_core::prompt]
    pub(super) fn plain() -> &'static str {
        "twice"
    }
}

/// Asks for nothing.
#[prompt]
fn plain() -> &'static str {
    "plain"
}

/// Is a tool of the same name.
#[tool(operation = Explain, name = "plain")]
fn plain_tool() -> &'static str {
    "tool"
}

const MOST: u8 = 9;

/// Has a default that does not fit, which the macro cannot see.
#[prompt]
fn ill_fitting(#[arg(default = 10, range(max = MOST))] number: u8) -> String {
    number.to_string()
}

#[test]
fn registers_prompts_next_to_tools() {
    let registry = Registry::builder()
        .prompts(prompts![needy::ask_librarian, plain])
        .tools(tools![plain_tool])
        .state("Ada".to_owned())
        .state(Library { books: 3 })
        .build()
        .unwrap();
    registry.check().unwrap();
    assert_eq!(registry.prompts().map(PromptDefinition::name).collect::<Vec<_>>(), ["librarian", "plain"]);
    assert_eq!(registry.tools().len(), 1);
    let answer = text(&registry, "librarian", json!({"question": "Where?"}));
    assert_eq!(answer, "Where? asked Ada of 3 books in librarian");
    assert_eq!(text(&registry, "plain", json!({})), "plain");
}

#[test]
fn keeps_declared_properties() {
    let registry = Registry::builder().prompts(prompts![needy::ask_librarian]);
    let registry = registry.state(String::new()).state(Library { books: 3 }).build().unwrap();
    let librarian = registry.prompt("librarian").unwrap();
    assert_eq!((librarian.title(), librarian.description()), (Some("The librarian"), "Asks the librarian."));
    let [question] = librarian.arguments() else { panic!("{:?}", librarian.arguments()) };
    assert_eq!((question.name.as_deref(), question.required), (Some("question"), Some(true)));
    assert_eq!(question.description.as_deref(), Some("What is asked."));
    assert_eq!(question.examples, [json!("Where is it?")]);
    assert_eq!(librarian.source().module, "prompts::registry::needy");
    assert!(registry.prompt("ask_librarian").is_none());
}

#[test]
fn reports_every_fault_at_once() {
    let builder = Registry::builder().linked().select(|_| false);
    let builder = builder.select_prompts(|prompt| prompt.source().module.starts_with("prompts::registry"));
    let builder = builder.select_prompts(|prompt| prompt.name() != "ill_fitting");
    let errors = builder.build().unwrap_err().to_string();
    let here = file!();
    let expected = format!(
        "two prompts are named `plain`\n  \
           first:  {here}:49, module prompts::registry::twice\n  \
           second: {here}:56, module prompts::registry\n\
         help: give one of them `#[prompt(name = \"…\")]`\n\
         \n\
         prompt `librarian` needs state of type `alloc::string::String`, which the registry does not have\n  \
           declared: {here}:34, module prompts::registry::needy\n\
         help: give it to the builder with `.state(…)`\n\
         \n\
         prompt `librarian` needs state of type `prompts::registry::Library`, which the registry does not have\n  \
           declared: {here}:34, module prompts::registry::needy\n\
         help: give it to the builder with `.state(…)`"
    );
    assert_eq!(errors, expected);
}

#[test]
fn registers_a_linked_and_listed_prompt_once() {
    let is_in_twice = |prompt: &PromptDefinition| prompt.source().module == "prompts::registry::twice";
    let registry = Registry::builder().linked().prompts(prompts![twice::plain]).select_prompts(is_in_twice);
    assert_eq!(registry.build().unwrap().prompts().len(), 1);
}

#[test]
fn accepts_a_registry_of_prompts_only() {
    let registry = Registry::builder().prompts(prompts![plain]).build().unwrap();
    assert_eq!((registry.tools().len(), registry.prompts().len()), (0, 1));
    assert!(Registry::builder().prompts(prompts![]).build().is_err());
    assert!(Registry::builder().prompts(prompts![plain]).expect_crate("prompts").build().is_ok());
}

#[test]
fn rejects_invalid_defaults() {
    let errors = Registry::builder().prompts(prompts![ill_fitting]).build().unwrap_err();
    let [BuildError::PromptSchema { prompt, fault, .. }] = errors.iter().collect::<Vec<_>>()[..] else {
        panic!("{errors}");
    };
    assert_eq!(prompt, "ill_fitting");
    assert_eq!(fault, "the default of input `number` is invalid: expected at most 9, got `10`");
}

#[test]
fn locks_prompts_next_to_tools() {
    let registry = prompts_of("prompts::messages");
    let lock = Lock::of(&registry);
    assert!(registry.prompts().count() > 0);
    assert_eq!(lock.digest(), registry.digest());
    let stored: tool_core::lock::Lock = lock.to_string().parse().unwrap();
    assert_eq!((&stored, stored.digest()), (&lock, lock.digest()));
    let name = registry.prompts().next().unwrap().name();
    let without = Lock::of(&Registry::builder().allow_empty().build().unwrap());
    let mut removed = lock.compare(&without);
    removed.retain(|difference| difference.prompt);
    assert_eq!(removed.len(), registry.prompts().count());
    let expected_text =
        format!("breaking: prompt `{}`: the prompt is gone (a call of it fails)", removed[0].tool);
    assert_eq!(removed[0].to_string(), expected_text);
    assert_eq!(serde_json::to_value(&removed[0]).unwrap()["prompt"], removed[0].tool);
    let edited = lock.to_string().replacen(&format!("\"{name}\": {{"), &format!("\"{name}x\": {{"), 1);
    assert!(edited.parse::<tool_core::lock::Lock>().is_err());
}
