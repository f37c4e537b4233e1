//! Objects that the caller of a tool provides.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

/// An object that the caller provides. Two are equal if they are the same object.
pub(crate) struct SharedHandle<T: ?Sized>(pub(crate) Arc<T>);

impl<T: ?Sized> Clone for SharedHandle<T> {
    fn clone(&self) -> Self {
        SharedHandle(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> PartialEq for SharedHandle<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: ?Sized> fmt::Debug for SharedHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<T>())
    }
}
