//! The stored form of an output: JSON that reads back as the same output.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::content::Content;
use crate::model::output::{Body, Output};

/// The stored form of an [`Output`].
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredOutput {
    #[serde(flatten)]
    body: StoredBody,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<Content>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meta: Option<Box<Map<String, Value>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredBody {
    Empty,
    Text(String),
    /// JSON as text, so that its bytes stay the same.
    Json {
        wire: String,
        wrapped: bool,
    },
    Content(Vec<Content>),
}

impl From<&Output> for StoredOutput {
    fn from(output: &Output) -> Self {
        let body = match &output.body {
            Body::Empty => StoredBody::Empty,
            Body::Text(text) => StoredBody::Text(text.clone()),
            Body::Json { wire, wrapped } => StoredBody::Json { wire: wire.clone(), wrapped: *wrapped },
            Body::Content(content) => StoredBody::Content(content.clone()),
            // Only tools run as tasks.
            Body::Prompt(_) => StoredBody::Content(output.content().into_owned()),
        };
        StoredOutput { body, blocks: output.blocks.clone(), meta: output.meta.clone() }
    }
}

impl From<StoredOutput> for Output {
    fn from(stored: StoredOutput) -> Self {
        let body = match stored.body {
            StoredBody::Empty => Body::Empty,
            StoredBody::Text(text) => Body::Text(text),
            StoredBody::Json { wire, wrapped } => Body::Json { wire, wrapped },
            StoredBody::Content(content) => Body::Content(content),
        };
        Output { body, blocks: stored.blocks, meta: stored.meta }
    }
}
