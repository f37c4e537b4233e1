//! The [`Archive`]: every daily observation from 2012 to 2015, in memory.

use std::io;
use std::sync::LazyLock;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::summary::{MonthSummary, YearSummary};
use crate::observation::{City, Observation, Weather};

mod summary;

/// Daily observations of every [`City`], indexed by city and date.
///
/// ```
/// use jiff::civil::date;
/// use weather::archive::Archive;
/// use weather::observation::{City, Weather};
///
/// let day = Archive::embedded().get(City::Seattle, date(2014, 7, 4))?;
/// assert_eq!(day.weather, Weather::Sun);
/// # Ok::<(), weather::archive::ArchiveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Archive {
    /// Sorted by date, then location, for binary search.
    days: Vec<Observation>,
    first: Date,
    last: Date,
}

impl Archive {
    /// The source of the archive, as CSV with a header line.
    pub const CSV: &str = include_str!("../data/weather.csv");

    /// Returns the embedded archive, parsed on first use.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<Archive> = LazyLock::new(|| {
            // The table is embedded, and tests read all of it.
            Archive::parse(Archive::CSV).expect("the embedded table is well formed")
        });
        &EMBEDDED
    }

    /// Returns the observation of one city on one day.
    ///
    /// # Errors
    ///
    /// The archive does not cover the day.
    pub fn get(&self, city: City, date: Date) -> Result<&Observation, ArchiveError> {
        self.days
            .binary_search_by_key(&(date, city), key)
            .map(|found| &self.days[found])
            .map_err(|_| ArchiveError::DateNotCovered { date, first: self.first, last: self.last })
    }

    /// Returns the days that match a query, ordered by date, then location.
    ///
    /// A range outside of the archive is not an error: it has fewer matches, or none.
    ///
    /// ```
    /// use jiff::civil::date;
    /// use weather::archive::{Archive, Query};
    /// use weather::observation::Weather;
    ///
    /// let snow = Archive::embedded().find(Query {
    ///     location: None,
    ///     from: date(2015, 1, 1),
    ///     to: date(2015, 12, 31),
    ///     weather: Some(Weather::Snow),
    ///     limit: 5,
    /// })?;
    /// assert_eq!((snow.days.len(), snow.total), (5, 20));
    /// # Ok::<(), weather::archive::ArchiveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The range ends before it begins.
    pub fn find(&self, query: Query) -> Result<Days, ArchiveError> {
        let Query { from, to, .. } = query;
        if from > to {
            return Err(ArchiveError::RangeReversed { from, to });
        }
        let start = self.days.partition_point(|day| day.date < from);
        let end = self.days.partition_point(|day| day.date <= to);
        let matches: Vec<&Observation> = self.days[start..end]
            .iter()
            .filter(|day| query.location.is_none_or(|city| day.location == city))
            .filter(|day| query.weather.is_none_or(|kind| day.weather == kind))
            .collect();
        Ok(Days { total: matches.len(), days: matches.into_iter().take(query.limit).cloned().collect() })
    }

    /// Summarizes one city's year by month; figures are rounded to two decimals.
    ///
    /// # Errors
    ///
    /// The archive does not cover the year.
    pub fn monthly_summary(&self, city: City, year: i16) -> Result<YearSummary, ArchiveError> {
        let days: Vec<&Observation> =
            self.days.iter().filter(|day| day.location == city && day.date.year() == year).collect();
        if days.is_empty() {
            return Err(ArchiveError::YearNotCovered {
                year,
                first: self.first.year(),
                last: self.last.year(),
            });
        }
        Ok(YearSummary::of(city, year, &days))
    }

    /// Describes the columns of [`Archive::CSV`], in the order of the table.
    #[must_use]
    pub fn columns() -> Vec<Column> {
        let column = |name: &str, unit: Option<&str>, description: &str| Column {
            name: name.to_owned(),
            unit: unit.map(str::to_owned),
            description: description.to_owned(),
        };
        vec![
            column("location", None, "city: Seattle or New York"),
            column("date", None, "day of the observation, as YYYY-MM-DD"),
            column("precipitation", Some("mm"), "precipitation of the day"),
            column("temp_max", Some("°C"), "highest temperature of the day"),
            column("temp_min", Some("°C"), "lowest temperature of the day"),
            column("wind", Some("m/s"), "wind speed of the day"),
            column("weather", None, "kind of weather that marked the day: drizzle, fog, rain, snow or sun"),
        ]
    }

    /// Returns the first day that the archive covers.
    #[must_use]
    pub fn first_date(&self) -> Date {
        self.first
    }

    /// Returns the last day that the archive covers.
    #[must_use]
    pub fn last_date(&self) -> Date {
        self.last
    }

    fn parse(table: &str) -> Result<Self, csv::Error> {
        let mut days: Vec<Observation> =
            csv::Reader::from_reader(table.as_bytes()).into_deserialize().collect::<Result<_, _>>()?;
        days.sort_by_key(key);
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no rows").into());
        };
        Ok(Self { first: first.date, last: last.date, days })
    }
}

fn key(day: &Observation) -> (Date, City) {
    (day.date, day.location)
}

/// The query of [`Archive::find`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Only days in this city, if one is given.
    pub location: Option<City>,
    /// The first day of the range.
    pub from: Date,
    /// The last day of the range, inclusive.
    pub to: Date,
    /// Only days of this kind of weather, if one is given.
    pub weather: Option<Weather>,
    /// The maximum number of days to return.
    pub limit: usize,
}

/// Days that match a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Days {
    /// The days, ordered by date, then location; at most as many as asked for.
    pub days: Vec<Observation>,
    /// How many days match, including those beyond the limit.
    pub total: usize,
}

/// A column of the archive's table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// The name in the header line.
    pub name: String,
    /// The unit of the values, if they have one.
    pub unit: Option<String>,
    /// What the values say.
    pub description: String,
}

/// The reason why the archive has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveError {
    /// The day is outside of the archive.
    #[error("no observation on {date}: the archive covers {first} to {last}")]
    DateNotCovered {
        /// The requested day.
        date: Date,
        /// The first day covered.
        first: Date,
        /// The last day covered.
        last: Date,
    },
    /// The year is outside of the archive.
    #[error("no observations in {year}: the archive covers the years {first} to {last}")]
    YearNotCovered {
        /// The requested year.
        year: i16,
        /// The first year covered.
        first: i16,
        /// The last year covered.
        last: i16,
    },
    /// The range ends before it begins.
    #[error("`from` is {from}, which is after `to`, {to}")]
    RangeReversed {
        /// The requested first day.
        from: Date,
        /// The requested last day.
        to: Date,
    },
}

#[cfg(test)]
mod tests;
