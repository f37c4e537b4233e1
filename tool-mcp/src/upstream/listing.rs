//! The tools of one server, as they were listed last.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tool_core::definition::DefinitionError;
use tool_core::provider::Toolset;
use tool_core::{Registry, Tool, adapter};

use crate::upstream::definition::{Described, describe, refused};
use crate::upstream::link::Link;
use crate::upstream::session::Listed;
use crate::upstream::tool::UpstreamTool;

/// A list, and what was made of it.
pub(super) struct Listing {
    /// Of the list as it came: the same again is the same.
    fingerprint: u64,
    pub(super) toolset: Toolset,
    /// What is served in part.
    partly: Arc<[String]>,
    came: Instant,
    fresh_for: Option<Duration>,
}

/// A server may call its list stale at once; it is not asked more often than this.
const LEAST_FRESH: Duration = Duration::from_secs(1);

impl Listing {
    /// What a list comes to: the tools of the one before, if it is the same again.
    pub(super) async fn of(
        listed: Listed,
        before: Option<Arc<Listing>>,
        link: &Arc<Link>,
        home: &Registry,
    ) -> Arc<Self> {
        let (came, fresh_for) = (Instant::now(), listed.fresh_for);
        let fingerprint = fingerprint(&listed);
        if let Some(before) = before.filter(|before| before.fingerprint == fingerprint) {
            let (toolset, partly) = (before.toolset.clone(), Arc::clone(&before.partly));
            return Arc::new(Listing { fingerprint, toolset, partly, came, fresh_for });
        }
        let (link, home) = (Arc::clone(link), home.clone());
        // Schemas are checked, which takes a while where there are many.
        let made = tokio::task::spawn_blocking(move || {
            let (toolset, partly) = made(&listed, &link, &home);
            Listing { fingerprint, toolset, partly: partly.into(), came, fresh_for }
        });
        match made.await {
            Ok(listing) => Arc::new(listing),
            // A panic of ours, which is in the log: what it was about is left out, and that is everything.
            Err(error) => {
                tracing::error!(%error, "a list of tools could not be read");
                let toolset = Toolset::from(home_of_nothing());
                let partly = Arc::from(["its list of tools could not be read".to_owned()]);
                Arc::new(Listing { fingerprint, toolset, partly, came, fresh_for })
            }
        }
    }

    /// Whether the other one has the very same tools.
    pub(super) fn is(&self, other: &Self) -> bool {
        adapter::same_view(self.toolset.registry(), other.toolset.registry())
    }

    /// Whether it is time to ask again.
    pub(super) fn is_stale(&self, unless_said: Duration) -> bool {
        self.came.elapsed()
            >= self.fresh_for.map_or(unless_said, |fresh| fresh.max(LEAST_FRESH).min(unless_said))
    }

    /// What is not served, and what is served in part.
    pub(super) fn remarks(&self) -> Vec<String> {
        let left_out = self.toolset.skipped().iter().map(ToString::to_string);
        left_out.chain(self.partly.iter().cloned()).collect()
    }
}

/// What tells one list from another, without keeping it.
fn fingerprint(listed: &Listed) -> u64 {
    let mut hasher = DefaultHasher::new();
    listed.left_out.hash(&mut hasher);
    for tool in &listed.tools {
        hasher.write(tool.to_string().as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

fn made(listed: &Listed, link: &Arc<Link>, home: &Registry) -> (Toolset, Vec<String>) {
    let mut partly = Vec::new();
    let unreadable = listed.left_out.iter().map(|tool| Err(refused(link.name(), tool)));
    let tools: Vec<Result<Arc<dyn Tool>, DefinitionError>> = listed
        .tools
        .iter()
        .map(|tool| {
            let Described { definition, remark } = describe(link.name(), tool, link.upstream.timeout)?;
            partly.extend(remark);
            let name = tool["name"].as_str().unwrap_or_default().to_owned();
            Ok(Arc::new(UpstreamTool { definition, name, link: Arc::clone(link) }) as Arc<dyn Tool>)
        })
        .chain(unreadable)
        .collect();
    for remark in &partly {
        tracing::warn!(server = link.name(), remark, "served in part");
    }
    (home.toolset(tools), partly)
}

/// A registry without a tool.
pub(super) fn home_of_nothing() -> Registry {
    Registry::builder().allow_empty().build().expect("nothing has no fault: the tests build it")
}
