//! Rules of the workspace that the compiler does not check: dependencies, imports, names, public interfaces and packages.

mod dependencies;
mod floors;
mod interfaces;
mod names;
mod packages;
mod publishing;
mod readme;
