//! Where a definition comes from, and what can only be known from there.

use std::sync::OnceLock;

use crate::call::plan::Plan;
use crate::call::{Panicked, contained};
use crate::completion::Completing;
use crate::declaration::Declaration;
use crate::definition::documentation::Example;
use crate::entry::{Call, Step};
use crate::inject::Needs;
use crate::input::{InputSpec, Visitor};
use crate::requirement;
use crate::returns::Returned;
use crate::schema::{InputSchema, OutputSchema};
use crate::state::States;

/// Where a definition comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// A declaration: its function knows the types, and the types know their schemas.
    Declared(Declared),
}

impl Origin {
    pub(super) fn declared(&self) -> Option<&Declared> {
        match self {
            Origin::Declared(declared) => Some(declared),
        }
    }
}

/// A declaration, and what its function told about itself.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) declaration: &'static Declaration,
    pub(super) inputs: Vec<&'static InputSpec>,
    pub(super) needs: Needs,
    /// The calls in its doc comment.
    pub(super) examples: Vec<Example>,
    returned: Returned,
    plan: OnceLock<Plan>,
}

impl Declared {
    pub(super) fn new(declaration: &'static Declaration, examples: Vec<Example>) -> Self {
        let mut inputs = Vec::new();
        let mut needs = Needs::default();
        let mut call = Call::Describe(Visitor { inputs: &mut inputs, needs: &mut needs });
        let returned = match (declaration.entry)(&mut call) {
            Step::Described(returned) => returned,
            // `run` and its siblings answer `Describe` in this one way.
            _ => Returned::Nothing,
        };
        Declared { declaration, inputs, needs, examples, returned, plan: OnceLock::new() }
    }

    /// The names of the types of state that the function, its requirements and its completions take and that `states`
    /// lacks.
    pub(super) fn lacks(&self, states: &States) -> Vec<&'static str> {
        let mut needs = self.needs.clone();
        requirement::describe(self.declaration.requires, &mut needs);
        for complete in self.inputs.iter().filter_map(|input| input.complete) {
            complete(&mut Completing::Describe(&mut needs));
        }
        needs.unmet(states)
    }

    /// How the arguments are read, by how the inputs stand in the schema.
    pub(super) fn plan(&self, input: &InputSchema) -> &Plan {
        // The code of an author runs here, for defaults and for types: `broken` tells when it panicked.
        self.plan.get_or_init(|| {
            contained(|| Plan::new(&self.inputs, &input.layout)).unwrap_or_else(|Panicked| Plan::broken())
        })
    }

    pub(super) fn input(&self) -> InputSchema {
        let calls = self.examples.iter().filter_map(|example| example.call().ok()).collect();
        let made = contained(|| match self.declaration.schema {
            Some(make) => InputSchema::written(make, &self.inputs, calls),
            None => InputSchema::compose(&self.inputs, calls),
        });
        made.unwrap_or_else(|Panicked| {
            InputSchema::broken("making its schema panicked; the log says where".to_owned())
        })
    }

    pub(super) fn output(&self) -> Option<OutputSchema> {
        contained(|| OutputSchema::compose(self.returned)).unwrap_or_default()
    }
}
