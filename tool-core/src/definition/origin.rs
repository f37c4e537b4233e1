//! Where a definition comes from, and what can only be known from there.

use std::sync::OnceLock;

use serde_json::Value;

use crate::call::reader::InputPlan;
use crate::call::{Panicked, contained};
use crate::completion::Completing;
use crate::declaration::Declaration;
use crate::entry::{Call, Step};
use crate::inject::Needs;
use crate::input::{InputSpec, Visitor};
use crate::requirement;
use crate::returns::Returned;
use crate::schema::{InputSchema, OutputSchema, Validator};
use crate::state::States;

/// Where a definition comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// A declaration: its function knows the types, and the types know their schemas.
    Declared(Box<Declared>),
    /// A value that somebody built, with schemas of its own.
    Written(Box<Written>),
}

impl Origin {
    pub(super) fn declared(&self) -> Option<&Declared> {
        match self {
            Origin::Declared(declared) => Some(declared),
            Origin::Written(_) => None,
        }
    }

    pub(super) fn input(&self) -> &InputSchema {
        match self {
            Origin::Declared(declared) => declared.input(),
            Origin::Written(written) => &written.input,
        }
    }

    pub(super) fn output(&self) -> Option<&OutputSchema> {
        match self {
            Origin::Declared(declared) => declared.output(),
            Origin::Written(written) => written.output.as_ref().map(|(schema, _)| schema),
        }
    }

    pub(super) fn validator(&self) -> Result<&Validator, &str> {
        match self {
            Origin::Declared(declared) => declared.validator(),
            Origin::Written(written) => Ok(&written.validator),
        }
    }

    pub(super) fn output_validator(&self) -> Option<&Validator> {
        match self {
            Origin::Declared(declared) => declared.output_validator(),
            Origin::Written(written) => written.output.as_ref().map(|(_, validator)| validator),
        }
    }
}

/// What somebody wrote by hand, all of it checked.
#[derive(Debug)]
pub(super) struct Written {
    input: InputSchema,
    validator: Validator,
    output: Option<(OutputSchema, Validator)>,
}

impl Written {
    pub(super) fn new(input: InputSchema, validator: Validator, output: Option<(Value, Validator)>) -> Self {
        let output = output.map(|(schema, validator)| (OutputSchema::written(schema), validator));
        Written { input, validator, output }
    }
}

/// A declaration, and what its function told about itself. Its schemas are made on first use, since most of them are
/// never asked for.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) declaration: &'static Declaration,
    pub(super) inputs: Vec<&'static InputSpec>,
    pub(super) needs: Needs,
    returned: Returned,
    plan: OnceLock<Vec<InputPlan>>,
    input: OnceLock<InputSchema>,
    output: OnceLock<Option<OutputSchema>>,
    validator: OnceLock<Result<Validator, String>>,
    output_validator: OnceLock<Option<Validator>>,
}

impl Declared {
    pub(super) fn new(declaration: &'static Declaration) -> Self {
        let mut inputs = Vec::new();
        let mut needs = Needs::default();
        let mut call = Call::Describe(Visitor { inputs: &mut inputs, needs: &mut needs });
        let returned = match (declaration.entry)(&mut call) {
            Step::Described(returned) => returned,
            // `run` and its siblings answer `Describe` in this one way.
            Step::Valid | Step::Invalid | Step::Done(_) | Step::Running(_) => Returned::Nothing,
        };
        Declared {
            declaration,
            inputs,
            needs,
            returned,
            plan: OnceLock::new(),
            input: OnceLock::new(),
            output: OnceLock::new(),
            validator: OnceLock::new(),
            output_validator: OnceLock::new(),
        }
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

    pub(super) fn plan(&self) -> &[InputPlan] {
        self.plan.get_or_init(|| {
            let plan = |spec: &&'static InputSpec| {
                // A default that is no JSON is a fault that `Registry::check` reports; here the input is then required.
                let default = spec.default.and_then(|make| make().ok()).map(|value| value.to_string());
                InputPlan::new(spec.name, (spec.presence)(), default)
            };
            // The code of an author runs here, for defaults and for types: `broken` tells when it panicked.
            contained(|| self.inputs.iter().map(plan).collect()).unwrap_or_default()
        })
    }

    fn input(&self) -> &InputSchema {
        self.input.get_or_init(|| {
            contained(|| InputSchema::compose(&self.inputs)).unwrap_or_else(|Panicked| InputSchema::broken())
        })
    }

    fn output(&self) -> Option<&OutputSchema> {
        let make = || contained(|| OutputSchema::compose(self.returned)).unwrap_or_default();
        self.output.get_or_init(make).as_ref()
    }

    fn validator(&self) -> Result<&Validator, &str> {
        let validator = self.validator.get_or_init(|| Validator::new(&self.input().schema));
        validator.as_ref().map_err(String::as_str)
    }

    /// `None` also for a schema that is none, which `Registry::check` reports.
    fn output_validator(&self) -> Option<&Validator> {
        let make = || self.output().and_then(|output| Validator::new(&output.schema).ok());
        self.output_validator.get_or_init(make).as_ref()
    }
}
