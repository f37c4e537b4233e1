//! Reads by city and day have their own addresses.

use tool_core::ToolDefinition;
use tool_core::address::Surface;

fn describe_surface(tool: &ToolDefinition) -> String {
    let surface = Surface::of(tool);
    let kind = match &surface {
        Surface::Tool => return format!("{}: tool", tool.name()),
        Surface::Resource(_) => "resource",
        Surface::ResourceTemplate(_) => "template",
    };
    format!("{}: {kind} {}", tool.name(), surface.address().unwrap())
}

#[test]
fn exposes_reads_by_locators_as_resources() {
    let registry = weather::registry("unused").unwrap();
    assert_eq!(
        registry.tools().map(describe_surface).collect::<Vec<_>>(),
        [
            "convert_temperature: tool",
            "delete_reports: tool",
            "explain_columns: resource explain_columns",
            "find_days: tool",
            "get_weather: template get_weather/{location}/{date}",
            "monthly_summary: template monthly_summary/{location}/{year}",
            "report_observation: tool",
        ]
    );
}
