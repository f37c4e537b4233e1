//! Builds, checks and lists a registry of every linked tool, and prints what that took, one figure a line.

use std::time::Instant;

fn main() {
    let mut last = Instant::now();
    let mut step = |name| {
        println!("{name} {:.3} seconds", last.elapsed().as_secs_f64());
        last = Instant::now();
    };
    let registry = tool_core::Registry::collect().unwrap();
    step("build");
    registry.check().unwrap();
    step("check");
    // As a server writes the answer to `tools/list`.
    let tools = registry.tools().map(|tool| {
        serde_json::json!({
            "name": tool.name(),
            "description": tool.description(),
            "annotations": tool.annotations(),
            "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
        })
    });
    let list: Vec<Vec<u8>> = tools.map(|tool| serde_json::to_vec(&tool).unwrap()).collect();
    step("list");
    assert_eq!(list.len(), TOOLS);
    println!("memory {}", memory());
}

/// The most memory that this program has had resident, as Linux tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.unwrap_or("0 kB").trim().to_owned()
}
