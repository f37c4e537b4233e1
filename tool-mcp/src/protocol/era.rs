//! The version of the protocol that a request uses.

use rmcp::model::ProtocolVersion;
use serde::{Deserialize, Serialize};
use tool_core::Content;

/// The version that a request uses, if one is agreed on. Versions are dates, and compare as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Era(Option<ProtocolVersion>);

impl Era {
    pub(crate) fn of(version: ProtocolVersion) -> Self {
        Era(Some(version))
    }

    pub(crate) fn version(&self) -> Option<&ProtocolVersion> {
        self.0.as_ref()
    }

    /// Returns `true` for 2026-07-28 and later, where requests need no session.
    pub(crate) fn is_modern(&self) -> bool {
        self.is_at_least(&ProtocolVersion::V_2026_07_28)
    }

    /// Returns `true` if results may have structured content, and tools an output schema.
    pub(crate) fn has_structured_output(&self) -> bool {
        self.0.is_none() || self.is_at_least(&ProtocolVersion::V_2025_06_18)
    }

    /// Returns what replaces content that is too new for the client: links came with 2025-06-18, audio with 2025-03-26.
    pub(crate) fn adapted(&self, content: &Content) -> Option<Content> {
        match content {
            Content::ResourceLink { uri, name, .. } if !self.has_structured_output() => {
                Some(Content::text(format!("{name}: {uri}")))
            }
            Content::Audio { data, mime_type }
                if self.0.is_some() && !self.is_at_least(&ProtocolVersion::V_2025_03_26) =>
            {
                Some(Content::text(format!("a sound of {} bytes ({mime_type})", data.len())))
            }
            _ => None,
        }
    }

    fn is_at_least(&self, version: &ProtocolVersion) -> bool {
        self.0.as_ref().is_some_and(|own| own.as_str() >= version.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_unsupported_content_by_text() {
        let (link, sound) = (Content::link("docs://a", "A"), Content::audio([1, 2], "audio/wav"));
        let text = |text: &str| Some(Content::text(text));
        for (version, of_link, of_sound) in [
            (ProtocolVersion::V_2024_11_05, text("A: docs://a"), text("a sound of 2 bytes (audio/wav)")),
            (ProtocolVersion::V_2025_03_26, text("A: docs://a"), None),
            (ProtocolVersion::V_2025_06_18, None, None),
            (ProtocolVersion::V_2026_07_28, None, None),
        ] {
            let era = Era(Some(version));
            assert_eq!((era.adapted(&link), era.adapted(&sound)), (of_link, of_sound), "{era:?}");
            assert_eq!(era.adapted(&Content::text("a")), None);
        }
        assert_eq!(Era::default().adapted(&link), None, "no version was negotiated");
    }
}
