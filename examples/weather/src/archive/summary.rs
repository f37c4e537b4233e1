//! Summary of a city's year: [`YearSummary`], made of [`MonthSummary`]s.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::observation::{City, Observation, Weather};

/// One city's year, month by month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct YearSummary {
    /// The city observed.
    pub location: City,
    /// The year observed.
    pub year: i16,
    /// The months observed, in order.
    pub months: Vec<MonthSummary>,
}

/// One city's month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MonthSummary {
    /// The month, from 1 for January to 12 for December.
    pub month: i8,
    /// How many days were observed.
    pub days: u32,
    /// Mean of the daily highest temperatures, in degrees Celsius.
    pub mean_temp_max: f64,
    /// Mean of the daily lowest temperatures, in degrees Celsius.
    pub mean_temp_min: f64,
    /// Precipitation of the month, in millimetres.
    pub total_precipitation: f64,
    /// How many days each kind of weather marked; kinds that did not occur are left out.
    pub days_by_weather: BTreeMap<Weather, u32>,
}

impl YearSummary {
    /// Summarizes the city's days of a year, ordered by date.
    pub(super) fn of(location: City, year: i16, days: &[&Observation]) -> Self {
        Self {
            location,
            year,
            months: days
                .chunk_by(|day, next| day.date.month() == next.date.month())
                .map(MonthSummary::of)
                .collect(),
        }
    }
}

impl MonthSummary {
    /// Summarizes the days of a month; there must be at least one.
    fn of(days: &[&Observation]) -> Self {
        let mut days_by_weather = BTreeMap::new();
        for day in days {
            *days_by_weather.entry(day.weather).or_default() += 1;
        }
        let count: u32 = days_by_weather.values().sum();
        let total = |figure: fn(&Observation) -> f64| days.iter().map(|day| figure(day)).sum();
        let mean = |figure| rounded(total(figure) / f64::from(count));
        Self {
            month: days[0].date.month(),
            days: count,
            mean_temp_max: mean(|day| day.temp_max),
            mean_temp_min: mean(|day| day.temp_min),
            total_precipitation: rounded(total(|day| day.precipitation)),
            days_by_weather,
        }
    }
}

/// Rounds to two decimals; the sum turns a negative zero into zero.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;

    #[test]
    fn computes_monthly_figures() {
        let archive = Archive::embedded();
        let seattle = archive.monthly_summary(City::Seattle, 2014).unwrap();
        assert_eq!((seattle.location, seattle.year), (City::Seattle, 2014));
        assert!(seattle.months.iter().map(|month| month.month).eq(1..=12));
        assert_eq!(
            seattle.months[6],
            MonthSummary {
                month: 7,
                days: 31,
                mean_temp_max: 26.9,
                mean_temp_min: 14.43,
                total_precipitation: 19.6,
                days_by_weather: BTreeMap::from([(Weather::Fog, 4), (Weather::Rain, 2), (Weather::Sun, 25),]),
            }
        );

        let new_york = archive.monthly_summary(City::NewYork, 2012).unwrap();
        assert_eq!(
            new_york.months[1],
            MonthSummary {
                month: 2,
                days: 29,
                mean_temp_max: 8.59,
                mean_temp_min: 0.69,
                total_precipitation: 32.0,
                days_by_weather: BTreeMap::from([
                    (Weather::Rain, 10),
                    (Weather::Snow, 5),
                    (Weather::Sun, 14),
                ]),
            }
        );
    }

    #[test]
    fn counts_every_day_of_the_year() {
        let archive = Archive::embedded();
        let leap = archive.monthly_summary(City::Seattle, 2012).unwrap();
        assert_eq!(leap.months.iter().map(|month| month.days).sum::<u32>(), 366);
        for month in leap.months {
            assert_eq!(month.days_by_weather.values().sum::<u32>(), month.days);
        }
    }

    #[test]
    fn reports_the_available_years() {
        let archive = Archive::embedded();
        for year in [i16::MIN, 2011, 2016, i16::MAX] {
            let error = archive.monthly_summary(City::NewYork, year).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("no observations in {year}: the archive covers the years 2012 to 2015")
            );
        }
    }

    #[test]
    fn rounds_to_two_decimals_without_negative_zero() {
        for (value, expected) in [(14.425_81, 14.43), (-0.004, 0.0), (-2.346, -2.35)] {
            assert_eq!(rounded(value).to_bits(), f64::to_bits(expected));
        }
    }

    #[test]
    fn round_trips_json() {
        let archive = Archive::embedded();
        let summary = archive.monthly_summary(City::Seattle, 2014).unwrap();
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["months"][6]["days_by_weather"]["sun"], 25);
        let back: YearSummary = serde_json::from_value(json).unwrap();
        assert_eq!(back, summary);
    }
}
