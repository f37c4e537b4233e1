//! The engines pass the tests that an engine must pass, and keep their promises whatever fault happens.

mod both;
mod child;
mod clocks;
mod conforms;
mod disk;
mod faults;
mod kills;
mod load;
mod notifications;
mod points;
#[cfg(unix)]
mod private;
mod process;
mod reads;
mod same_key;
mod shutdown;
mod upgrade;
mod workers;
