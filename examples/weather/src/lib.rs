//! Four years of daily weather as seven tools, over HTTP, MCP and the command line.
//!
//! The domain ([`archive`], [`temperature`], [`reports`]) is independent of tools; [`tools`] declares them; [`registry`] adds
//! their state, through the handles of [`resources`].

use std::path::PathBuf;

use tool_core::{BuildErrors, Registry, RegistryBuilder};

pub mod archive;
pub mod observation;
pub mod prompts;
pub mod reports;
pub mod resources;
pub mod temperature;
pub mod tools;

pub use archive::{Archive, ArchiveError, Column, Days, MonthSummary, Query, YearSummary};
pub use observation::{City, Observation, Weather};
pub use reports::{Deleted, ReadReports, Receipt, Reports, ReportsError, ReportsFile, WriteReports};
pub use resources::ReportStore;
pub use temperature::{Conversion, Scale, TemperatureError, convert};

/// Builds the registry of this example with the archive, and reports in this file.
///
/// # Errors
///
/// When the registry cannot be built.
///
/// ```
/// let registry = weather::registry("reports.jsonl")?;
/// assert!(registry.get("get_weather").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn registry(reports: impl Into<PathBuf>) -> Result<Registry, BuildErrors> {
    builder(reports).build()
}

/// Returns a builder, for a registry that is read-only or keeps its reports elsewhere.
///
/// ```
/// let registry = weather::builder("reports.jsonl").read_only().build()?;
/// assert!(registry.get("delete_reports").is_none());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub fn builder(reports: impl Into<PathBuf>) -> RegistryBuilder {
    Registry::builder()
        .linked()
        .expect_crate("weather")
        .state(Archive::embedded().clone())
        .state(ReportStore::new(ReportsFile::new(reports)))
}
