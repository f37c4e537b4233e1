//! The layout of the arguments of a tool, computed once.

use std::borrow::Cow;

use serde_json::Value;

use crate::declare::input_spec::InputSpec;
use crate::declare::presence::Presence;
use crate::schema::Limits;

/// The layout of the arguments of a tool.
#[derive(Debug, Default)]
pub(crate) struct ArgumentLayout {
    /// The members that the arguments may have: inputs, and fields of flattened inputs.
    pub(crate) members: Vec<MemberLayout>,
    /// The number of members of each flattened input; empty if no input is flattened.
    flattened: Vec<Option<usize>>,
    /// Set if arguments must be validated against the schema before they are decoded.
    pub(crate) composite: bool,
    /// Set if making the schema or the layout panicked.
    pub(crate) broken: bool,
}

/// The layout of one member.
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

/// How an input appears in the arguments.
#[derive(Debug)]
pub(crate) enum InputLayout {
    /// As one member.
    Member(Limits),
    /// As one member per field.
    Flattened(Vec<String>),
}

impl ArgumentLayout {
    /// Returns the layout of a tool that reads its arguments itself.
    pub(crate) fn empty() -> &'static Self {
        static EMPTY: ArgumentLayout =
            ArgumentLayout { members: Vec::new(), flattened: Vec::new(), composite: true, broken: false };
        &EMPTY
    }

    /// Returns the layout of a tool whose layout panicked.
    pub(crate) fn broken() -> Self {
        ArgumentLayout { broken: true, ..ArgumentLayout::default() }
    }

    /// Computes the layout of these inputs.
    pub(crate) fn new(specs: &[&'static InputSpec], layouts: &[InputLayout]) -> Self {
        let mut layout = ArgumentLayout::default();
        for (spec, layouts) in specs.iter().zip(layouts) {
            match layouts {
                InputLayout::Member(limits) => {
                    // `Registry::check` reports a default that is not JSON; here the input is required.
                    let default = spec.default.and_then(|make| make().ok()).map(|value| value.to_string());
                    let member = MemberLayout::new(spec.name.into(), (spec.presence)(), default);
                    layout.members.push(MemberLayout { limits: *limits, ..member });
                    layout.flattened.push(None);
                }
                InputLayout::Flattened(fields) => {
                    // The struct decides whether its fields may be missing.
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

    /// Returns the number of members of the input at this position, if it is flattened.
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
