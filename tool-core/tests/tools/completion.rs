//! Completion of inputs, by a function or by the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::completion::{CompletionRequest, Completions};
use tool_core::{BuildError, FailureKind, Principal, adapter, tool};

use crate::builder_of;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Weather {
    Sun,
    /// Wet.
    Rain,
    Snow,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Options {
    weather: Weather,
    loud: Option<bool>,
}

struct Cities(Vec<String>);

fn beginning(typed: &str, cities: &Cities) -> Vec<String> {
    cities.0.iter().filter(|city| city.starts_with(typed)).cloned().collect()
}

fn numbers(_: &str) -> Vec<String> {
    (0..250).map(|n| n.to_string()).collect()
}

fn panics(typed: &str) -> Vec<String> {
    panic!("no completion for {typed}");
}

/// Has inputs of every kind.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn completed(
    #[arg(complete = beginning)] city: String,
    #[arg(complete = numbers)] number: u8,
    #[arg(complete = panics)] fragile: Option<String>,
    weather: Option<Weather>,
    maybe: Option<Option<Weather>>,
    text: Option<String>,
    #[arg(secret)] secret: Option<Weather>,
    #[arg(flatten)] options: Settings,
) -> String {
    let rest = (fragile, weather, maybe, text, secret, options);
    format!("{city} {number} {}", rest.0.is_some())
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Settings {
    #[serde(flatten)]
    options: Options,
    quiet: bool,
}

fn complete(input: &str, typed: &str) -> Completions {
    let cities = Cities(["Rome", "Rostock", "Pisa"].map(String::from).to_vec());
    let registry = builder_of(module_path!()).state(cities).build().unwrap();
    tool_core::private::block_on(adapter::complete(&registry, "completed", input, typed)).unwrap()
}

#[test]
fn completes_values_with_a_function() {
    assert_eq!(complete("city", "Ro").values, ["Rome", "Rostock"]);
    assert_eq!(complete("city", "x"), Completions::default());
}

#[test]
fn returns_at_most_a_hundred_values() {
    let completions = complete("number", "");
    assert_eq!((completions.values.len(), completions.total, completions.has_more), (100, 250, true));
    assert_eq!(completions.values[99], "99");
}

#[test]
fn completes_constants_and_booleans_from_the_schema() {
    assert_eq!(complete("weather", "").values, ["sun", "snow", "rain"]);
    assert_eq!(complete("weather", "S").values, ["sun", "snow"]);
    assert_eq!(complete("maybe", "s").values, ["sun", "snow"]);
    assert_eq!(complete("loud", "").values, ["true", "false"]);
    assert_eq!(complete("quiet", "F").values, ["false"]);
    assert_eq!(complete("text", "").values, Vec::<String>::new());
    assert_eq!(complete("secret", "").values, Vec::<String>::new());
}

#[test]
fn reports_invalid_completion_requests() {
    let registry = builder_of(module_path!()).state(Cities(Vec::new())).build().unwrap();
    let failure = |tool: &str, input: &str| {
        tool_core::private::block_on(adapter::complete(&registry, tool, input, "")).unwrap_err()
    };
    assert_eq!(failure("completed", "fragile").kind(), FailureKind::Internal);
    assert_eq!(failure("nope", "city").kind(), FailureKind::NotFound);
    let unknown = failure("completed", "citi");
    assert_eq!(unknown.kind(), FailureKind::Input);
    assert_eq!(unknown.problems()[0].suggestion.as_deref(), Some("city"));
}

fn streets(request: &CompletionRequest<'_>) -> Vec<String> {
    let town = request.argument("town").unwrap_or("nowhere");
    vec![format!("{} in {town}", request.text())]
}

fn streets_of(request: &CompletionRequest<'_>, cities: &Cities) -> Vec<String> {
    let is_city = cities.0.iter().any(|city| Some(city.as_str()) == request.argument("town"));
    vec![format!("{}: {is_city}", request.text())]
}

mod others {
    use super::{streets, streets_of};

    /// Has inputs that depend on others.
    #[tool_core::tool(operation = Read)]
    fn house(
        town: String,
        #[arg(complete = streets)] street: String,
        #[arg(complete = streets_of)] other: String,
    ) {
        let _ = (town, street, other);
    }
}

#[test]
fn passes_other_inputs_to_the_function() {
    let cities = Cities(vec!["Rome".to_owned()]);
    let registry = builder_of(concat!(module_path!(), "::others")).state(cities).build().unwrap();
    let values = |input: &str, request| {
        tool_core::private::block_on(adapter::complete(&registry, "house", input, request)).unwrap().values
    };
    assert_eq!(
        values("street", CompletionRequest::new("Via").with_argument("town", "Rome")),
        ["Via in Rome"]
    );
    assert_eq!(values("street", CompletionRequest::new("Via")), ["Via in nowhere"]);
    assert_eq!(values("other", CompletionRequest::new("Via").with_argument("town", "Rome")), ["Via: true"]);
}

/// A tool with a permission and a requirement.
mod closed {
    use super::{Cities, beginning};
    use tool_core::{Unmet, tool};

    /// Needs the permission to see the cities.
    #[tool(operation = Read, permission = "cities", requires = [loaded])]
    fn guarded(#[arg(complete = beginning)] city: String, deep: Option<bool>) -> String {
        format!("{city} {deep:?}")
    }

    fn loaded(cities: &Cities) -> Result<(), Unmet> {
        if cities.0.is_empty() { Err(Unmet::new("there are no cities")) } else { Ok(()) }
    }
}

#[test]
fn rejects_completion_of_denied_tools() {
    let registry = |cities: &[&str]| {
        let cities = Cities(cities.iter().map(ToString::to_string).collect());
        builder_of(concat!(module_path!(), "::closed")).state(cities).build().unwrap()
    };
    let full = registry(&["Rome"]);
    assert_eq!(
        tool_core::private::block_on(adapter::complete(&full, "guarded", "city", "R")).unwrap_err().kind(),
        FailureKind::Denied
    );
    let may = Principal::local().grant("cities");
    assert_eq!(
        tool_core::private::block_on(adapter::complete(
            &full.as_principal(may.clone()),
            "guarded",
            "city",
            "R"
        ))
        .unwrap()
        .values,
        ["Rome"]
    );
    let empty = registry(&[]).as_principal(may);
    assert_eq!(
        tool_core::private::block_on(adapter::complete(&empty, "guarded", "city", "R")).unwrap_err().kind(),
        FailureKind::Unmet
    );
    // Values in the schema are public.
    assert_eq!(
        tool_core::private::block_on(adapter::complete(&full, "guarded", "deep", "t")).unwrap().values,
        ["true"]
    );
    let builder = builder_of(concat!(module_path!(), "::closed")).state(Cities(Vec::new()));
    let hidden = builder.hide_denied().build().unwrap();
    assert_eq!(
        tool_core::private::block_on(adapter::complete(&hidden, "guarded", "deep", "t")).unwrap_err().kind(),
        FailureKind::NotFound
    );
}

/// A tool with an access function.
mod secluded {
    use tool_core::completion::CompletionRequest;
    use tool_core::{Access, Principal, tool};

    fn owns(principal: &Principal, id: &str) -> Access {
        if principal.id() == Some(id) { Access::Allow } else { Access::deny("not yours") }
    }

    fn all(_: &str) -> Vec<String> {
        vec!["ada".to_owned(), "eve".to_owned()]
    }

    fn own(request: &CompletionRequest<'_>) -> Vec<String> {
        request.principal().id().map(str::to_owned).into_iter().collect()
    }

    /// Reads what somebody owns.
    #[tool(operation = Read, access = owns(id))]
    fn secluded_node(
        #[arg(complete = all)] id: String,
        #[arg(complete = own)] again: Option<String>,
        loud: Option<bool>,
    ) -> String {
        format!("{id} {again:?} {loud:?}")
    }
}

#[test]
fn completes_guarded_inputs_only_by_principal() {
    let registry = builder_of(concat!(module_path!(), "::secluded")).build().unwrap();
    let values = |registry: &tool_core::Registry, input: &str| {
        tool_core::private::block_on(adapter::complete(registry, "secluded_node", input, "")).unwrap().values
    };
    let ada = registry.as_principal(Principal::new("ada"));
    assert_eq!(values(&ada, "id"), Vec::<String>::new());
    assert_eq!(values(&ada, "again"), ["ada"]);
    assert_eq!(values(&registry.as_principal(Principal::anonymous()), "again"), Vec::<String>::new());
    assert_eq!(values(&ada, "loud"), ["true", "false"]);
}

#[test]
fn requires_state_of_completion_functions() {
    let errors = builder_of(module_path!()).build().unwrap_err();
    let missing = |error: &BuildError| matches!(error, BuildError::MissingState { state, .. } if state.ends_with("Cities"));
    assert!(errors.iter().all(missing) && errors.iter().count() == 1, "{errors}");
}

#[test]
fn marks_inputs_with_completion() {
    let registry = builder_of(module_path!()).state(Cities(Vec::new())).build().unwrap();
    let inputs = registry.get("completed").unwrap().inputs();
    let completed = inputs.iter().filter(|input| input.completes).filter_map(|input| input.name.as_deref());
    assert_eq!(completed.collect::<Vec<_>>(), ["city", "number", "fragile"]);
    let native = serde_json::to_value(inputs).unwrap();
    assert_eq!((&native[0]["completes"], native[5].get("completes")), (&true.into(), None));
}
