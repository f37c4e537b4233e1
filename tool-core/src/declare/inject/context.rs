//! Injection of the context and the extensions of a call.

use std::any::type_name;

use crate::context::Context;
use crate::declare::inject::{Inject, Injection, Needs};
use crate::model::extensions::Extension;
use crate::model::failure::{Failure, FailureKind};

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
        value.ok_or_else(|| missing_extension(type_name::<T>(), source.context()))
    }
}

/// Returns the failure of a call without a required extension.
///
/// Who would attach it is not known. If the caller is anonymous, it is most likely what the application knows of callers that
/// are signed in; otherwise the application is at fault.
fn missing_extension(extension: &str, context: &Context) -> Failure {
    const HINT: &str =
        "attach it with `Principal::with` or `CallOptions::extensions`, or take `Option<Extension<…>>`";
    let tool = context.tool();
    if context.principal().id().is_none() {
        tracing::info!(
            gen_ai.tool.name = tool,
            extension,
            hint = HINT,
            "an anonymous call lacks an extension"
        );
        return Failure::new(FailureKind::Denied, format!("`{tool}` needs a caller that is signed in"));
    }
    tracing::error!(gen_ai.tool.name = tool, extension, hint = HINT, "a call lacks an extension");
    Failure::internal()
}

impl<T: Clone + Send + Sync + 'static, Op> Inject<Op> for Option<Extension<T>> {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(source.extension::<T>().cloned().map(Extension))
    }
}
