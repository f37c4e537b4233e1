//! A registered prompt, and the selection of prompts to register.

use std::ptr;
use std::sync::Arc;

use crate::call::implementation::Implementation;
use crate::call::target::{Scope, Target};
use crate::declare::prompt::PromptDeclaration;
use crate::declare::states::States;
use crate::definition::prompt::PromptDefinition;
use crate::model::access::Principal;
use crate::model::audit_kind::AuditKind;
use crate::model::extensions::Extensions;
use crate::registry::error::BuildError;

/// The prompts that a builder has, and the filters for them.
#[derive(Default)]
pub(super) struct PromptSelection {
    pub(super) declarations: Vec<&'static PromptDeclaration>,
    pub(super) select: Vec<Box<PromptPredicate>>,
}

/// A predicate that selects prompts.
type PromptPredicate = dyn Fn(&PromptDefinition) -> bool + Send;

impl PromptSelection {
    #[cfg(feature = "inventory")]
    pub(super) fn link(&mut self) {
        self.declarations.extend(crate::declare::registration::linked_prompts());
    }

    /// Returns `true` if there is a prompt of this crate, selected or not.
    pub(super) fn names_crate(&self, name: &str) -> bool {
        self.declarations.iter().any(|declaration| declaration.0.crate_name() == name)
    }

    /// Returns the prompts by name. Reports prompts with the same name and missing state.
    pub(super) fn definitions(self, states: &States, faults: &mut Vec<BuildError>) -> Vec<PromptDefinition> {
        let PromptSelection { mut declarations, select } = self;
        // A prompt that is linked and listed is declared once.
        declarations.sort_unstable_by_key(|declaration| ptr::from_ref(*declaration));
        declarations.dedup_by_key(|declaration| ptr::from_ref(*declaration));
        let mut prompts = PromptDefinition::all_declared(&declarations);
        prompts.retain(|prompt| select.iter().all(|predicate| predicate(prompt)));
        prompts.sort_by(|a, b| (a.name(), a.source()).cmp(&(b.name(), b.source())));
        for pair in prompts.windows(2).filter(|pair| pair[0].name() == pair[1].name()) {
            faults.push(BuildError::DuplicatePrompt {
                name: pair[0].name().to_owned(),
                first: pair[0].tool().place(),
                second: pair[1].tool().place(),
            });
        }
        for prompt in &prompts {
            if prompt.tool().checks_at_build() {
                faults.extend(prompt_schema_errors(prompt, prompt.tool().faults_of_inputs()));
            }
            faults.extend(prompt.tool().lacks(states).into_iter().map(|state| {
                BuildError::MissingPromptState {
                    prompt: prompt.name().to_owned(),
                    location: prompt.tool().place(),
                    state: state.to_owned(),
                }
            }));
        }
        prompts
    }
}

/// Converts errors in the schema of a prompt.
pub(super) fn prompt_schema_errors(
    prompt: &PromptDefinition,
    faults: Vec<String>,
) -> impl Iterator<Item = BuildError> {
    faults.into_iter().map(|fault| BuildError::PromptSchema {
        prompt: prompt.name().to_owned(),
        location: prompt.tool().place(),
        fault,
    })
}

/// A prompt of a registry.
#[derive(Clone)]
pub(super) struct RegisteredPrompt {
    pub(super) definition: PromptDefinition,
    scope: Arc<Scope>,
    /// The extensions of its calls; those of the call take precedence.
    extensions: Option<Arc<Extensions>>,
}

impl RegisteredPrompt {
    pub(super) fn new(definition: PromptDefinition, scope: &Arc<Scope>) -> Self {
        RegisteredPrompt { definition, scope: Arc::clone(scope), extensions: None }
    }

    /// Returns the same prompt for joined registries, with the extensions of its original registry.
    pub(super) fn beside(&self, extensions: Option<&Arc<Extensions>>) -> Self {
        RegisteredPrompt {
            extensions: Extensions::layered(extensions, self.extensions.as_ref()),
            ..self.clone()
        }
    }

    /// Returns `true` if the prompt exists for this caller.
    pub(super) fn is_visible_to(&self, principal: &Principal) -> bool {
        self.scope.admission.is_visible(self.definition.tool(), principal)
    }

    /// Returns `true` if the caller has the permissions for the prompt.
    pub(super) fn is_callable_by(&self, principal: &Principal) -> bool {
        let Scope { admission, states, .. } = &*self.scope;
        admission.admit(self.definition.tool(), states, principal).is_ok()
    }

    /// Returns what a request for the prompt calls.
    pub(super) fn target(&self) -> Target<'_> {
        Target {
            kind: AuditKind::Prompt,
            definition: self.definition.tool(),
            implementation: Implementation::new(self.definition.tool(), None),
            scope: &self.scope,
            extensions: self.extensions.as_ref(),
        }
    }
}
