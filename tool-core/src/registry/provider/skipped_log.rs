//! The log of skipped tools: each one once, and not on every request.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::model::lock::lock;
use crate::registry::provider::toolset::Skipped;

/// How long a tool must not be skipped until it is logged again.
const LOGGED_FOR: Duration = Duration::from_secs(300);

/// The most lists of skipped tools that are remembered.
const MAX_LISTS: usize = 256;

/// The most tools in these lists, unless one list has more.
const MAX_TOOLS: usize = 10_000;

/// The most tools of a list that are logged. The others are counted.
const MAX_LOGGED: usize = 100;

/// The skipped tools that are in the log.
#[derive(Default)]
pub(super) struct SkippedLog(Mutex<Vec<SkippedList>>);

/// Tools that were skipped together.
struct SkippedList {
    skipped: Vec<Skipped>,
    last_seen: Instant,
}

/// What a list adds to the log.
#[derive(Debug, Default, PartialEq)]
struct NewTools {
    /// One for each tool, at most [`MAX_LOGGED`].
    messages: Vec<String>,
    /// The number of the other tools.
    more: usize,
}

impl SkippedLog {
    /// Logs the skipped tools that were not skipped just before, for this caller or another one.
    pub(super) fn write(&self, skipped: &[Skipped]) {
        if skipped.is_empty() {
            return;
        }
        let NewTools { messages, more } = self.remember(skipped);
        for skipped in messages {
            tracing::warn!(%skipped, "skipped");
        }
        if more > 0 {
            tracing::warn!(count = more, "skipped more tools");
        }
    }

    /// Remembers a list, and returns what it adds.
    fn remember(&self, skipped: &[Skipped]) -> NewTools {
        let now = Instant::now();
        // Nothing panics while it is held.
        let mut lists = lock(&self.0);
        lists.retain(|list| now.duration_since(list.last_seen) < LOGGED_FOR);
        if let Some(list) = lists.iter_mut().find(|list| list.skipped == skipped) {
            list.last_seen = now;
            return NewTools::default();
        }
        let logged: HashSet<String> =
            lists.iter().flat_map(|list| &list.skipped).map(ToString::to_string).collect();
        let mut new = skipped.iter().map(ToString::to_string).filter(|message| !logged.contains(message));
        let messages = new.by_ref().take(MAX_LOGGED).collect();
        let more = new.count();
        lists.push(SkippedList { skipped: skipped.to_vec(), last_seen: now });
        let mut tools: usize = lists.iter().map(|list| list.skipped.len()).sum();
        while lists.len() > MAX_LISTS || lists.len() > 1 && tools > MAX_TOOLS {
            tools -= lists.remove(0).skipped.len();
        }
        NewTools { messages, more }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::definition::DefinitionError;

    fn tools(names: Range<usize>) -> Vec<Skipped> {
        names.map(|name| DefinitionError::refused(name.to_string(), "it is refused").into()).collect()
    }

    #[test]
    fn names_a_tool_once() {
        let log = SkippedLog::default();
        assert_eq!(log.remember(&tools(0..2)).messages.len(), 2);
        assert_eq!(log.remember(&tools(0..2)), NewTools::default());
        let messages = vec!["tool `2`: it is refused".to_owned()];
        assert_eq!(log.remember(&tools(0..3)), NewTools { messages, more: 0 });
        // The list of another caller.
        assert_eq!(log.remember(&tools(1..2)), NewTools::default());
    }

    /// A server may list other tools each time, and holds up nobody else by that.
    #[test]
    fn bounds_what_is_logged_and_remembered() {
        let log = SkippedLog::default();
        for list in 0..50 {
            let added = log.remember(&tools(list * 9_000..(list + 1) * 9_000));
            assert_eq!((added.messages.len(), added.more), (MAX_LOGGED, 9_000 - MAX_LOGGED));
            assert_eq!(lock(&log.0).len(), 1, "two have more than {MAX_TOOLS} tools");
        }
        for list in 0..=MAX_LISTS {
            log.remember(&tools(list..list + 1));
        }
        assert_eq!(lock(&log.0).len(), MAX_LISTS);
    }
}
