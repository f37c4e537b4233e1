//! The prompts: questions of users to a model with these tools.

use tool_core::prompt;

use crate::observation::City;

/// Asks how the weather of one day was over the years.
#[prompt(title = "A day over the years")]
fn compare_years(
    /// City, as the archive spells it.
    location: City,
    /// Month and day, like `07-04`.
    #[arg(pattern = "^[0-9]{2}-[0-9]{2}$", example = "07-04")]
    day: String,
    /// The years to compare.
    #[arg(default = vec![2012, 2013, 2014, 2015])]
    years: Vec<i16>,
) -> String {
    let dates: Vec<String> = years.iter().map(|year| format!("{year}-{day}")).collect();
    format!(
        "How was the weather in {location} on {}? Ask `get_weather` for each day, and tell what changed from year to \
         year.",
        dates.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_prompt_callable_as_a_function() {
        let question = compare_years(City::NewYork, "12-24".to_owned(), vec![2013]);
        assert!(question.starts_with("How was the weather in New York on 2013-12-24? "));
    }
}
