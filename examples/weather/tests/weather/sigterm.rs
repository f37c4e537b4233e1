//! SIGTERM on stdio lets a running report finish.

use std::fs::File;
use std::process::Command;

use serde_json::json;

use crate::shared::call_through_sigterm;

#[test]
fn finishes_a_modifying_call_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports.jsonl");
    // The lock keeps the report waiting.
    let lock = File::create(folder.path().join("reports.jsonl.lock")).unwrap();
    lock.lock().unwrap();
    let report = json!({
        "location": "Seattle", "date": "2026-03-01", "precipitation": 0.5,
        "temp_max": 12.5, "temp_min": 4.0, "wind": 3.1, "weather": "rain",
    });
    let result = call_through_sigterm(
        Command::new(env!("CARGO_BIN_EXE_weather")).args(["serve", "mcp"]).env("WEATHER_REPORTS", &reports),
        "report_observation",
        &report,
        || {},
        || lock.unlock().unwrap(),
    );
    assert_eq!((&result["isError"], &result["structuredContent"]), (&json!(false), &json!({"number": 1})));
    assert_eq!(std::fs::read_to_string(&reports).unwrap().lines().count(), 1);
}
