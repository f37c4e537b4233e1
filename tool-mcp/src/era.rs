//! What the version of the protocol that a client speaks knows.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use tool_core::Content;

/// The version that a request is of. Versions are dates, and so compare as texts.
#[derive(Clone, Debug)]
pub(crate) struct Era(Option<ProtocolVersion>);

impl Era {
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Self {
        Era(cx.protocol_version())
    }

    /// That of requests that stand alone.
    pub(crate) fn modern() -> Self {
        Era(Some(ProtocolVersion::V_2026_07_28))
    }

    /// That of requests of a session that speaks this version.
    pub(crate) fn spoken(version: ProtocolVersion) -> Self {
        Era(Some(version))
    }

    /// No version is agreed on yet.
    #[cfg(test)]
    pub(crate) fn unknown() -> Self {
        Era(None)
    }

    /// Whether every request stands alone.
    pub(crate) fn is_modern(&self) -> bool {
        self.knows(&ProtocolVersion::V_2026_07_28)
    }

    /// Whether results may have structured content, and tools a schema of it.
    pub(crate) fn knows_structure(&self) -> bool {
        self.0.is_none() || self.knows(&ProtocolVersion::V_2025_06_18)
    }

    /// Content that the client knows: links came with 2025-06-18, and sounds with 2025-03-26. Before, a text says what
    /// there is.
    pub(crate) fn adapted(&self, content: &Content) -> Option<Content> {
        match content {
            Content::ResourceLink { uri, name, .. } if !self.knows_structure() => {
                Some(Content::text(format!("{name}: {uri}")))
            }
            Content::Audio { data, mime_type }
                if self.0.is_some() && !self.knows(&ProtocolVersion::V_2025_03_26) =>
            {
                Some(Content::text(format!("a sound of {} bytes ({mime_type})", data.len())))
            }
            _ => None,
        }
    }

    fn knows(&self, version: &ProtocolVersion) -> bool {
        self.0.as_ref().is_some_and(|spoken| spoken.as_str() >= version.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_new_becomes_a_text() {
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
        assert_eq!(Era::unknown().adapted(&link), None, "before a version was agreed on");
    }
}
