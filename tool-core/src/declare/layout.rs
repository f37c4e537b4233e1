//! How the arguments of a tool are read, computed once.

use std::borrow::Cow;

use serde_json::Value;

use crate::declare::input::{InputSpec, Presence};
use crate::schema::Limits;

/// What reading the arguments of a tool needs to know.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The members that the arguments may have: the inputs, and the fields of those that are flattened.
    pub(crate) members: Vec<InputPlan>,
    /// For each input that is flattened, how many members are its own; empty where no input is.
    flattened: Vec<Option<usize>>,
    /// Whether making it panicked.
    pub(crate) broken: bool,
}

/// What reading one member needs to know.
#[derive(Debug)]
pub(crate) struct InputPlan {
    pub(crate) name: Cow<'static, str>,
    /// The name as JSON text.
    pub(crate) quoted: String,
    pub(crate) presence: Presence,
    /// The default as JSON text.
    pub(crate) default: Option<String>,
    pub(crate) limits: Limits,
}

/// How an input stands in the arguments.
#[derive(Debug)]
pub(crate) enum Layout {
    /// It is a member of its own.
    Member(Limits),
    /// Its fields are members, and are read together.
    Flattened(Vec<String>),
}

impl Plan {
    /// Of a tool that reads its arguments itself.
    pub(crate) fn of_nothing() -> &'static Self {
        static NOTHING: Plan = Plan { members: Vec::new(), flattened: Vec::new(), broken: false };
        &NOTHING
    }

    /// In the place of a plan that could not be made.
    pub(crate) fn broken() -> Self {
        Plan { broken: true, ..Plan::default() }
    }

    /// Plans how to read these inputs, laid out like this.
    pub(crate) fn new(specs: &[&'static InputSpec], layout: &[Layout]) -> Self {
        let mut plan = Plan::default();
        for (spec, layout) in specs.iter().zip(layout) {
            match layout {
                Layout::Member(limits) => {
                    // A default that is no JSON is a fault that `Registry::check` reports; here the input is then required.
                    let default = spec.default.and_then(|make| make().ok()).map(|value| value.to_string());
                    let member = InputPlan::new(spec.name.into(), (spec.presence)(), default);
                    plan.members.push(InputPlan { limits: *limits, ..member });
                    plan.flattened.push(None);
                }
                Layout::Flattened(fields) => {
                    // What a field is when it is left out is for its struct to say.
                    let field = |name: &String| InputPlan::new(name.clone().into(), Presence::Required, None);
                    plan.members.extend(fields.iter().map(field));
                    plan.flattened.push(Some(fields.len()));
                }
            }
        }
        if plan.flattened.iter().all(Option::is_none) {
            plan.flattened.clear();
        }
        plan
    }

    /// How many members the input at this position has, where it is flattened.
    pub(crate) fn flattened(&self, input: usize) -> Option<usize> {
        self.flattened.get(input).copied().flatten()
    }
}

impl InputPlan {
    pub(crate) fn new(name: Cow<'static, str>, presence: Presence, default: Option<String>) -> Self {
        let quoted = Value::from(&*name).to_string();
        InputPlan { name, quoted, presence, default, limits: Limits::None }
    }
}
