//! Injection of the context and the extensions of a call.

use std::any::type_name;

use crate::context::Context;
use crate::declare::inject::{Inject, Injection, Needs};
use crate::model::extensions::Extension;
use crate::model::failure::Failure;

impl<Op> Inject<Op> for Context {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(source.context().clone())
    }
}

impl<T: Clone + Send + Sync + 'static, Op> Inject<Op> for Extension<T> {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let value = source.extension::<T>().cloned().map(Extension);
        value.ok_or_else(|| {
            tracing::error!(extension = type_name::<T>(), "nothing of this type was put beside the call");
            Failure::internal()
        })
    }
}

impl<T: Clone + Send + Sync + 'static, Op> Inject<Op> for Option<Extension<T>> {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(source.extension::<T>().cloned().map(Extension))
    }
}
