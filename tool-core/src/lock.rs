//! `tools.lock`: a text that records what every tool and every prompt promises, so that a change shows in a review.

mod choice;
mod compare;
mod difference;
mod keywords;
mod relation;
mod schemas;
mod service;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use difference::{Change, Difference, DifferenceKind};

use crate::definition::ToolDefinition;
use crate::definition::promise::Promise;
use crate::lock::service::Service;
use crate::model::digest::Digest;
use crate::registry::Registry;
use crate::schema::json::canonical::canonical;

/// The version of the format, in each file.
const VERSION: u64 = 1;

/// What every tool and every prompt of a registry promises: the content of `tools.lock`.
///
/// Its text is JSON with sorted members, one value per line, so that version control shows each change. Registries with the
/// same [`Digest`] have the same text. [`Lock::compare`] returns what a change means to callers.
///
/// ```
/// use tool_core::Registry;
/// use tool_core::lock::{Change, Lock};
///
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// let stored: Lock = Lock::of(&registry).to_string().parse()?;
/// assert_eq!(stored, Lock::of(&registry));
/// assert!(stored.compare(&Lock::of(&registry)).iter().all(|difference| difference.change() == Change::Compatible));
/// # Ok::<(), tool_core::lock::LockError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lock {
    tools: BTreeMap<String, Promise>,
    /// Prompts may have the names of tools.
    prompts: BTreeMap<String, Promise>,
}

impl Lock {
    /// Builds the lock of all tools and prompts of a registry, for any caller.
    ///
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::lock::Lock;
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(Lock::of(&registry).to_string(), "{\n  \"tools\": {},\n  \"version\": 1\n}\n");
    /// ```
    pub fn of(registry: &Registry) -> Self {
        let entry = |tool: &ToolDefinition| (tool.name().to_owned(), Promise::of(tool).normal());
        Lock {
            tools: registry.definitions().map(entry).collect(),
            prompts: registry.declared_prompts().map(|prompt| entry(prompt.tool())).collect(),
        }
    }

    /// Returns all differences to `newer`, ordered by the names of the tools and then of the prompts, and what each means to a
    /// caller, see [`DifferenceKind`]. The result is empty if and only if the digests are equal.
    ///
    /// ```
    /// use tool_core::lock::Lock;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let lock = Lock::of(&registry);
    /// assert!(lock.compare(&lock).is_empty());
    /// ```
    #[must_use]
    pub fn compare(&self, newer: &Lock) -> Vec<Difference> {
        let prompts = compare::compare(&self.prompts, &newer.prompts).into_iter().map(Difference::of_prompt);
        compare::compare(&self.tools, &newer.tools).into_iter().chain(prompts).collect()
    }

    /// Returns all differences from a running service to this lock, which is that of the version to be deployed.
    ///
    /// `list` is the answer of `tool-http` to `GET /tools?detail=full`: a JSON array of tools with their schemas and digests. It
    /// has the tools that its caller may see. A list does not have all that a lock has, such as addresses and aliases. What it lacks is
    /// taken from this lock, and the digest of the tool confirms it; otherwise there is a difference of the kind
    /// [`Undecided`](DifferenceKind::Undecided). Prompts are not compared.
    ///
    /// # Errors
    ///
    /// If `list` is not such a list.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::lock::{Lock, LockError};
    ///
    /// # fn registry() -> tool_core::Registry { tool_core::Registry::builder().allow_empty().build().unwrap() }
    /// let list = json!([{"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}, "digest": "blake3:…"}]);
    /// let differences = Lock::of(&registry()).compare_service(&list.to_string())?;
    /// assert_eq!(differences[0].to_string(), "breaking: `add`: the tool is gone (a call of it fails)");
    /// # Ok::<(), LockError>(())
    /// ```
    pub fn compare_service(&self, list: &str) -> Result<Vec<Difference>, LockError> {
        let service = Service::read(list, &self.tools)
            .map_err(|error| LockError::NoList { reason: error.to_string() })?;
        let mut differences = compare::compare(&service.tools, &self.tools);
        differences.extend(service.undecided(&self.tools));
        differences.sort_by(|a, b| a.tool.cmp(&b.tool));
        Ok(differences)
    }

    /// Returns the digest of the registry that the lock was built from.
    ///
    /// ```
    /// use tool_core::lock::Lock;
    ///
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(Lock::of(&registry).digest(), registry.digest());
    /// ```
    pub fn digest(&self) -> Digest {
        let digests = |entries: &BTreeMap<String, Promise>| -> Vec<String> {
            entries.iter().map(|(name, entry)| entry.digest(name).to_string()).collect()
        };
        Digest::of_all(digests(&self.tools), digests(&self.prompts))
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locked = |(name, entry): (&String, &Promise)| (name.clone(), entry.stored(name));
        let tools: serde_json::Map<String, Value> = self.tools.iter().map(locked).collect();
        let prompts: serde_json::Map<String, Value> = self.prompts.iter().map(locked).collect();
        let mut file = json!({"version": VERSION, "tools": tools});
        if !prompts.is_empty() {
            file["prompts"] = prompts.into();
        }
        // The canonical text sorts members and normalizes numbers; parsing it again is for the line breaks.
        let sorted: Value = canonical(&file).parse().unwrap_or_default();
        writeln!(f, "{sorted:#}")
    }
}

impl FromStr for Lock {
    type Err = LockError;

    fn from_str(text: &str) -> Result<Self, LockError> {
        #[derive(Deserialize)]
        struct Version {
            version: u64,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(rename = "version")]
            _version: u64,
            tools: BTreeMap<String, Stored>,
            #[serde(default)]
            prompts: BTreeMap<String, Stored>,
        }

        let Version { version } = serde_json::from_str(text).map_err(|error| LockError::no_lock(&error))?;
        if version != VERSION {
            return Err(LockError::Version { found: version });
        }
        let File { tools, prompts, .. } =
            serde_json::from_str(text).map_err(|error| LockError::no_lock(&error))?;
        let checked = |(name, Stored { digest, entry }): (String, Stored)| {
            if entry.digest(&name).to_string() == digest {
                Ok((name, entry))
            } else {
                Err(LockError::Edited { tool: name })
            }
        };
        Ok(Lock {
            tools: tools.into_iter().map(checked).collect::<Result<_, _>>()?,
            prompts: prompts.into_iter().map(checked).collect::<Result<_, _>>()?,
        })
    }
}

/// One tool or prompt in the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    digest: String,
    #[serde(flatten)]
    entry: Promise,
}

impl Promise {
    fn stored(&self, name: &str) -> Value {
        let stored = Stored { digest: self.digest(name).to_string(), entry: self.clone() };
        serde_json::to_value(stored).unwrap_or_default()
    }
}

/// Why a text is not a [`Lock`].
///
/// ```
/// use tool_core::lock::{Lock, LockError};
///
/// let error = "{}".parse::<Lock>().unwrap_err();
/// assert!(matches!(error, LockError::NoLock { .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The text is not JSON, or has another structure.
    #[error("not a lock of tools: {reason}\nhelp: write it anew")]
    NoLock {
        /// What is wrong, and where.
        reason: String,
    },
    /// Another version of this crate wrote the text.
    #[error("a lock of tools of version {found}, where version {VERSION} is known\nhelp: write it anew")]
    Version {
        /// The version in the text.
        found: u64,
    },
    /// The text is not a list of tools with their digests.
    #[error("not a list of tools with digests: {reason}\nhelp: take the answer to `GET /tools?detail=full`")]
    NoList {
        /// What is wrong, and where.
        reason: String,
    },
    /// The entry of a tool does not match its digest.
    #[error(
        "tool `{tool}` of the lock has another digest than is written there\nhelp: do not edit it by hand; write it anew"
    )]
    Edited {
        /// The tool.
        tool: String,
    },
}

impl LockError {
    fn no_lock(error: &serde_json::Error) -> Self {
        LockError::NoLock { reason: error.to_string() }
    }
}
