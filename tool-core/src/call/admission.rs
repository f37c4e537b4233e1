//! How far a caller gets before the arguments are looked at: what it may see, and what it may call.

use crate::declare::state::States;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::failure::{Failure, FailureKind};

/// The switches of a registry that decide it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Admission {
    /// What modifies is neither listed nor run.
    pub(crate) read_only: bool,
    /// A tool whose permissions the caller lacks does not exist for it.
    pub(crate) hide_denied: bool,
    /// An unmet requirement is told, and keeps nobody from calling.
    pub(crate) requirements_as_indicator: bool,
}

impl Admission {
    /// Whether the tool exists for this caller.
    pub(crate) fn is_visible(self, tool: &ToolDefinition, principal: &Principal) -> bool {
        !self.hide_denied || tool.permission().is_none_or(|permission| permission.is_met_by(principal))
    }

    /// Whether lists have every tool, whoever asks.
    pub(crate) fn lists_all(self) -> bool {
        !self.hide_denied && !self.read_only
    }

    /// Whether lists have it.
    pub(crate) fn lists(self, tool: &ToolDefinition, principal: &Principal) -> bool {
        self.is_visible(tool, principal) && !self.forbids(tool)
    }

    /// Lets a call of a tool that exists for the caller in, or says what stands in its way: first what no caller can
    /// change, then what another caller could, then what the operator can.
    pub(crate) fn admit(
        self,
        tool: &ToolDefinition,
        states: &States,
        principal: &Principal,
    ) -> Result<(), Failure> {
        if self.forbids(tool) {
            let message =
                format!("`{}` was not run: it modifies, and this registry is read only", tool.name());
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

    fn forbids(self, tool: &ToolDefinition) -> bool {
        self.read_only && tool.modifies()
    }
}
