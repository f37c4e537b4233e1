//! Injected parameters as elements of the tuple of inputs.
//!
//! [`InjectedType`] chooses between [`Inject`] and [`InjectAsync`] by the type of the parameter. Its associated constant
//! is found in an `impl` block for types that implement `InjectAsync`, and otherwise in the trait [`InjectedAtOnce`],
//! because rustc looks into traits last. A `Deref` ladder, as for return values, cannot be used in a constant.

use std::marker::PhantomData;

use crate::declare::inject::asynchronous::InjectAsync;
use crate::declare::inject::mode::{AsyncMode, SyncMode};
use crate::declare::inject::{Inject, InjectIntoPrompt, Injection, InjectionSource, Needs, op};
use crate::declare::input::{AsyncInputs, Inputs, SendParameter, SyncInputs, Visitor};
use crate::declare::reader::ArgumentReader;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;

/// Selects by the type of an injected parameter, in a tool of this operation: is it awaited?
#[derive(Debug)]
pub struct InjectedType<T: ?Sized, Op>(PhantomData<fn() -> Op>, PhantomData<fn(&T)>);

impl<T: InjectAsync<Op>, Op> InjectedType<T, Op> {
    /// The parameter is awaited.
    pub const __PARAMETER: AsyncParameter<T, Op> = AsyncParameter(InjectedType(PhantomData, PhantomData));
}

/// The fallback: any other type is injected at once.
pub trait InjectedAtOnce<T: ?Sized, Op> {
    /// The parameter is injected at once.
    const __PARAMETER: SyncParameter<T, Op> = SyncParameter(InjectedType(PhantomData, PhantomData));
}

impl<T: ?Sized, Op> InjectedAtOnce<T, Op> for InjectedType<T, Op> {}

/// A parameter that is injected at once.
#[derive(Debug)]
pub struct SyncParameter<T: ?Sized, Op>(InjectedType<T, Op>);

/// A parameter that is awaited.
#[derive(Debug)]
pub struct AsyncParameter<T: ?Sized, Op>(InjectedType<T, Op>);

/// A parameter of a tool. The bounds of the implementations are what its type must be.
pub trait ToolParameter {
    /// The element of the tuple.
    type Injected;
    /// The element of the tuple, if the access function takes the parameter.
    type Shown;

    /// The element of the tuple.
    const INJECTED: Self::Injected;
    /// The element of the tuple, if the access function takes the parameter.
    const SHOWN: Self::Shown;
}

impl<T: Inject<Op>, Op: 'static> ToolParameter for SyncParameter<T, Op> {
    type Injected = Injected<T>;
    type Shown = Shown<T>;

    const INJECTED: Injected<T> =
        Injected { needs: T::needs, is_handle: T::__IS_HANDLE, inject: inject::<T, Op> };
    const SHOWN: Shown<T> = Shown(Self::INJECTED);
}

impl<T: InjectAsync<Op>, Op: 'static> ToolParameter for AsyncParameter<T, Op> {
    type Injected = InjectedAsync<T>;
    type Shown = ShownAsync<T>;

    const INJECTED: InjectedAsync<T> =
        InjectedAsync { needs: T::needs, is_handle: T::__IS_HANDLE, inject: inject_async::<T, Op> };
    const SHOWN: ShownAsync<T> = ShownAsync(Self::INJECTED);
}

/// A parameter of a prompt, with bounds that name a prompt in their messages.
pub trait PromptParameter {
    /// The element of the tuple.
    type Injected;

    /// The element of the tuple.
    const INJECTED: Self::Injected;
}

impl<T: InjectIntoPrompt> PromptParameter for SyncParameter<T, op::Prompt> {
    type Injected = Injected<T>;

    const INJECTED: Injected<T> = <Self as ToolParameter>::INJECTED;
}

impl<T: InjectAsync<op::Prompt>> PromptParameter for AsyncParameter<T, op::Prompt> {
    type Injected = InjectedAsync<T>;

    const INJECTED: InjectedAsync<T> = <Self as ToolParameter>::INJECTED;
}

/// Declares an injected parameter of a tool. A function, so that the compiler underlines the whole type if it cannot be
/// injected.
pub const fn injected<P: ToolParameter>(_: &P) -> P::Injected {
    P::INJECTED
}

/// Declares an injected parameter that the access function takes.
pub const fn shown<P: ToolParameter>(_: &P) -> P::Shown {
    P::SHOWN
}

/// Declares an injected parameter of a prompt.
pub const fn injected_into_prompt<P: PromptParameter>(_: &P) -> P::Injected {
    P::INJECTED
}

/// An injected parameter: its value comes from the call.
#[derive(Debug)]
pub struct Injected<T> {
    needs: fn(&mut Needs),
    is_handle: bool,
    inject: fn(InjectionSource<'_>) -> Result<T, Failure>,
}

/// An injected parameter that the access function takes, so it is injected before the decision.
#[derive(Debug)]
pub struct Shown<T>(Injected<T>);

/// An injected parameter whose value is awaited.
#[derive(Debug)]
pub struct InjectedAsync<T> {
    needs: fn(&mut Needs),
    is_handle: bool,
    inject: fn(InjectionSource<'_>) -> Injecting<'_, T>,
}

/// An injected parameter that is awaited and that the access function takes.
#[derive(Debug)]
pub struct ShownAsync<T>(InjectedAsync<T>);

/// A running injection.
type Injecting<'c, T> = BoxFuture<'c, Result<T, Failure>>;

impl<T: 'static> Inputs for Injected<T> {
    type Read = ();
    type Shown = ();
    type Values = T;
    type Mode = SyncMode;

    fn describe(&'static self, visitor: &mut Visitor<'_>) {
        (self.needs)(visitor.needs);
        if !self.is_handle {
            visitor.needs.mark_depends_on_call();
        }
    }

    fn read(&'static self, _: &mut ArgumentReader<'_>) -> Option<()> {
        Some(())
    }
}

impl<T: 'static> SyncInputs for Injected<T> {
    fn show(&'static self, (): (), _: InjectionSource<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn inject(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.inject)(source)
    }
}

impl<T: SendParameter + 'static> AsyncInputs for Injected<T> {
    async fn show(&'static self, (): (), _: InjectionSource<'_>) -> Result<(), Failure> {
        Ok(())
    }

    async fn inject(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.inject)(source)
    }
}

impl<T: 'static> Inputs for Shown<T> {
    type Read = ();
    type Shown = T;
    type Values = T;
    type Mode = SyncMode;

    fn describe(&'static self, visitor: &mut Visitor<'_>) {
        self.0.describe(visitor);
    }

    fn read(&'static self, _: &mut ArgumentReader<'_>) -> Option<()> {
        Some(())
    }
}

impl<T: 'static> SyncInputs for Shown<T> {
    fn show(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.0.inject)(source)
    }

    fn inject(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }
}

impl<T: SendParameter + 'static> AsyncInputs for Shown<T> {
    async fn show(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.0.inject)(source)
    }

    async fn inject(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }
}

impl<T: 'static> Inputs for InjectedAsync<T> {
    type Read = ();
    type Shown = ();
    type Values = T;
    type Mode = AsyncMode;

    fn describe(&'static self, visitor: &mut Visitor<'_>) {
        (self.needs)(visitor.needs);
        if !self.is_handle {
            visitor.needs.mark_depends_on_call();
        }
    }

    fn read(&'static self, _: &mut ArgumentReader<'_>) -> Option<()> {
        Some(())
    }
}

impl<T: Send + 'static> AsyncInputs for InjectedAsync<T> {
    async fn show(&'static self, (): (), _: InjectionSource<'_>) -> Result<(), Failure> {
        Ok(())
    }

    async fn inject(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.inject)(source).await
    }
}

impl<T: 'static> Inputs for ShownAsync<T> {
    type Read = ();
    type Shown = T;
    type Values = T;
    type Mode = AsyncMode;

    fn describe(&'static self, visitor: &mut Visitor<'_>) {
        self.0.describe(visitor);
    }

    fn read(&'static self, _: &mut ArgumentReader<'_>) -> Option<()> {
        Some(())
    }
}

impl<T: Send + 'static> AsyncInputs for ShownAsync<T> {
    async fn show(&'static self, (): (), source: InjectionSource<'_>) -> Result<T, Failure> {
        (self.0.inject)(source).await
    }

    async fn inject(&'static self, value: T, _: InjectionSource<'_>) -> Result<T, Failure> {
        Ok(value)
    }
}

/// Injects one parameter.
fn inject<T: Inject<Op>, Op: 'static>(source: InjectionSource<'_>) -> Result<T, Failure> {
    T::inject(&Injection::from(source))
}

/// Injects one parameter that is awaited.
fn inject_async<T: InjectAsync<Op>, Op: 'static>(source: InjectionSource<'_>) -> Injecting<'_, T> {
    Box::pin(async move { T::inject(&Injection::from(source)).await })
}
