//! One installation at a time: programs and packages are installed by steps, which may be other processes, and before them in a
//! thread.

use std::fs::File;

use crate::failure::Failure;
use crate::workspace;

/// Waits until nothing else is installed, and until the file is dropped nothing else will be.
pub(crate) fn install_lock() -> Result<File, Failure> {
    let path = workspace::target().join("install.lock");
    let locked = File::create(&path).and_then(|file| file.lock().map(|()| file));
    locked.map_err(|source| Failure::File { path: path.display().to_string(), source })
}
