//! The origin of a definition: a declaration or custom schemas.

use std::sync::OnceLock;

use crate::declare::completion::Completing;
use crate::declare::declaration::Declaration;
use crate::declare::entry::{Call, EntryOutcome};
use crate::declare::inject::Needs;
use crate::declare::input::Visitor;
use crate::declare::input_spec::InputSpec;
use crate::declare::layout::ArgumentLayout;
use crate::declare::requirement;
use crate::declare::returns::{Returned, Untyped};
use crate::declare::states::States;
use crate::definition::compose::{InputSchema, OutputSchema};
use crate::definition::documentation::{Documentation, Example};
use crate::definition::facts::Facts;
use crate::definition::schema_text::CustomSchemas;
use crate::model::catch_panic::{Panicked, catch_panic};

/// Splits a declaration into metadata and origin.
pub(super) fn declared(declaration: &'static Declaration) -> (Facts, Origin) {
    let metadata = declaration.metadata();
    let Documentation { description, examples } = Documentation::of(metadata.description);
    let origin = Origin::Declared(Box::new(DeclaredOrigin::new(declaration, examples)));
    (Facts::declared(declaration, metadata.source(), description), origin)
}

/// Returns the names of the state types that the function, its requirements and its completions need and that `states`
/// does not have.
pub(super) fn lacks(declaration: &'static Declaration, states: &States) -> Vec<&'static str> {
    // Most tools inject nothing, so they are not entered.
    let requires = declaration.options_or_default().requires;
    if !declaration.takes_state && requires.is_empty() {
        return Vec::new();
    }
    let mut inputs = Vec::new();
    let (mut needs, _) = described(declaration, &mut inputs);
    requirement::describe(requires, &mut needs);
    for complete in inputs.iter().filter_map(|input| input.complete) {
        complete(&mut Completing::Describe(&mut needs));
    }
    needs.unmet(states)
}

/// Enters a declaration to describe its inputs and output.
fn described(declaration: &'static Declaration, inputs: &mut Vec<&'static InputSpec>) -> (Needs, Returned) {
    let mut needs = Needs::default();
    let mut call = Call::Describe(Visitor { inputs, needs: &mut needs });
    let returned = match (declaration.entry)(&mut call) {
        EntryOutcome::Described(returned) => returned,
        // `run` and its variants always return this for `Describe`.
        _ => Returned::Nothing,
    };
    (needs, returned)
}

/// The origin of a definition.
#[derive(Debug)]
pub(super) enum Origin {
    /// A declaration: schemas are generated from its types.
    Declared(Box<DeclaredOrigin>),
    /// Custom schemas of a dynamic tool.
    Custom(CustomSchemas),
}

impl Origin {
    pub(super) fn declared(&self) -> Option<&DeclaredOrigin> {
        match self {
            Origin::Declared(declared) => Some(declared),
            Origin::Custom(_) => None,
        }
    }

    pub(super) fn input(&self) -> &InputSchema {
        match self {
            Origin::Declared(declared) => declared.input(),
            Origin::Custom(schemas) => schemas.input(),
        }
    }

    pub(super) fn output(&self) -> Option<&OutputSchema> {
        match self {
            Origin::Declared(declared) => declared.output(),
            Origin::Custom(schemas) => schemas.output(),
        }
    }

    /// Returns the names of the locators.
    pub(super) fn locators(&self) -> Vec<&str> {
        match self {
            Origin::Declared(declared) => {
                declared.inputs.iter().filter(|spec| spec.locator).map(|spec| spec.name).collect()
            }
            Origin::Custom(schemas) => schemas.locators().iter().map(String::as_str).collect(),
        }
    }

    /// Returns `true` if every input is a locator.
    pub(super) fn takes_only_locators(&self) -> bool {
        match self {
            Origin::Declared(declared) => declared.inputs.iter().all(|spec| spec.locator),
            Origin::Custom(schemas) => schemas.takes_only_locators(),
        }
    }

    /// Returns the layout of the arguments; empty for a dynamic tool.
    pub(super) fn argument_layout(&self) -> &ArgumentLayout {
        match self {
            Origin::Declared(declared) => declared.argument_layout(),
            Origin::Custom(_) => ArgumentLayout::empty(),
        }
    }
}

/// A declaration and its description. Schemas are created on first use, because most are never needed.
#[derive(Debug)]
pub(super) struct DeclaredOrigin {
    pub(super) declaration: &'static Declaration,
    pub(super) inputs: Vec<&'static InputSpec>,
    pub(super) needs: Needs,
    /// The example calls in its doc comment.
    pub(super) examples: Vec<Example>,
    returned: Returned,
    argument_layout: OnceLock<ArgumentLayout>,
    input: OnceLock<InputSchema>,
    output: OnceLock<Option<OutputSchema>>,
}

impl DeclaredOrigin {
    pub(super) fn new(declaration: &'static Declaration, examples: Vec<Example>) -> Self {
        let mut inputs = Vec::new();
        let (needs, returned) = described(declaration, &mut inputs);
        let completes = inputs.iter().any(|input: &&InputSpec| input.complete.is_some());
        debug_assert!(declaration.takes_state || needs.is_empty() && !completes, "{}", declaration.name);
        debug_assert!(
            !declaration.only_locators || inputs.iter().all(|input| input.locator),
            "{}",
            declaration.name
        );
        DeclaredOrigin {
            declaration,
            inputs,
            needs,
            examples,
            returned,
            argument_layout: OnceLock::new(),
            input: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    /// Returns the layout of the arguments.
    fn argument_layout(&self) -> &ArgumentLayout {
        // Code of the application runs here, for defaults and types: `broken` is set if it panics.
        self.argument_layout.get_or_init(|| {
            let input = self.input();
            let layout = catch_panic(|| ArgumentLayout::new(&self.inputs, &input.layout));
            let mut layout = layout.unwrap_or_else(|Panicked| ArgumentLayout::broken());
            layout.composite = input.composite;
            layout.broken |= input.broken;
            layout
        })
    }

    fn input(&self) -> &InputSchema {
        self.input.get_or_init(|| {
            let calls = self.examples.iter().filter_map(|example| example.call().ok()).collect();
            let made = catch_panic(|| match self.declaration.options_or_default().schema {
                Some(make) => InputSchema::from_option(make, &self.inputs, calls),
                None => InputSchema::compose(&self.inputs, calls),
            });
            made.unwrap_or_else(|Panicked| {
                InputSchema::broken("making its schema panicked; the log says where".to_owned())
            })
        })
    }

    /// Returns the kind of a return value without a schema.
    pub(super) fn returns_untyped(&self) -> Option<Untyped> {
        Untyped::of(self.returned)
    }

    fn output(&self) -> Option<&OutputSchema> {
        let make = || catch_panic(|| OutputSchema::compose(self.returned)).unwrap_or_default();
        self.output.get_or_init(make).as_ref()
    }
}
