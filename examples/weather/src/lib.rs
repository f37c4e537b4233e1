//! The domain of the weather example: an archive of daily observations,
//! temperature scales, and a store of reports. It knows nothing of tools.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod archive;
pub mod observation;
pub mod reports;
pub mod temperature;

pub use archive::{Archive, ArchiveError, Column, Days, MonthSummary, Query, YearSummary};
pub use observation::{City, Observation, Weather};
pub use reports::{Deleted, Receipt, Reports, ReportsError};
pub use temperature::{Conversion, Scale, TemperatureError, convert};
