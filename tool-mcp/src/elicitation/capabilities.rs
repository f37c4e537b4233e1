//! The kinds of questions that a client supports.

use rmcp::model::ClientCapabilities;
use serde::{Deserialize, Serialize};
use tool_core::elicitation::{Ask, AskKind, Question};
use tool_core::{Failure, FailureKind};

/// The kinds of questions and answers that a client supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Capabilities {
    form: bool,
    url: bool,
    sample: bool,
    roots: bool,
    /// Whether the client can be answered with a task.
    #[cfg(feature = "tasks")]
    pub(crate) tasks: bool,
}

impl Capabilities {
    pub(crate) fn declared(declared: &ClientCapabilities) -> Self {
        let elicitation = declared.elicitation.as_ref();
        Capabilities {
            // An empty `elicitation` means forms, which came first.
            form: elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none()),
            url: elicitation.is_some_and(|it| it.url.is_some()),
            sample: declared.sampling.is_some(),
            roots: declared.roots.is_some(),
            #[cfg(feature = "tasks")]
            tasks: declared.supports_tasks(),
        }
    }

    pub(super) fn contain(self, kind: AskKind) -> bool {
        match kind {
            AskKind::Form => self.form,
            AskKind::Url => self.url,
            AskKind::Sample => self.sample,
            AskKind::Roots => self.roots,
            _ => false,
        }
    }

    /// Checks that the client can be asked a question.
    ///
    /// # Errors
    ///
    /// When the client lacks the capability, or a form asks for secrets.
    pub(super) fn check(self, question: &Question) -> Result<(), Failure> {
        let unsupported = |message| Err(Failure::new(FailureKind::Unsupported, message));
        let kind = question.ask.kind();
        if !self.contain(kind) {
            let capability = match kind {
                AskKind::Form => "elicitation",
                AskKind::Url => "elicitation.url",
                AskKind::Sample => "sampling",
                AskKind::Roots => "roots",
                _ => "a newer one",
            };
            return unsupported(format!(
                "this caller cannot be asked: the client does not declare the capability `{capability}`"
            ));
        }
        match &question.ask {
            Ask::Form { form, .. } if !form.secrets().is_empty() => unsupported(format!(
                "this caller cannot be asked for `{}`: MCP forbids secrets in a form; ask with an address",
                form.secrets().join("`, `")
            )),
            _ => Ok(()),
        }
    }
}
