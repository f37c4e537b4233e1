//! Completion: values that a caller may want for an input.

mod function;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::declare::inject::Needs;
use crate::declare::states::States;
use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::schema::NativeSchema;

pub use function::Complete;

/// The values that complete an input.
///
/// ```
/// use tool_core::{Registry, adapter, tool};
///
/// fn cities(typed: &str) -> Vec<String> {
///     ["Rome", "Rostock"].into_iter().filter(|city| city.starts_with(typed)).map(String::from).collect()
/// }
///
/// /// Greets a city.
/// #[tool(operation = Transform)]
/// fn greet_city(/** Which. */ #[arg(complete = cities)] city: String) -> String {
///     format!("Hello {city}!")
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "greet_city").build().unwrap();
/// # tool_core::private::block_on(async {
/// let completions = adapter::complete(&registry, "greet_city", "city", "Ros").await.unwrap();
/// assert_eq!(completions.values, ["Rostock"]);
/// assert!(!completions.has_more);
/// # });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completions {
    /// The values, at most 100, which is the limit of MCP.
    pub values: Vec<String>,
    /// The total number of values.
    pub total: usize,
    /// Whether there are more values than these.
    pub has_more: bool,
}

/// A request to complete an input: the text so far, and the values of other inputs.
///
/// ```
/// use tool_core::{Registry, adapter, tool};
/// use tool_core::completion::CompletionRequest;
///
/// fn streets(request: &CompletionRequest<'_>) -> Vec<String> {
///     let streets: &[&str] = match request.argument("town") {
///         Some("Rome") => &["Via Appia", "Via Veneto"],
///         _ => &[],
///     };
///     streets.iter().filter(|street| street.starts_with(request.text())).map(ToString::to_string).collect()
/// }
///
/// /// Finds a house.
/// #[tool(operation = Read)]
/// fn house(/** Where. */ town: String, /** And there. */ #[arg(complete = streets)] street: String) -> String {
///     format!("{street}, {town}")
/// }
///
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "house").build().unwrap();
/// let request = CompletionRequest::new("Via A").with_argument("town", "Rome");
/// # tool_core::private::block_on(async {
/// assert_eq!(adapter::complete(&registry, "house", "street", request).await.unwrap().values, ["Via Appia"]);
/// # });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompletionRequest<'t> {
    text: &'t str,
    others: BTreeMap<&'t str, &'t str>,
    principal: Option<&'t Principal>,
}

impl<'t> CompletionRequest<'t> {
    /// Creates a request with the text so far.
    ///
    /// ```
    /// assert_eq!(tool_core::completion::CompletionRequest::new("Ro"), "Ro".into());
    /// ```
    pub fn new(text: &'t str) -> Self {
        CompletionRequest { text, ..CompletionRequest::default() }
    }

    /// Adds the value of another input, as typed.
    ///
    /// ```
    /// assert_eq!(tool_core::completion::CompletionRequest::new("Ro").with_argument("country", "it").argument("country"), Some("it"));
    /// ```
    #[must_use]
    pub fn with_argument(mut self, input: &'t str, text: &'t str) -> Self {
        self.others.insert(input, text);
        self
    }

    /// Returns the text so far of the input that is completed.
    ///
    /// ```
    /// assert_eq!(tool_core::completion::CompletionRequest::new("Ro").text(), "Ro");
    /// ```
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the value of another input, if it was given.
    ///
    /// ```
    /// assert!(tool_core::completion::CompletionRequest::new("Ro").argument("country").is_none());
    /// ```
    pub fn argument(&self, input: &str) -> Option<&'t str> {
        self.others.get(input).copied()
    }

    /// Sets the caller.
    pub(crate) fn by(self, principal: &'t Principal) -> Self {
        CompletionRequest { principal: Some(principal), ..self }
    }

    /// Returns the caller of the registry that completes, or [anonymous](Principal::anonymous) outside of one.
    ///
    /// ```
    /// use tool_core::{Principal, Registry, adapter, tool};
    /// use tool_core::completion::CompletionRequest;
    ///
    /// fn own_notes(request: &CompletionRequest<'_>) -> Vec<String> {
    ///     request.principal().id().map(|user| format!("{user}/shopping")).into_iter().collect()
    /// }
    ///
    /// /// Reads a note.
    /// #[tool(operation = Read)]
    /// fn note(/** Which one. */ #[arg(complete = own_notes)] name: String) -> String {
    ///     name
    /// }
    ///
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "note").build().unwrap();
    /// let ada = registry.as_principal(Principal::new("ada"));
    /// # tool_core::private::block_on(async {
    /// assert_eq!(adapter::complete(&ada, "note", "name", "").await.unwrap().values, ["ada/shopping"]);
    /// # });
    /// assert_eq!(CompletionRequest::new("").principal(), &Principal::anonymous());
    /// ```
    pub fn principal(&self) -> &Principal {
        static NOBODY: LazyLock<Principal> = LazyLock::new(Principal::anonymous);
        self.principal.unwrap_or(&NOBODY)
    }
}

impl<'t> From<&'t str> for CompletionRequest<'t> {
    fn from(text: &'t str) -> Self {
        CompletionRequest::new(text)
    }
}

impl<'t> From<&'t String> for CompletionRequest<'t> {
    fn from(text: &'t String) -> Self {
        CompletionRequest::new(text)
    }
}

/// The maximum number of values.
const MAX_VALUES: usize = 100;

impl Completions {
    pub(crate) fn of(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MAX_VALUES);
        Completions { values, total, has_more: total > MAX_VALUES }
    }
}

/// Appends the values that a schema allows, if it lists them.
pub(crate) fn push_allowed_values(native: &NativeSchema, values: &mut Vec<String>) {
    if native.kind == "boolean" {
        values.extend(["true", "false"].map(str::to_owned));
    }
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.extend(native.allowed.iter().map(|allowed| text(&allowed.value)));
    native.variants.iter().for_each(|variant| push_allowed_values(variant, values));
}

/// The expansion of `complete = …`.
pub type CompleteFn = fn(&mut Completing<'_>);

/// A use of a completion function: to describe it, or to propose values.
pub enum Completing<'c> {
    /// Describe the state that the function takes.
    Describe(&'c mut Needs),
    /// Say whether the function is `async`.
    IsAsync(&'c mut bool),
    /// Propose values.
    Propose {
        /// The request.
        request: &'c CompletionRequest<'c>,
        /// The state of the registry.
        states: &'c States,
        /// Whether the tool has an access function.
        guarded: bool,
        /// Receives the proposed values.
        proposals: Proposals<'c>,
    },
}

/// Proposed values, or a future of them.
pub enum Proposals<'c> {
    /// The values.
    Ready(Vec<String>),
    /// A future of the values.
    Pending(BoxFuture<'c, Vec<String>>),
}

impl<'c> Completing<'c> {
    /// Calls one function.
    pub fn by<Marker, C: Complete<Marker>>(&mut self, complete: C) {
        match self {
            Completing::Describe(needs) => complete.needs(needs),
            Completing::IsAsync(is_async) => **is_async = C::IS_ASYNC,
            Completing::Propose { guarded: true, .. } if !C::SEES_CALLER => {}
            Completing::Propose { request, states, proposals, .. } => {
                *proposals = complete.propose(request, states);
            }
        }
    }

    /// Returns the proposals.
    pub(crate) fn into_proposals(self) -> Proposals<'c> {
        match self {
            Completing::Propose { proposals, .. } => proposals,
            Completing::Describe(_) | Completing::IsAsync(_) => Proposals::Ready(Vec::new()),
        }
    }
}

/// A request that owns its texts, for another thread.
#[cfg(feature = "tokio")]
pub(crate) struct OwnedRequest {
    text: String,
    others: BTreeMap<String, String>,
    principal: Principal,
}

#[cfg(feature = "tokio")]
impl OwnedRequest {
    pub(crate) fn new(request: &CompletionRequest<'_>) -> Self {
        let owned = |(input, text): (&&str, &&str)| ((*input).to_owned(), (*text).to_owned());
        OwnedRequest {
            text: request.text.to_owned(),
            others: request.others.iter().map(owned).collect(),
            principal: request.principal().clone(),
        }
    }

    pub(crate) fn request(&self) -> CompletionRequest<'_> {
        let others = self.others.iter().map(|(input, text)| (input.as_str(), text.as_str())).collect();
        CompletionRequest { text: &self.text, others, principal: Some(&self.principal) }
    }
}
