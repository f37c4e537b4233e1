use tool_core::Bearer;

fn main() {
    let _ = Bearer::new();
}
