//! The tools: functions over the domain, each declared once.

use jiff::civil::Date;
use tool_core::ui::Ui;
use tool_core::{Reader, ToolError, Writer, tool};

use crate::archive::{Archive, ArchiveError, Column, Days, Query, YearSummary};
use crate::observation::{City, Observation, Weather};
use crate::reports::{Deleted, Receipt, ReportsError};
use crate::resources::ReportStore;
use crate::temperature::{self, Conversion, Scale, TemperatureError};

/// Explains the columns of the weather archive: their names, units and meaning.
#[tool(operation = Explain, title = "Explain the columns", open_world = false)]
fn explain_columns() -> Vec<Column> {
    Archive::columns()
}

/// Daily weather as it was observed in one city on one day.
#[tool(operation = Read, title = "Weather of a day", open_world = false)]
async fn get_weather(
    #[inject] archive: Reader<Archive>,
    /// City, as the archive spells it.
    #[arg(locator, example = "Seattle")]
    location: City,
    /// Day of the observation.
    #[arg(locator, example = "2014-07-04")]
    date: Date,
) -> Result<Observation, ArchiveError> {
    archive.get(location, date).cloned()
}

/// Finds the days of a period, optionally of one city or one kind of weather, ordered by date and then by city.
#[tool(operation = Read, title = "Find days", open_world = false, ui = Ui::results())]
fn find_days(
    #[inject] archive: Reader<Archive>,
    /// Only days in this city.
    location: Option<City>,
    /// First day of the period, which belongs to it.
    #[arg(example = "2014-12-24")]
    from: Date,
    /// Last day of the period, which belongs to it.
    #[arg(example = "2014-12-31")]
    to: Date,
    /// Only days of this kind of weather.
    weather: Option<Weather>,
    /// How many days to return at most.
    #[arg(default = 20)]
    limit: u16,
) -> Result<Days, ArchiveError> {
    archive.find(Query { location, from, to, weather, limit: limit.into() })
}

/// Sums up the months of a year in one city: days, mean temperatures, precipitation, and days by kind of weather.
#[tool(operation = Read, title = "Summary by month", open_world = false)]
fn monthly_summary(
    #[inject] archive: Reader<Archive>,
    /// City, as the archive spells it.
    #[arg(locator)]
    location: City,
    /// Year of the summary.
    #[arg(locator, example = 2014)]
    year: i16,
) -> Result<YearSummary, ArchiveError> {
    archive.monthly_summary(location, year)
}

/// Converts a temperature from one scale to another; below absolute zero there is none.
#[tool(operation = Transform, title = "Convert a temperature", open_world = false)]
fn convert_temperature(
    /// Temperature in the scale `from`.
    #[arg(example = 20.5)]
    value: f64,
    /// Scale of the temperature that is given.
    from: Scale,
    /// Scale of the temperature that is wanted.
    #[arg(example = "fahrenheit")]
    to: Scale,
) -> Result<Conversion, TemperatureError> {
    temperature::convert(value, from, to)
}

/// Stores a report of a day's weather. A report that was confirmed is on the disk.
#[tool(operation = Write, destructive = false, title = "Report an observation", open_world = false, blocking)]
#[allow(clippy::too_many_arguments)]
fn report_observation(
    #[inject] reports: Writer<ReportStore>,
    /// City of the observation.
    location: City,
    /// Day of the observation.
    #[arg(example = "2026-03-01")]
    date: Date,
    /// Precipitation, in millimetres.
    #[arg(example = 0.5)]
    precipitation: f64,
    /// Highest temperature, in degrees Celsius.
    #[arg(example = 12.5)]
    temp_max: f64,
    /// Lowest temperature, in degrees Celsius.
    #[arg(example = 4.0)]
    temp_min: f64,
    /// Wind speed, in metres per second.
    #[arg(example = 3.1)]
    wind: f64,
    /// Kind of weather that marked the day.
    #[arg(example = "rain")]
    weather: Weather,
) -> Result<Receipt, ToolError> {
    if temp_min > temp_max {
        return Err(ToolError::conflict(format!(
            "`temp_min` is {temp_min}, which is above `temp_max`, {temp_max}"
        )));
    }
    let report = Observation { location, date, precipitation, temp_max, temp_min, wind, weather };
    Ok(reports.append(&report)?)
}

/// Deletes the stored reports of all days before a date.
#[tool(operation = Write, destructive = true, idempotent = true, title = "Delete reports", open_world = false, blocking)]
fn delete_reports(
    #[inject] reports: Writer<ReportStore>,
    /// First day whose reports are kept.
    #[arg(example = "2026-01-01")]
    before: Date,
) -> Result<Deleted, ToolError> {
    Ok(reports.delete_before(before)?)
}

impl From<ArchiveError> for ToolError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::DateNotCovered { .. } | ArchiveError::YearNotCovered { .. } => {
                ToolError::not_found(error.to_string())
            }
            // Each input is valid alone, but they contradict each other.
            ArchiveError::RangeReversed { .. } => ToolError::conflict(error.to_string()),
        }
    }
}

impl From<TemperatureError> for ToolError {
    fn from(error: TemperatureError) -> Self {
        // The value does not fit its scale, which is the caller's mistake.
        ToolError::conflict(error.to_string())
    }
}

impl From<ReportsError> for ToolError {
    fn from(error: ReportsError) -> Self {
        match error {
            ReportsError::NotFinite { .. } => ToolError::conflict(error.to_string()),
            // The message names a file, which callers must not see.
            _ => {
                tracing::error!(%error, "the store of reports does not work");
                ToolError::unavailable("the reports cannot be read or written at the moment")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::reports::ReportsFile;

    #[tokio::test]
    async fn keeps_the_tool_callable_as_a_function() {
        let archive = Reader::new(Archive::embedded().clone());
        let day = get_weather(archive, City::Seattle, date(2014, 7, 4)).await.unwrap();
        assert_eq!(day.weather, Weather::Sun);
    }

    #[test]
    fn writes_through_a_test_writer() {
        let folder = tempfile::tempdir().unwrap();
        let store = || ReportStore::new(ReportsFile::new(folder.path().join("reports.jsonl")));
        let (day, sky) = (date(2026, 3, 1), Weather::Rain);
        let receipt =
            report_observation(Writer::for_tests(store()), City::Seattle, day, 0.5, 12.5, 4.0, 3.1, sky);
        assert_eq!(receipt.unwrap(), Receipt { number: 1 });
        assert_eq!(Reader::new(store()).all().unwrap()[0].date, day);
    }
}
