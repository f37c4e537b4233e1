//! Conversion of temperatures: [`convert`] between [`Scale`]s.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Converts a temperature from one scale to another, to nine decimals; to the
/// same scale, it comes back exactly as it was.
///
/// ```
/// use weather::temperature::{Scale, convert};
///
/// let body = convert(37.0, Scale::Celsius, Scale::Fahrenheit)?;
/// assert_eq!((body.value, body.scale), (98.6, Scale::Fahrenheit));
/// # Ok::<(), weather::temperature::TemperatureError>(())
/// ```
///
/// # Errors
///
/// The temperature is below absolute zero, or its value in the new scale is
/// not a finite number.
pub fn convert(value: f64, from: Scale, to: Scale) -> Result<Conversion, TemperatureError> {
    use Scale::{Celsius, Fahrenheit, Kelvin};

    let minimum = from.absolute_zero();
    if value.is_finite() && value < minimum {
        return Err(TemperatureError::BelowAbsoluteZero { value, scale: from, minimum });
    }
    // One formula per pair: each step rounds.
    let converted = match (from, to) {
        (Celsius, Celsius) | (Fahrenheit, Fahrenheit) | (Kelvin, Kelvin) => value,
        (Celsius, Fahrenheit) => tidied(value * 9.0 / 5.0 + 32.0),
        (Celsius, Kelvin) => tidied(value + 273.15),
        (Fahrenheit, Celsius) => tidied((value - 32.0) * 5.0 / 9.0),
        (Fahrenheit, Kelvin) => tidied((value + 459.67) * 5.0 / 9.0),
        (Kelvin, Celsius) => tidied(value - 273.15),
        (Kelvin, Fahrenheit) => tidied(value * 9.0 / 5.0 - 459.67),
    };
    if !converted.is_finite() {
        return Err(TemperatureError::NotFinite { value, from, to });
    }
    Ok(Conversion { value: converted, scale: to })
}

/// Rounds to nine decimals, to remove the error of binary fractions (-40 °C would be 233.14999999999998 K); the sum turns a
/// negative zero into zero.
fn tidied(value: f64) -> f64 {
    // Larger values have fewer decimals, and might overflow.
    if value.abs() < 1e6 { (value * 1e9).round() / 1e9 + 0.0 } else { value }
}

/// A scale of temperature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Degrees Celsius: water freezes at 0 and boils at 100.
    Celsius,
    /// Degrees Fahrenheit: water freezes at 32 and boils at 212.
    Fahrenheit,
    /// Kelvin: 0 is absolute zero, and water freezes at 273.15.
    Kelvin,
}

/// A converted temperature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conversion {
    /// The temperature, in the units of `scale`.
    pub value: f64,
    /// The scale of `value`.
    pub scale: Scale,
}

/// The reason why a temperature cannot be converted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TemperatureError {
    /// The temperature is below absolute zero.
    #[error("{value} {scale} is below absolute zero, which is {minimum} {scale}")]
    BelowAbsoluteZero {
        /// The temperature given.
        value: f64,
        /// The scale of `value` and `minimum`.
        scale: Scale,
        /// Absolute zero in that scale.
        minimum: f64,
    },
    /// The temperature is not finite in the requested scale.
    #[error("{value:e} {from} is too far from zero to be converted to {to}")]
    NotFinite {
        /// The temperature given.
        value: f64,
        /// The scale of `value`.
        from: Scale,
        /// The requested scale.
        to: Scale,
    },
}

impl Scale {
    const fn absolute_zero(self) -> f64 {
        match self {
            Self::Celsius => -273.15,
            Self::Fahrenheit => -459.67,
            Self::Kelvin => 0.0,
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Celsius => "celsius",
            Self::Fahrenheit => "fahrenheit",
            Self::Kelvin => "kelvin",
        })
    }
}

#[cfg(test)]
// Rounded results can be compared exactly.
#[expect(clippy::float_cmp)]
mod tests {
    use Scale::{Celsius, Fahrenheit, Kelvin};

    use super::*;

    const SCALES: [Scale; 3] = [Celsius, Fahrenheit, Kelvin];

    fn value(value: f64, from: Scale, to: Scale) -> f64 {
        convert(value, from, to).unwrap().value
    }

    #[test]
    fn converts_fixed_points_exactly() {
        for [celsius, fahrenheit, kelvin] in
            [[-40.0, -40.0, 233.15], [0.0, 32.0, 273.15], [100.0, 212.0, 373.15]]
        {
            assert_eq!(value(celsius, Celsius, Fahrenheit), fahrenheit);
            assert_eq!(value(celsius, Celsius, Kelvin), kelvin);
            assert_eq!(value(fahrenheit, Fahrenheit, Celsius), celsius);
            assert_eq!(value(fahrenheit, Fahrenheit, Kelvin), kelvin);
            assert_eq!(value(kelvin, Kelvin, Celsius), celsius);
            assert_eq!(value(kelvin, Kelvin, Fahrenheit), fahrenheit);
        }
    }

    #[test]
    fn returns_the_value_for_the_same_scale() {
        for scale in SCALES {
            for exact in [0.1, 20.0, f64::MIN_POSITIVE, f64::MAX] {
                assert_eq!(value(exact, scale, scale).to_bits(), exact.to_bits());
            }
            let zero = scale.absolute_zero();
            assert_eq!(value(zero, scale, scale), zero);
        }
    }

    #[test]
    fn converts_decimals_exactly() {
        for tenths in -2000..2000 {
            let celsius = f64::from(tenths) / 10.0;
            let fahrenheit = f64::from(tenths * 18 + 3200) / 100.0;
            let kelvin = f64::from(tenths * 10 + 27315) / 100.0;
            assert_eq!(value(celsius, Celsius, Fahrenheit), fahrenheit);
            assert_eq!(value(celsius, Celsius, Kelvin), kelvin);
            assert_eq!(value(fahrenheit, Fahrenheit, Kelvin), kelvin);
            assert_eq!(value(kelvin, Kelvin, Celsius), celsius);
        }
    }

    #[test]
    fn converts_absolute_zero_between_all_scales() {
        for from in SCALES {
            for to in SCALES {
                let lowest = value(from.absolute_zero(), from, to);
                assert_eq!(lowest, to.absolute_zero());
                // The next value above it must not be rounded below it.
                let next = value(from.absolute_zero().next_up(), from, to);
                assert!(next >= to.absolute_zero());
            }
        }
    }

    #[test]
    fn rejects_values_below_absolute_zero() {
        for from in SCALES {
            for to in SCALES {
                let minimum = from.absolute_zero();
                let value = minimum - 0.01;
                assert_eq!(
                    convert(value, from, to),
                    Err(TemperatureError::BelowAbsoluteZero { value, scale: from, minimum })
                );
            }
        }
        assert_eq!(
            convert(-300.0, Celsius, Kelvin).unwrap_err().to_string(),
            "-300 celsius is below absolute zero, which is -273.15 celsius"
        );
    }

    #[test]
    fn rejects_values_without_finite_result() {
        let error = convert(1.5e308, Celsius, Fahrenheit).unwrap_err();
        assert_eq!(error.to_string(), "1.5e308 celsius is too far from zero to be converted to fahrenheit");
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(convert(value, Kelvin, Kelvin), Err(TemperatureError::NotFinite { .. })));
        }
    }

    #[test]
    fn displays_scales_in_lower_case() {
        for scale in SCALES {
            assert_eq!(serde_json::json!(scale), serde_json::json!(scale.to_string()));
        }
        assert_eq!(Celsius.to_string(), "celsius");
    }
}
