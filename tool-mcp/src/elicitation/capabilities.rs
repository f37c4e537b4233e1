//! Which questions a client says that it can answer.

use rmcp::model::ClientCapabilities;
use tool_core::elicitation::{Ask, AskKind, Question};
use tool_core::{Failure, FailureKind};

/// The kinds of questions that a client can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Capabilities {
    form: bool,
    url: bool,
    sample: bool,
    roots: bool,
}

impl Capabilities {
    pub(crate) fn declared(declared: &ClientCapabilities) -> Self {
        let elicitation = declared.elicitation.as_ref();
        Capabilities {
            // Who says no more than that it knows elicitation knows forms: there was nothing else at first.
            form: elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none()),
            url: elicitation.is_some_and(|it| it.url.is_some()),
            sample: declared.sampling.is_some(),
            roots: declared.roots.is_some(),
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

    /// Whether the client can be asked this.
    ///
    /// # Errors
    ///
    /// A failure that says why not.
    pub(super) fn admit(self, question: &Question) -> Result<(), Failure> {
        let kind = question.ask.kind();
        let capability = match kind {
            AskKind::Form => "elicitation",
            AskKind::Url => "elicitation.url",
            AskKind::Sample => "sampling",
            AskKind::Roots => "roots",
            _ => "a newer one",
        };
        if !self.contain(kind) {
            let message = format!(
                "this caller cannot be asked: the client does not declare the capability `{capability}`"
            );
            return Err(Failure::new(FailureKind::Unsupported, message));
        }
        match &question.ask {
            Ask::Form { form, .. } if !form.secrets().is_empty() => {
                let secrets = form.secrets().join("`, `");
                let message = format!(
                    "this caller cannot be asked for `{secrets}`: MCP forbids secrets in a form; ask with an address"
                );
                Err(Failure::new(FailureKind::Unsupported, message))
            }
            _ => Ok(()),
        }
    }
}
