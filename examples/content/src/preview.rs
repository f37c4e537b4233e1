//! Links to unpublished revisions, which are valid for a limited time.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::NodeId;
use crate::settings::SigningKey;

/// A link that shows one revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewLink {
    /// The link itself, which is as good as a password for this revision.
    pub link: String,
    /// The revision that it shows.
    pub revision: u32,
    /// When it stops to do so.
    pub expires: Timestamp,
}

/// The revision that a link shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preview {
    /// The number of the node.
    pub id: NodeId,
    /// The number of the revision.
    pub vid: u32,
    /// The time when the link expires.
    expires: i64,
}

impl Preview {
    /// Creates a preview of a revision that expires after some minutes.
    ///
    /// ```
    /// use content::{NodeId, SigningKey, preview::Preview};
    ///
    /// let key = SigningKey::new("a secret of some length").unwrap();
    /// let (id, now) = (NodeId(3.try_into()?), "2026-03-10T12:00:00Z".parse()?);
    /// let link = Preview::of(id, 2, now, 60).link(&key);
    /// assert_eq!(Preview::open(&link.link, &key, now).map(|preview| preview.vid), Some(2));
    /// assert_eq!(Preview::open(&link.link, &key, "2026-03-10T13:00:01Z".parse()?), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(id: NodeId, vid: u32, now: Timestamp, minutes: u16) -> Self {
        let expires = now.as_second() + SignedDuration::from_mins(minutes.into()).as_secs();
        Self { id, vid, expires }
    }

    /// Returns the signed link.
    #[must_use]
    pub fn link(self, key: &SigningKey) -> PreviewLink {
        let message = self.message();
        let signature = key.sign(&message);
        PreviewLink {
            link: format!("/preview/{message}/{signature}"),
            revision: self.vid,
            expires: Timestamp::from_second(self.expires).unwrap_or(Timestamp::MAX),
        }
    }

    /// Verifies a link; `None` if it is invalid or expired.
    #[must_use]
    pub fn open(link: &str, key: &SigningKey, now: Timestamp) -> Option<Self> {
        let (message, signature) = link.strip_prefix("/preview/")?.rsplit_once('/')?;
        if !key.verifies(message, signature) {
            return None;
        }
        let mut parts = message.split('/');
        let preview = Self {
            id: NodeId(parts.next()?.parse().ok()?),
            vid: parts.next()?.parse().ok()?,
            expires: parts.next()?.parse().ok()?,
        };
        (now.as_second() <= preview.expires).then_some(preview)
    }

    fn message(self) -> String {
        format!("{}/{}/{}", self.id, self.vid, self.expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_expired_and_modified_links() {
        let key = SigningKey::new("correct horse battery").unwrap();
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let preview = Preview::of(NodeId(3.try_into().unwrap()), 2, now, 10);
        let link = preview.link(&key).link;
        assert_eq!(Preview::open(&link, &key, now), Some(preview));
        let later = Timestamp::from_second(1_800_000_601).unwrap();
        assert_eq!(Preview::open(&link, &key, later), None);
        for wrong in [
            link.replace("/3/2/", "/3/1/"),
            link.replace("/3/2/", "/4/2/"),
            link.replace("1800000600", "1900000600"),
            link.replace("/preview/", ""),
            String::new(),
        ] {
            assert_ne!(wrong, link);
            assert_eq!(Preview::open(&wrong, &key, now), None, "{wrong}");
        }
    }
}
