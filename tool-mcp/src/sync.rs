//! Locking.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a panic: no critical section of this crate can panic halfway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
