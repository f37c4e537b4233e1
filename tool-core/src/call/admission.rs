//! Access to tools, checked before arguments are read.

use crate::declare::states::States;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::failure::{Failure, FailureKind};

/// The settings of a registry for admission.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Admission {
    /// Tools that modify are neither listed nor called.
    pub(crate) read_only: bool,
    /// A tool does not exist for callers that lack its permissions.
    pub(crate) hide_denied: bool,
    /// Requirements that are not met are shown, but do not prevent calls.
    pub(crate) requirements_as_indicator: bool,
}

impl Admission {
    /// Returns `true` if the tool exists for this caller.
    pub(crate) fn is_visible(self, tool: &ToolDefinition, principal: &Principal) -> bool {
        !self.hide_denied || tool.permission().is_none_or(|permission| permission.is_met_by(principal))
    }

    /// Returns `true` if lists contain every tool for every caller.
    pub(crate) fn lists_all(self) -> bool {
        !self.hide_denied && !self.read_only
    }

    /// Returns `true` if lists contain the tool for this caller.
    pub(crate) fn lists(self, tool: &ToolDefinition, principal: &Principal) -> bool {
        self.is_visible(tool, principal) && !self.forbids(tool)
    }

    /// Checks whether this caller may call the tool now. Of several failures it returns the one that no caller can change
    /// first, then the one of this caller, then the one that the operator can change.
    pub(crate) fn admit(
        self,
        tool: &ToolDefinition,
        states: &States,
        principal: &Principal,
    ) -> Result<(), Failure> {
        if self.forbids(tool) {
            let message =
                format!("`{}` was not run: it modifies data, and the registry is read-only", tool.name());
            return Err(Failure::new(FailureKind::Disabled, message));
        }
        if let Some(lack) = tool.permission().and_then(|permission| permission.lack(principal)) {
            return Err(Failure::new(FailureKind::Denied, format!("`{}` needs {lack}", tool.name())));
        }
        if self.requirements_as_indicator || tool.requires().is_empty() {
            return Ok(());
        }
        tool.unmet(states).map_or(Ok(()), |reasons| {
            let message = format!("`{}` cannot run at the moment: {reasons}", tool.name());
            Err(Failure::new(FailureKind::Unmet, message))
        })
    }

    /// Returns `true` if nobody may call the tool.
    pub(crate) fn forbids(self, tool: &ToolDefinition) -> bool {
        self.read_only && tool.modifies()
    }
}
