//! The arguments of one call, handed to the typed inputs one after the other.

use serde_json::Value;

use crate::access::Principal;
use crate::call::numbers;
use crate::call::scan::Slots;
use crate::context::LazyContext;
use crate::failure::{Failure, Problem};
use crate::inject::Injection;
use crate::input::Presence;
use crate::state::States;

/// What reading needs to know about one input, computed once a tool.
#[derive(Debug)]
pub(crate) struct InputPlan {
    pub(crate) name: &'static str,
    /// The name as JSON text.
    pub(crate) quoted: String,
    pub(crate) presence: Presence,
    /// The default as JSON text.
    pub(crate) default: Option<String>,
}

impl InputPlan {
    pub(crate) fn new(name: &'static str, presence: Presence, default: Option<String>) -> Self {
        InputPlan { name, quoted: Value::from(name).to_string(), presence, default }
    }
}

/// What was given for one input.
pub(crate) enum Slot<'r> {
    Given(&'r str),
    Null,
    Absent,
}

/// What was wrong with the arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Inputs that could not be read, in their order.
    pub(crate) problems: Vec<Problem>,
    /// The first parameter that could not be taken from the call.
    pub(crate) refusal: Option<Failure>,
}

/// Hands out the arguments of one call in the order of the inputs, and collects what is wrong with them.
///
/// Nothing here is generic: the typed shell around it is [`crate::input`].
#[derive(Debug)]
pub struct Reader<'r> {
    plan: &'r [InputPlan],
    slots: &'r Slots<'r>,
    states: &'r States,
    context: &'r LazyContext<'r>,
    position: usize,
    rewritten: bool,
    only_inputs: bool,
    problems: Vec<Problem>,
    refusal: Option<Failure>,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(
        plan: &'r [InputPlan],
        slots: &'r Slots<'r>,
        states: &'r States,
        context: &'r LazyContext<'r>,
    ) -> Self {
        Reader {
            plan,
            slots,
            states,
            context,
            position: 0,
            rewritten: false,
            only_inputs: false,
            problems: Vec::new(),
            refusal: None,
        }
    }

    /// What was given for the next input, with its default in place.
    pub(crate) fn next(&mut self) -> Slot<'r> {
        let position = self.position;
        self.position += 1;
        self.rewritten = false;
        let plan = &self.plan[position];
        match self.slots.get(position) {
            Some("null") if plan.presence == Presence::Nullable => Slot::Null,
            Some("null") if plan.presence == Presence::Optional || plan.default.is_some() => {
                self.left_out(plan)
            }
            Some(text) => Slot::Given(text),
            None => self.left_out(plan),
        }
    }

    fn left_out(&self, plan: &'r InputPlan) -> Slot<'r> {
        plan.default.as_deref().map_or(Slot::Absent, Slot::Given)
    }

    /// Notes that the input just handed out is required and was not given.
    pub(crate) fn missing<T>(&mut self) -> Option<T> {
        let path = self.path();
        self.problems.push(Problem::new(path, "required", "missing required input"));
        None
    }

    /// The text to try instead after a failed decode; once a value, and `None` when there is no other spelling of it.
    ///
    /// JSON Schema counts `1.0` and `1e3` as integers, and serde does not: such a number is spelled out.
    pub(crate) fn rewritten(&mut self, text: &str, error: &serde_json::Error) -> Option<String> {
        let again = if self.rewritten { None } else { numbers::spell_out_integers(text) };
        self.rewritten = true;
        if again.is_none() {
            let path = self.path();
            self.problems.push(Problem::new(path, "format", without_position(error)));
        }
        again
    }

    /// Notes that a parameter could not be taken from the call.
    pub(crate) fn refuse<T>(&mut self, failure: Failure) -> Option<T> {
        self.refusal.get_or_insert(failure);
        None
    }

    /// Where parameters that are no inputs come from; nowhere when only the inputs are read.
    pub(crate) fn injection<Op>(&self) -> Option<Injection<'r, Op>> {
        (!self.only_inputs).then(|| Injection::new(self.states, self.context))
    }

    /// Who calls.
    pub(crate) fn principal(&self) -> &'r Principal {
        self.context.principal()
    }

    /// Leaves out the parameters that are no inputs.
    pub(crate) fn only_inputs(&mut self) -> &mut Self {
        self.only_inputs = true;
        self
    }

    /// Whether nothing was wrong so far.
    pub(crate) fn found_nothing(&self) -> bool {
        self.problems.is_empty() && self.refusal.is_none()
    }

    /// What was wrong, after all inputs were read.
    pub(crate) fn into_findings(self) -> Findings {
        Findings { problems: self.problems, refusal: self.refusal }
    }

    /// The JSON Pointer of the input just handed out.
    fn path(&self) -> String {
        crate::schema::pointer(self.plan[self.position - 1].name)
    }
}

/// `serde_json` ends its messages with a position in the text, which here is the text of one value, and so misleads.
pub(crate) fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    // Some types repeat what they were given, however long it is.
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
