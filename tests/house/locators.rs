//! Types of other crates that are locators behind features.

use serde_json::json;
use tool_core::address::Surface;
use tool_core::{Registry, tool};

/// Says what was given.
#[tool(operation = Read)]
fn located(
    #[arg(locator)] date: jiff::civil::Date,
    #[arg(locator)] time: jiff::civil::Time,
    #[arg(locator)] both: jiff::civil::DateTime,
    #[arg(locator)] instant: jiff::Timestamp,
    #[arg(locator)] zoned: jiff::Zoned,
    #[arg(locator)] id: uuid::Uuid,
) -> String {
    format!("{date} {time} {both} {instant} {zoned} {id}")
}

#[test]
fn accepts_dates_and_uuids_as_locators() {
    let registry = Registry::builder()
        .linked()
        .select(|tool| tool.name() == "located")
        .select_prompts(|_| false)
        .build()
        .unwrap();
    assert_eq!(registry.check(), Ok(()));
    let tool = registry.get("located").unwrap();
    let surface = Surface::of(tool);
    assert_eq!(surface.address().unwrap().variables().count(), 6);
    for (name, schema) in tool.input_schema()["properties"].as_object().unwrap() {
        assert_eq!(schema["type"], "string", "{name}");
    }
    let arguments = json!({
        "date": "2014-07-04",
        "time": "12:30:00",
        "both": "2014-07-04T12:30:00",
        "instant": "2014-07-04T12:30:00Z",
        "zoned": "2014-07-04T12:30:00+00:00[UTC]",
        "id": "67e55044-10b1-426f-9247-bb680e5fe0c8",
    });
    let output = tool_core::private::block_on(registry.call("located", arguments)).unwrap();
    assert_eq!(
        output.value(),
        "2014-07-04 12:30:00 2014-07-04T12:30:00 2014-07-04T12:30:00Z 2014-07-04T12:30:00+00:00[UTC] \
         67e55044-10b1-426f-9247-bb680e5fe0c8"
    );
}
