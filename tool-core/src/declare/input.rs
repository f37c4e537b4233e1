//! The inputs of a tool: how each is declared, and how it is read from the arguments of a call.
//!
//! [`Input`] is the bound of a parameter's type. A declaration holds its inputs as one typed tuple of [`In`], which
//! [`Inputs`] reads. Both are named only by the expansion of `#[tool]`.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::declare::completion::CompleteFn;
use crate::declare::inject::mode::{Mode, SyncMode};
use crate::declare::inject::{InjectionSource, Needs};
use crate::declare::input_spec::{Bound, InputSpec, JsonFn};
use crate::declare::locator::Locator;
use crate::declare::presence;
use crate::declare::reader::{ArgumentReader, Slot};
use crate::model::failure::Failure;
use crate::model::setters::setters;

mod limit;

pub use limit::Limit;

/// A type of an input: any that implements [`serde::Deserialize`] and [`schemars::JsonSchema`] and borrows nothing.
///
/// `Option<T>` is an optional input.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use tool_core::Input;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Point {
///     x: f64,
///     y: f64,
/// }
///
/// fn takes<T: Input>() {}
/// takes::<Point>();
/// takes::<Option<Vec<Point>>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input",
    label = "an input must be read from JSON and have a schema",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for it, the latter of schemars 1 (that of 0.8 is another trait), or mark the parameter `#[inject]` if it is no input"
)]
pub trait Input: DeserializeOwned + JsonSchema + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + 'static> Input for T {}

/// A value for the default or an example of an input: any that implements [`serde::Serialize`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the default or an example of an input",
    label = "it must be written as JSON",
    note = "derive `serde::Serialize` for it"
)]
pub trait InputValue: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> InputValue for T {}

/// A type for `#[arg(default)]`: its default value can be published.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default that an input can have",
    label = "`#[arg(default)]` takes the default of the type, and publishes it as JSON",
    note = "derive `Default` and `serde::Serialize` for it, or write `#[arg(default = …)]`"
)]
pub trait InputDefault: Default + Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Default + Serialize> InputDefault for T {}

/// A type of a parameter beside one that is awaited.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Send`, and another parameter of this tool is awaited",
    label = "the call may move to another thread while it waits",
    note = "use a type that is `Send`, or inject the other parameter by `Inject` instead of `InjectAsync`"
)]
pub trait SendParameter: Send {}

#[diagnostic::do_not_recommend]
impl<T: Send> SendParameter for T {}

/// One typed input: its declaration, and how its value is read.
#[derive(Debug)]
#[must_use]
pub struct In<T> {
    pub(crate) spec: InputSpec,
    read: fn(&mut ArgumentReader<'_>) -> Option<T>,
}

/// Declares an input. A function and not a method, so that the compiler reports a type that is not an [`Input`] by that
/// name.
pub const fn input<T: Input>(name: &'static str, description: &'static str) -> In<T> {
    In {
        spec: InputSpec {
            name,
            description: description.trim_ascii(),
            schema: SchemaGenerator::subschema_for::<T>,
            presence: presence::presence::<T>,
            default: None,
            examples: &[],
            minimum: None,
            maximum: None,
            min_length: None,
            max_length: None,
            pattern: None,
            secret: false,
            locator: false,
            complete: None,
            header: None,
            flatten: false,
        },
        read: read::<T>,
    }
}

/// Sets the default of the type as the default of the input.
pub const fn defaulted<T: InputDefault>(input: In<T>) -> In<T> {
    input.default(|| serde_json::to_value(T::default()))
}

/// Declares the input as a locator. A function and not a method, so that the compiler reports a type that is not a
/// [`Locator`] by that name.
pub const fn locator<T: Locator>(mut input: In<T>) -> In<T> {
    input.spec.locator = true;
    input
}

/// Converts a default or an example to JSON.
pub fn json<T: InputValue>(value: T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value)
}

impl<T> In<T> {
    setters! {
        /// Sets the default, as JSON.
        pub const fn default(default: JsonFn) => spec.default = Some(default);

        /// Sets the examples, as JSON.
        pub const fn examples(examples: &'static [JsonFn]) => spec.examples = examples;
    }

    /// Sets `range(min = …, max = …)`, both inclusive.
    pub const fn range(mut self, minimum: Option<Bound>, maximum: Option<Bound>) -> Self {
        self.spec.minimum = minimum;
        self.spec.maximum = maximum;
        self
    }

    /// Sets `length(min = …, max = …)`: code points of a text, items of a list, members of a map.
    pub const fn length(mut self, least: Option<u64>, most: Option<u64>) -> Self {
        self.spec.min_length = least;
        self.spec.max_length = most;
        self
    }

    setters! {
        /// Sets `pattern = "…"`.
        pub const fn pattern(pattern: &'static str) => spec.pattern = Some(pattern);

        /// Sets `secret`: the value never appears in a message or a log.
        pub const fn secret() => spec.secret = true;

        /// Sets `complete = …`.
        pub const fn complete(complete: CompleteFn) => spec.complete = Some(complete);

        /// Sets `header = "…"`: MCP's `x-mcp-header`.
        pub const fn header(header: &'static str) => spec.header = Some(header);

        /// Sets `flatten`: the fields of the struct are inputs.
        pub const fn flatten() => spec.flatten = true;
    }
}

/// A typed tuple of parameters. Its values are created in three steps: first all inputs are read, then the parameters
/// of the access function are injected, and after the decision the rest.
///
/// The last two are methods of [`SyncInputs`] and of [`AsyncInputs`], of which [`Mode`](Inputs::Mode) chooses one.
pub trait Inputs: Sync + 'static {
    /// The inputs, with `()` in place of injected parameters.
    type Read;
    /// The inputs and the parameters of the access function.
    type Shown;
    /// All parameters of the function.
    type Values;
    /// Whether an injection is awaited.
    type Mode: Mode;

    /// Describes all inputs and needs, in order.
    fn describe(&'static self, visitor: &mut Visitor<'_>);

    /// Reads every input, and returns `None` if any could not be read.
    fn read(&'static self, reader: &mut ArgumentReader<'_>) -> Option<Self::Read>;
}

/// Parameters that are injected without waiting.
pub trait SyncInputs: Inputs {
    /// Injects the parameters of the access function.
    ///
    /// # Errors
    ///
    /// The first failure of an injection.
    fn show(&'static self, read: Self::Read, source: InjectionSource<'_>) -> Result<Self::Shown, Failure>;

    /// Injects the remaining parameters.
    ///
    /// # Errors
    ///
    /// The first failure of an injection.
    fn inject(
        &'static self,
        shown: Self::Shown,
        source: InjectionSource<'_>,
    ) -> Result<Self::Values, Failure>;
}

/// Parameters of which some may be awaited. All are `Send`, because a call may move to another thread while it waits.
pub trait AsyncInputs: Inputs<Read: Send, Shown: Send, Values: Send> {
    /// Injects the parameters of the access function, one after the other.
    ///
    /// # Errors
    ///
    /// The first failure of an injection.
    fn show(
        &'static self,
        read: Self::Read,
        source: InjectionSource<'_>,
    ) -> impl Future<Output = Result<Self::Shown, Failure>> + Send;

    /// Injects the remaining parameters, one after the other.
    ///
    /// # Errors
    ///
    /// The first failure of an injection.
    fn inject(
        &'static self,
        shown: Self::Shown,
        source: InjectionSource<'_>,
    ) -> impl Future<Output = Result<Self::Values, Failure>> + Send;
}

/// Collects the inputs and the needs of a tuple.
#[derive(Debug)]
pub struct Visitor<'v> {
    pub(crate) inputs: &'v mut Vec<&'static InputSpec>,
    pub(crate) needs: &'v mut Needs,
}

impl<T: 'static> Inputs for In<T> {
    type Read = T;
    type Shown = T;
    type Values = T;
    type Mode = SyncMode;

    fn describe(&'static self, visitor: &mut Visitor<'_>) {
        visitor.inputs.push(&self.spec);
    }

    fn read(&'static self, reader: &mut ArgumentReader<'_>) -> Option<T> {
        (self.read)(reader)
    }
}

impl<T: 'static> SyncInputs for In<T> {
    fn show(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }

    fn inject(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }
}

impl<T: SendParameter + 'static> AsyncInputs for In<T> {
    async fn show(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }

    async fn inject(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }
}

macro_rules! tuples {
    (@mode) => { SyncMode };
    (@mode $name:ident) => { $name::Mode };
    (@mode $name:ident $($rest:ident)*) => { <$name::Mode as Mode>::And<tuples!(@mode $($rest)*)> };
    ($($name:ident $value:ident)*) => {
        impl<$($name: Inputs),*> Inputs for ($($name,)*) {
            type Read = ($($name::Read,)*);
            type Shown = ($($name::Shown,)*);
            type Values = ($($name::Values,)*);
            type Mode = tuples!(@mode $($name)*);

            #[allow(non_snake_case, unused_variables)]
            fn describe(&'static self, visitor: &mut Visitor<'_>) {
                let ($($name,)*) = self;
                $($name.describe(visitor);)*
            }

            // Every element is read before the first `?`, so that all problems are reported at once.
            #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
            fn read(&'static self, reader: &mut ArgumentReader<'_>) -> Option<Self::Read> {
                let ($($name,)*) = self;
                $(let $name = $name.read(reader);)*
                Some(($($name?,)*))
            }
        }

        impl<$($name: SyncInputs),*> SyncInputs for ($($name,)*) {
            #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
            fn show(&'static self, ($($value,)*): Self::Read, source: InjectionSource<'_>) -> Result<Self::Shown, Failure> {
                let ($($name,)*) = self;
                Ok(($($name.show($value, source)?,)*))
            }

            #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
            fn inject(
                &'static self,
                ($($value,)*): Self::Shown,
                source: InjectionSource<'_>,
            ) -> Result<Self::Values, Failure> {
                let ($($name,)*) = self;
                Ok(($($name.inject($value, source)?,)*))
            }
        }

        impl<$($name: AsyncInputs),*> AsyncInputs for ($($name,)*) {
            #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
            async fn show(
                &'static self,
                ($($value,)*): Self::Read,
                source: InjectionSource<'_>,
            ) -> Result<Self::Shown, Failure> {
                let ($($name,)*) = self;
                Ok(($($name.show($value, source).await?,)*))
            }

            #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
            async fn inject(
                &'static self,
                ($($value,)*): Self::Shown,
                source: InjectionSource<'_>,
            ) -> Result<Self::Values, Failure> {
                let ($($name,)*) = self;
                Ok(($($name.inject($value, source).await?,)*))
            }
        }
    };
}

// The macro nests longer lists of parameters as tuples of tuples.
tuples!();
tuples!(A a);
tuples!(A a B b);
tuples!(A a B b C c);
tuples!(A a B b C c D d);
tuples!(A a B b C c D d E e);
tuples!(A a B b C c D d E e F f);
tuples!(A a B b C c D d E e F f G g);
tuples!(A a B b C c D d E e F f G g H h);

/// Reads one input: the only code of a call that is instantiated for each type.
fn read<T: Input>(reader: &mut ArgumentReader<'_>) -> Option<T> {
    let mut text = match reader.next() {
        Slot::Given(text) => text,
        Slot::Null => return presence::null::<T>(),
        Slot::Absent => return presence::absent::<T>().or_else(|| reader.missing()),
        Slot::Unverified => return None,
    };
    loop {
        match serde_json::from_slice(&text) {
            Ok(value) => return Some(value),
            Err(error) => text = reader.respelled(text, error)?,
        }
    }
}
