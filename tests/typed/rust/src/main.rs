//! Calls the weather example through a client that is generated from its OpenAPI 3.0 document.
//!
//! Usage: typed URL

use std::process::ExitCode;

use chrono::NaiveDate;
use progenitor_client::{Error, ResponseValue};

use weather::Client;
use weather::types::{
    CallError, FindDaysInput, FindDaysInputWeather, GetWeatherAtLocation, GetWeatherInput, GetWeatherInputLocation,
    GetWeatherOutputWeather,
};

#[allow(warnings)]
mod weather {
    include!(concat!(env!("OUT_DIR"), "/weather.rs"));
}

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).expect("a day")
}

fn equal<T: PartialEq + std::fmt::Debug>(actual: T, expected: T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{actual:?} is not {expected:?}")) }
}

/// Returns the status and the body of a call without output.
fn refused<T: std::fmt::Debug>(
    result: Result<ResponseValue<T>, Error<CallError>>,
) -> Result<(u16, CallError), String> {
    match result {
        Err(Error::ErrorResponse(response)) => Ok((response.status().as_u16(), response.into_inner())),
        other => Err(format!("unexpected: {other:?}")),
    }
}

async fn success(client: &Client) -> Result<(), String> {
    let body = GetWeatherInput { location: GetWeatherInputLocation::Seattle, date: day(2014, 7, 4) };
    let response = client.get_weather().body(body).send().await.map_err(|error| error.to_string())?;
    equal(response.status().as_u16(), 200)?;
    let output = response.into_inner().structured_content;
    equal((output.weather, output.temp_max), (GetWeatherOutputWeather::Sun, 23.9))?;
    equal(output.date, day(2014, 7, 4))
}

async fn optional_inputs(client: &Client) -> Result<(), String> {
    let body = FindDaysInput {
        from: day(2012, 1, 1),
        to: day(2012, 1, 31),
        location: None,
        weather: Some(FindDaysInputWeather::Snow),
        limit: Some(2),
    };
    let response = client.find_days().body(body).send().await.map_err(|error| error.to_string())?;
    equal(response.into_inner().structured_content.days.len(), 2)
}

/// The types rule out most invalid arguments, but not a year with five digits.
async fn invalid(client: &Client) -> Result<(), String> {
    let body = GetWeatherInput { location: GetWeatherInputLocation::Seattle, date: day(12345, 7, 4) };
    let (status, error) = refused(client.get_weather().body(body).send().await)?;
    equal(status, 422)?;
    let CallError::Error(error) = error else { return Err(format!("unexpected: {error:?}")) };
    let problems: Vec<_> = error.problems.iter().map(|it| (it.path.as_str(), it.keyword.as_str())).collect();
    equal(problems, vec![("/date", "format")])
}

async fn failing(client: &Client) -> Result<(), String> {
    let body = GetWeatherInput { location: GetWeatherInputLocation::Seattle, date: day(1999, 7, 4) };
    let (status, error) = refused(client.get_weather().body(body).send().await)?;
    equal(status, 404)?;
    let CallError::Failure(failure) = error else { return Err(format!("unexpected: {error:?}")) };
    let text = failure.content[0].text.as_deref().unwrap_or_default();
    equal(text.starts_with("no observation on 1999-07-04"), true)
}

async fn read(client: &Client) -> Result<(), String> {
    let read = client.get_weather_at().location(GetWeatherAtLocation::Seattle).date(day(2014, 7, 4));
    let output = read.send().await.map_err(|error| error.to_string())?.into_inner();
    equal(output.weather, GetWeatherOutputWeather::Sun)?;
    let columns = client.explain_columns_result().send().await.map_err(|error| error.to_string())?;
    equal(columns.iter().any(|column| column.name == "temp_max"), true)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let url = std::env::args().nth(1).expect("the URL of the weather example");
    let client = Client::new(&url);
    let mut code = ExitCode::SUCCESS;
    for (name, result) in [
        ("success", success(&client).await),
        ("optional inputs", optional_inputs(&client).await),
        ("invalid", invalid(&client).await),
        ("failing", failing(&client).await),
        ("read", read(&client).await),
    ] {
        match result {
            Ok(()) => println!("rust: weather, {name} ... ok"),
            Err(reason) => {
                println!("rust: weather, {name} ... FAILED\n{reason}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
