//! Tools with custom schemas, and a tool with an input that is also a header.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::tool;

/// Where somebody lives.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Address {
    street: Option<String>,
    city: Option<String>,
}

/// Takes note of somebody, with a telephone number or an address for mail.
#[tool(
    operation = Transform,
    open_world = false,
    schema = serde_json::from_str::<serde_json::Value>(include_str!("contact.json")).expect("the file is JSON"),
)]
fn json_schema_2020_12_tool(
    name: Option<String>,
    address: Option<Address>,
    #[arg(rename = "contactMethod")] contact_method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
) -> String {
    let name = name.as_deref().unwrap_or("somebody");
    let city = address.and_then(|address| address.city).unwrap_or_else(|| "somewhere".to_owned());
    let method = contact_method.as_deref().unwrap_or("phone or email");
    format!("{name} in {city}, by {method}: {}", phone.or(email).unwrap_or_default())
}

/// Says where a call is routed to.
#[tool(operation = Explain, open_world = false)]
fn test_header(
    /// A part of the world, which clients repeat in a header.
    #[arg(header = "Region", example = "eu-north")]
    region: String,
) -> String {
    format!("routed to {region}")
}
