//! How the arguments of a tool are read, computed once.

use std::borrow::Cow;

use serde_json::Value;

use crate::declare::input::{InputSpec, Presence};
use crate::schema::Limits;

/// What reading the arguments of a tool needs to know.
#[derive(Debug, Default)]
pub(crate) struct ArgumentLayout {
    /// The members that the arguments may have: the inputs, and the fields of those that are flattened.
    pub(crate) members: Vec<MemberLayout>,
    /// For each input that is flattened, how many members are its own; empty where no input is.
    flattened: Vec<Option<usize>>,
    /// Set if arguments must be validated against the schema before they are decoded.
    pub(crate) composite: bool,
    /// Set if making the schema or the layout panicked.
    pub(crate) broken: bool,
}

/// What reading one member needs to know.
#[derive(Debug)]
pub(crate) struct MemberLayout {
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
pub(crate) enum InputLayout {
    /// It is a member of its own.
    Member(Limits),
    /// Its fields are members, and are read together.
    Flattened(Vec<String>),
}

impl ArgumentLayout {
    /// Of a tool that reads its arguments itself.
    pub(crate) fn empty() -> &'static Self {
        static EMPTY: ArgumentLayout =
            ArgumentLayout { members: Vec::new(), flattened: Vec::new(), composite: true, broken: false };
        &EMPTY
    }

    /// In the place of a plan that could not be made.
    pub(crate) fn broken() -> Self {
        ArgumentLayout { broken: true, ..ArgumentLayout::default() }
    }

    /// Plans how to read these inputs, laid out like this.
    pub(crate) fn new(specs: &[&'static InputSpec], layouts: &[InputLayout]) -> Self {
        let mut layout = ArgumentLayout::default();
        for (spec, layouts) in specs.iter().zip(layouts) {
            match layouts {
                InputLayout::Member(limits) => {
                    // A default that is no JSON is a fault that `Registry::check` reports; here the input is then required.
                    let default = spec.default.and_then(|make| make().ok()).map(|value| value.to_string());
                    let member = MemberLayout::new(spec.name.into(), (spec.presence)(), default);
                    layout.members.push(MemberLayout { limits: *limits, ..member });
                    layout.flattened.push(None);
                }
                InputLayout::Flattened(fields) => {
                    // What a field is when it is left out is for its struct to say.
                    let field =
                        |name: &String| MemberLayout::new(name.clone().into(), Presence::Required, None);
                    layout.members.extend(fields.iter().map(field));
                    layout.flattened.push(Some(fields.len()));
                }
            }
        }
        if layout.flattened.iter().all(Option::is_none) {
            layout.flattened.clear();
        }
        layout
    }

    /// How many members the input at this position has, where it is flattened.
    pub(crate) fn flattened(&self, input: usize) -> Option<usize> {
        self.flattened.get(input).copied().flatten()
    }
}

impl MemberLayout {
    pub(crate) fn new(name: Cow<'static, str>, presence: Presence, default: Option<String>) -> Self {
        let quoted = Value::from(&*name).to_string();
        MemberLayout { name, quoted, presence, default, limits: Limits::None }
    }
}
