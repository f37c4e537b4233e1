//! The tool that reads stored results.

use serde::Deserialize;
use serde_json::json;

use crate::call::tool::DynamicTool;
use crate::context::Context;
use crate::definition::ToolDefinition;
use crate::model::digest::Digest;
use crate::model::failure::{Failure, ToolError};
use crate::model::operation::{Annotations, Operation};
use crate::model::output::Output;
use crate::results::part::{MOST_SEARCHED, PartError, ResultPart};
use crate::results::{ResultStore, ResultStoreError};
use crate::schema::problem::Problem;

const NAME: &str = "read_result";

/// The arguments of `read_result`.
#[derive(Deserialize)]
struct ReadArguments {
    digest: String,
    lines: Option<String>,
    bytes: Option<String>,
    search: Option<String>,
}

impl ResultStore {
    /// Returns the tool `read_result`, with which a model reads stored results page by page.
    /// [`RegistryBuilder::storing`](crate::RegistryBuilder::storing) adds it.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_core::results::ResultStore;
    ///
    /// let store = ResultStore::memory();
    /// let registry = Registry::builder().tool(store.tool()).build().unwrap();
    /// let digest = store.keep(registry.principal(), "text/plain", "sun\nrain\n").await.unwrap();
    /// let rain = registry.call("read_result", json!({"digest": digest.hex(), "search": "RAIN"})).await.unwrap();
    /// assert_eq!(rain.value(), "2 (byte 4): rain\n[1 line with \"RAIN\"]");
    /// # });
    /// ```
    pub fn tool(&self) -> DynamicTool {
        let store = self.clone();
        DynamicTool::new(definition(), move |context: Context, arguments: ReadArguments| {
            let store = store.clone();
            async move { store.page(&context, &arguments).await }
        })
    }

    async fn page(&self, context: &Context, arguments: &ReadArguments) -> Result<Output, Failure> {
        let ReadArguments { digest, lines, bytes, search } = arguments;
        let part = ResultPart::parse(lines.as_deref(), bytes.as_deref(), search.as_deref())
            .map_err(|error| wrong(&error))?;
        // An invalid digest is reported as one that is not found.
        let kept = match digest.parse::<Digest>() {
            Ok(digest) => self.read(context.principal(), digest).await.map_err(|error| unreadable(&error))?,
            Err(_) => None,
        };
        let kept = kept.ok_or_else(|| {
            let digest: String = digest.chars().take(80).collect();
            ToolError::not_found(format!("Result not found: {digest}"))
        })?;
        if kept.text().is_none() {
            let (media_type, bytes) = (kept.media_type(), kept.content().len());
            let message =
                format!("the result is binary ({media_type}, {bytes} bytes): read it as a resource");
            return Err(invalid("/digest", message));
        }
        kept.page(&part, self.0.limits.page()).map(Output::text).map_err(|error| wrong(&error))
    }
}

fn wrong(error: &PartError) -> Failure {
    let input = match error {
        PartError::Lines(_) | PartError::NoSuchLines(_) => "/lines",
        PartError::Bytes(_) | PartError::NoSuchBytes(_) | PartError::Both => "/bytes",
        PartError::Search(_) => "/search",
        PartError::NoText => "/digest",
    };
    invalid(input, error.to_string())
}

fn invalid(path: &str, message: String) -> Failure {
    Failure::input(NAME, vec![Problem::new(path, "format", message)], None)
}

fn unreadable(error: &ResultStoreError) -> Failure {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::error!(%error, cause, "a result could not be read");
    ToolError::unavailable("results cannot be read at the moment").into()
}

fn definition() -> ToolDefinition {
    let description = "Reads a result that was too large to be shown, by the digest that stands below its beginning: a page \
                       at a time, some lines, some bytes, or the lines with a text.";
    let definition = ToolDefinition::builder(NAME, description)
        .title("Read a large result")
        .operation(Operation::Read)
        .annotations(Annotations {
            read_only_hint: Some(true),
            destructive_hint: Some(false),
            idempotent_hint: Some(true),
            open_world_hint: Some(false),
        })
        .input_schema(json!({
            "type": "object",
            "properties": {
                "digest": {"type": "string", "description": "The digest of the result.", "maxLength": 80},
                "lines": {
                    "type": "string",
                    "description": "Which lines: `10-20`, `10-`, or `-10` for the last ones. With `search`, where to look.",
                    "maxLength": 42,
                },
                "bytes": {"type": "string", "description": "Which bytes, as `0-999`: of lines that are too long.", "maxLength": 42},
                "search": {"type": "string", "description": "A text that the lines have.", "minLength": 1, "maxLength": MOST_SEARCHED},
            },
            "required": ["digest"],
            "additionalProperties": false,
        }));
    definition.build().expect("it is well-formed: the tests call it")
}
