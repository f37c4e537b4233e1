//! Tools and a prompt that send requests to the client: elicitation, sampling and roots.
//!
//! A client of 2026-07-28 repeats the call with its answers, which restarts the function; older clients answer while it
//! waits. The functions are the same for both. Keys are set where the suite expects them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::elicitation::{AskKind, Elicited, Form, Sample};
use tool_core::{Context, Failure, prompt, tool};

/// Who somebody is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// That somebody is sure.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

/// Formats the outcome of a form as the suite expects.
fn outcome<T: Serialize>(answer: &Elicited<T>) -> String {
    let (action, content) = match answer {
        Elicited::Accepted(content) => ("accept", json!(content)),
        Elicited::Declined => ("decline", json!({})),
        Elicited::Cancelled => ("cancel", json!({})),
    };
    format!("action={action}, content={content}")
}

/// Lets a model of the caller answer.
#[tool(operation = Transform)]
async fn test_sampling(
    #[inject] context: Context,
    /// What the model is told.
    prompt: String,
) -> Result<String, Failure> {
    let answer = context.sample(Sample::new(100).user(prompt)).await?;
    Ok(format!("LLM response: {}", answer.as_text()))
}

/// How somebody can be reached.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Account {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// Asks the user to fill in a form.
#[tool(operation = Transform)]
async fn test_elicitation(
    #[inject] context: Context,
    /// What the user is told.
    message: String,
) -> Result<String, Failure> {
    let answer = context.elicit::<Account>(message).await?;
    Ok(format!("User response: {}", outcome(&answer)))
}

/// A form that is filled in already: the user may leave it as it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Profile {
    name: String,
    age: u8,
    score: f64,
    status: Status,
    verified: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Profile {
    fn default() -> Self {
        let name = "John Doe".to_owned();
        Profile { name, age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

/// Asks with a form that has a default for each field.
#[tool(operation = Transform)]
async fn test_elicitation_sep1034_defaults(#[inject] context: Context) -> Result<String, Failure> {
    let answer = context.elicit::<Profile>("Is this right?").await?;
    Ok(format!("Elicitation completed: {}", outcome(&answer)))
}

/// Asks with a form that has every kind of choice.
#[tool(operation = Transform)]
async fn test_elicitation_sep1330_enums(#[inject] context: Context) -> Result<String, Failure> {
    let titled = |noun: &str| {
        let choice = |(value, nth)| json!({"const": value, "title": format!("{nth} {noun}")});
        [("value1", "First"), ("value2", "Second"), ("value3", "Third")].map(choice)
    };
    let plain = ["option1", "option2", "option3"];
    // `enumNames` belongs to an older protocol, so no type generates it.
    let form = Form::new(&json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }}));
    let answer = context.elicit_form("Please choose", form.map_err(|_| Failure::internal())?).await?;
    Ok(format!("Elicitation completed: {}", outcome(&answer)))
}

/// Needs a model of the caller, which the caller may not have.
#[tool(operation = Transform)]
async fn test_missing_capability(#[inject] context: Context) -> Result<String, Failure> {
    Ok(context.sample(Sample::new(10).user("Say something.")).await?.as_text())
}

/// Asks the user, and tells how far it has come.
#[tool(operation = Transform)]
async fn test_streaming_elicitation(#[inject] context: Context) -> Result<String, Failure> {
    context.progress(0, 1, "asking");
    let answer = context.elicit::<Name>("What is your name?").await?;
    context.progress(1, 1, "answered");
    Ok(outcome(&answer))
}

/// Asks the user for a name.
#[tool(operation = Transform)]
async fn test_input_required_result_elicitation(#[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("What is your name?").key("user_name").await?.required()?;
    Ok(format!("Hello, {name}!"))
}

/// Asks a model of the caller for a capital.
#[tool(operation = Transform)]
async fn test_input_required_result_sampling(#[inject] context: Context) -> Result<String, Failure> {
    let question = Sample::new(100).user("What is the capital of France?");
    Ok(context.sample(question).key("capital_question").await?.as_text())
}

/// Asks where the client works.
#[tool(operation = Transform)]
async fn test_input_required_result_list_roots(#[inject] context: Context) -> Result<String, Failure> {
    let roots = context.roots().key("client_roots").await?;
    let uris: Vec<String> = roots.into_iter().map(|root| root.uri).collect();
    Ok(format!("The client works in {}.", uris.join(", ")))
}

/// Asks for a confirmation; that the answer gets here says that the state which came with it is ours.
#[tool(operation = Transform)]
async fn test_input_required_result_request_state(#[inject] context: Context) -> Result<String, Failure> {
    confirmed(&context).await.map(|ok| format!("state-ok: {ok}"))
}

/// Asks for a confirmation, which is refused where the state that comes with it was changed on the way.
#[tool(operation = Transform)]
async fn test_input_required_result_tampered_state(#[inject] context: Context) -> Result<String, Failure> {
    confirmed(&context).await.map(|ok| format!("confirmed: {ok}"))
}

async fn confirmed(context: &Context) -> Result<bool, Failure> {
    let answer: Confirmation = context.elicit("Please confirm").key("confirm").await?.required()?;
    Ok(answer.ok)
}

/// Asks three things at once: what belongs together is one round.
#[tool(operation = Transform)]
async fn test_input_required_result_multiple_inputs(#[inject] context: Context) -> Result<String, Failure> {
    let (name, greeting, roots) = tokio::join!(
        context.elicit::<Name>("What is your name?").key("user_name"),
        context.sample(Sample::new(50).user("Generate a greeting")).key("greeting"),
        context.roots().key("client_roots"),
    );
    let (Name { name }, greeting, roots) = (name?.required()?, greeting?.as_text(), roots?.len());
    Ok(format!("{greeting} {name} works in {roots} folders."))
}

/// The colour that somebody likes best.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

/// Asks one thing after the other: each is a round.
#[tool(operation = Transform)]
async fn test_input_required_result_multi_round(#[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("Step 1: What is your name?").key("step1").await?.required()?;
    let question = "Step 2: What is your favorite color?";
    let Colour { color } = context.elicit(question).key("step2").await?.required()?;
    Ok(format!("{name} likes {color}."))
}

/// Asks whoever can be asked, the user or a model.
#[tool(operation = Transform)]
async fn test_input_required_result_capabilities(#[inject] context: Context) -> Result<String, Failure> {
    if context.supports(AskKind::Form) {
        return Ok(outcome(&context.elicit::<Name>("What is your name?").await?));
    }
    Ok(context.sample(Sample::new(50).user("Make up a name.")).await?.as_text())
}

/// What a prompt is about.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Topic {
    context: String,
}

/// Asks what it is about before it asks.
#[prompt]
async fn test_input_required_result_prompt(#[inject] context: Context) -> Result<String, Failure> {
    let question = "What context should the prompt use?";
    let topic: Topic = context.elicit(question).key("user_context").await?.required()?;
    Ok(format!("Tell me about this: {}", topic.context))
}
