//! Conversion of return values, chosen by the shape of the return type, never by its name.
//!
//! The compiler chooses in three steps. In each, method lookup follows `Deref` to the first type that has the method.
//! The macro generates the same calls for every tool:
//!
//! ```text
//! Shape::<R>::new().__split().__value().__error()
//!     __split Result<T, E>         a value T and an error E
//!             any other R          a value R and no error
//!     __value ()                   nothing
//!             String, &str         one text
//!             Content, Vec<Content>, Output
//!             any other T          JSON:    T must be `ReturnValue`
//!     __error E: Into<ToolError>   its reason and message
//!             any other E          its message: E must be `ReturnError`
//! ```
//!
//! Each step stores the implementation as a function pointer, so a type that lacks it is one error, at the return type.
//! The methods have unusual names: a blanket trait of the application with the same method name would be found first.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::model::content::Content;
use crate::model::failure::{Failure, FailureKind, Reason, ToolError};
use crate::model::output::Output;
use crate::model::prompt::ReturnMessages;

/// A return value of a tool: any that implements [`serde::Serialize`] and [`schemars::JsonSchema`].
///
/// A tool may also return nothing, a text, [`Content`], an [`Output`], or a `Result` of any of these.
///
/// ```
/// fn returned_by_a_tool<T: tool_core::ReturnValue>() {}
/// returned_by_a_tool::<Vec<f64>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "an output must be written as JSON and have a schema",
    note = "derive `serde::Serialize` and `schemars::JsonSchema` for it, the latter of schemars 1 (that of 0.8 is another trait)"
)]
pub trait ReturnValue: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> ReturnValue for T {}

/// An error of a tool: any that implements [`Display`].
///
/// ```
/// fn returned_by_a_tool<E: tool_core::ReturnError>() {}
/// returned_by_a_tool::<std::io::Error>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool or a prompt",
    label = "an error must have a message for the caller",
    note = "implement `std::fmt::Display` for it, or `From<{Self}> for tool_core::ToolError`"
)]
pub trait ReturnError: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> ReturnError for E {}

/// Converts a return value into an output or a failure.
pub trait Return<R>: Send + 'static {
    /// Describes the return type.
    fn returned(&self) -> Returned;

    /// Converts the value.
    fn finish(&self, returned: R) -> Result<Output, Failure>;
}

/// The kind of a return value, without its type.
#[derive(Clone, Copy, Debug)]
pub enum Returned {
    /// Nothing.
    Nothing,
    /// A text.
    Text,
    /// Content blocks, or an [`Output`].
    Content,
    /// A value with a schema, and the name of its type.
    Json(fn(&mut SchemaGenerator) -> Schema, fn() -> Cow<'static, str>),
}

/// The kind of a return value without a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Untyped {
    Nothing,
    Text,
    Content,
}

impl Untyped {
    /// Returns the kind, or `None` for a value with a schema.
    pub(crate) fn of(returned: Returned) -> Option<Self> {
        match returned {
            Returned::Nothing => Some(Untyped::Nothing),
            Returned::Text => Some(Untyped::Text),
            Returned::Content => Some(Untyped::Content),
            Returned::Json(..) => None,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Untyped::Nothing => "nothing",
            Untyped::Text => "text",
            Untyped::Content => "content",
        }
    }
}

// Step one: is it a `Result`?

/// Selects by the return type: is it a `Result`?
#[derive(Debug)]
pub struct Shape<R>(NoResult<R>);

/// The fallback: any other type.
#[derive(Debug)]
pub struct NoResult<R>(PhantomData<fn() -> R>);

/// The function returns no error.
#[derive(Debug)]
pub enum Never {}

/// The function returns errors of type `E`.
#[derive(Debug)]
pub struct Fails<E>(PhantomData<fn() -> E>);

impl<R> Shape<R> {
    /// Starts the selection.
    #[expect(clippy::new_without_default, reason = "written by the macro, which calls it by name")]
    pub const fn new() -> Self {
        Shape(NoResult(PhantomData))
    }
}

impl<T, E> Shape<Result<T, E>> {
    /// Splits a `Result`.
    pub fn __split(&self) -> Value<T, Fails<E>> {
        Value(NoText(PhantomData))
    }
}

impl<R> Deref for Shape<R> {
    type Target = NoResult<R>;

    fn deref(&self) -> &NoResult<R> {
        &self.0
    }
}

impl<R> NoResult<R> {
    /// Takes any other type as a value.
    pub fn __split(&self) -> Value<R, Never> {
        Value(NoText(PhantomData))
    }
}

// Step two: what is the value?

/// Selects by the type of the value.
#[derive(Debug)]
pub struct Value<T, E>(NoText<T, E>);

/// The fallback: a value of any other type.
#[derive(Debug)]
pub struct NoText<T, E>(PhantomData<fn() -> (T, E)>);

macro_rules! values {
    ($($type:ty, $returned:ident, $make:expr;)*) => {$(
        impl<E> Value<$type, E> {
            /// Converts a value of this type.
            pub fn __value(&self) -> Error<$type, E> {
                Error::new(Returned::$returned, $make)
            }
        }
    )*};
}

values! {
    (), Nothing, |()| Ok(Output::empty());
    String, Text, |text| Ok(Output::text(text));
    &'static str, Text, |text| Ok(Output::text(text));
    Content, Content, |content| Ok(Output::from_content(vec![content]));
    Vec<Content>, Content, |content| Ok(Output::from_content(content));
    Output, Content, Ok;
}

impl<T, E> Deref for Value<T, E> {
    type Target = NoText<T, E>;

    fn deref(&self) -> &NoText<T, E> {
        &self.0
    }
}

impl<T, E> NoText<T, E> {
    /// Serializes any other value as JSON.
    pub fn __value(&self) -> Error<T, E>
    where
        T: ReturnValue,
    {
        Error::new(Returned::Json(SchemaGenerator::subschema_for::<T>, T::schema_name), json::<T>)
    }
    /// Converts a value to the messages of a prompt; prompts use it instead of `__value`.
    pub fn __messages(&self) -> Error<T, E>
    where
        T: ReturnMessages,
    {
        Error::new(Returned::Content, |value: T| Ok(Output::prompt(value.into_prompt())))
    }
}

fn json<T: Serialize>(value: T) -> Result<Output, Failure> {
    Output::bare(&value).map_err(|error| {
        tracing::error!(%error, "the output of a tool cannot be written as JSON");
        Failure::internal()
    })
}

// Step three: what is the error?

/// Selects by the type of the error.
#[derive(Debug)]
pub struct Error<T, E>(NoMeaning<T, E>);

/// The fallback: an error that has only a message.
#[derive(Debug)]
pub struct NoMeaning<T, E> {
    value: Plain<T>,
    error: PhantomData<fn() -> E>,
}

impl<T, E> Error<T, E> {
    fn new(returned: Returned, make: fn(T) -> Result<Output, Failure>) -> Self {
        Error(NoMeaning { value: Plain { returned, make }, error: PhantomData })
    }
}

impl<T> Error<T, Never> {
    /// Handles a function without errors.
    pub fn __error(self) -> Plain<T> {
        self.0.value
    }
}

impl<T, E: Into<ToolError>> Error<T, Fails<E>> {
    /// Handles an error that converts into a [`ToolError`].
    pub fn __error(&self) -> Fallible<T, E> {
        Fallible { value: self.0.value, explain: |error| Failure::from(error.into()) }
    }
}

impl<T, E> Deref for Error<T, E> {
    type Target = NoMeaning<T, E>;

    fn deref(&self) -> &NoMeaning<T, E> {
        &self.0
    }
}

impl<T, E> NoMeaning<T, Fails<E>> {
    /// Handles any other error by its message.
    pub fn __error(&self) -> Fallible<T, E>
    where
        E: ReturnError,
    {
        Fallible {
            value: self.value,
            explain: |error| Failure::new(FailureKind::Failed(Reason::Other), error.to_string()),
        }
    }
}

// What comes out of it.

/// A function that returns a value.
#[derive(Debug)]
pub struct Plain<T> {
    returned: Returned,
    make: fn(T) -> Result<Output, Failure>,
}

impl<T> Clone for Plain<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Plain<T> {}

impl<T: 'static> Return<T> for Plain<T> {
    fn returned(&self) -> Returned {
        self.returned
    }

    fn finish(&self, returned: T) -> Result<Output, Failure> {
        (self.make)(returned)
    }
}

/// A function that returns a value or an error.
#[derive(Debug)]
pub struct Fallible<T, E> {
    value: Plain<T>,
    explain: fn(E) -> Failure,
}

impl<T: 'static, E: 'static> Return<Result<T, E>> for Fallible<T, E> {
    fn returned(&self) -> Returned {
        self.value.returned
    }

    fn finish(&self, returned: Result<T, E>) -> Result<Output, Failure> {
        returned.map_err(self.explain).and_then(self.value.make)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Meaningful;

    impl From<Meaningful> for ToolError {
        fn from(_: Meaningful) -> Self {
            ToolError::conflict("twice")
        }
    }

    #[test]
    fn picks_the_most_specific_return_type() {
        let nothing = Shape::<()>::new().__split().__value().__error();
        assert!(matches!(nothing.returned(), Returned::Nothing));
        let text = Shape::<Result<String, std::io::Error>>::new().__split().__value().__error();
        assert!(matches!(text.returned(), Returned::Text));
        let json = Shape::<Option<String>>::new().__split().__value().__error();
        assert!(matches!(json.returned(), Returned::Json(..)));
        let link = Shape::<Content>::new().__split().__value().__error();
        assert!(matches!(link.returned(), Returned::Content));
    }

    #[test]
    fn keeps_the_reason_of_a_tool_error() {
        let meaning = Shape::<Result<(), Meaningful>>::new().__split().__value().__error();
        assert_eq!(
            meaning.finish(Err(Meaningful)).unwrap_err().kind(),
            FailureKind::Failed(Reason::Conflict)
        );
        let message = Shape::<Result<(), String>>::new().__split().__value().__error();
        let failure = message.finish(Err("no".to_owned())).unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (FailureKind::Failed(Reason::Other), "no"));
    }
}
