//! One installation at a time: packages are installed by steps, and before them in a thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until nothing else is installed, and until the guard is dropped nothing else will be.
pub(crate) fn install_lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}
