//! What was observed: [`Observation`], one day's weather in one [`City`].
//!
//! The doc comments of these types are the descriptions in their JSON schemas,
//! so they are short and name the units.

use std::fmt;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One day's weather in one city.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The city observed.
    pub location: City,
    /// The day observed, as `YYYY-MM-DD`.
    pub date: Date,
    /// Precipitation of the day, in millimetres.
    pub precipitation: f64,
    /// Highest temperature of the day, in degrees Celsius.
    pub temp_max: f64,
    /// Lowest temperature of the day, in degrees Celsius.
    pub temp_min: f64,
    /// Wind speed of the day, in metres per second.
    pub wind: f64,
    /// The kind of weather that marked the day.
    pub weather: Weather,
}

// Variants stand in alphabetical order, which makes the derived `Ord` the order
// of the names.

/// A city with daily observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum City {
    /// New York City, New York.
    #[serde(rename = "New York")]
    NewYork,
    /// Seattle, Washington.
    Seattle,
}

/// The kind of weather that marked a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weather {
    /// Light rain in fine drops.
    Drizzle,
    /// Fog.
    Fog,
    /// Rain.
    Rain,
    /// Snow.
    Snow,
    /// Sun, without rain, snow or fog to speak of.
    Sun,
}

impl fmt::Display for City {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NewYork => "New York",
            Self::Seattle => "Seattle",
        })
    }
}

impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Drizzle => "drizzle",
            Self::Fog => "fog",
            Self::Rain => "rain",
            Self::Snow => "snow",
            Self::Sun => "sun",
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde_json::json;

    use super::*;

    const CITIES: [City; 2] = [City::NewYork, City::Seattle];
    const WEATHERS: [Weather; 5] =
        [Weather::Drizzle, Weather::Fog, Weather::Rain, Weather::Snow, Weather::Sun];

    #[test]
    fn displays_serialized_names() {
        for city in CITIES {
            assert_eq!(json!(city), json!(city.to_string()));
        }
        for weather in WEATHERS {
            assert_eq!(json!(weather), json!(weather.to_string()));
        }
    }

    #[test]
    fn orders_variants_by_name() {
        assert!(CITIES.is_sorted() && CITIES.map(|city| city.to_string()).is_sorted());
        assert!(WEATHERS.is_sorted() && WEATHERS.map(|kind| kind.to_string()).is_sorted());
    }

    #[test]
    fn serializes_the_names_of_the_table() {
        let observation = Observation {
            location: City::NewYork,
            date: date(2014, 7, 4),
            precipitation: 8.1,
            temp_max: 24.4,
            temp_min: 18.9,
            wind: 6.7,
            weather: Weather::Rain,
        };
        let json = json!({
            "location": "New York", "date": "2014-07-04", "precipitation": 8.1,
            "temp_max": 24.4, "temp_min": 18.9, "wind": 6.7, "weather": "rain",
        });
        assert_eq!(json!(observation), json);
        assert_eq!(serde_json::from_value::<Observation>(json).unwrap(), observation);
    }

    #[test]
    fn describes_every_field_and_variant() {
        let schema = schemars::schema_for!(Observation);
        let schema = schema.as_value();
        let fields = schema["properties"].as_object().unwrap();
        assert_eq!(fields.len(), 7);
        for (name, field) in fields {
            assert!(field["description"].is_string(), "{name}: {field}");
        }
        assert_eq!(fields["date"]["format"], "date");
        for (name, variants) in [("City", 2), ("Weather", 5)] {
            let listed = schema["$defs"][name]["oneOf"].as_array().unwrap();
            assert_eq!(listed.len(), variants);
            assert!(
                listed
                    .iter()
                    .all(|variant| { variant["const"].is_string() && variant["description"].is_string() })
            );
        }
    }
}
