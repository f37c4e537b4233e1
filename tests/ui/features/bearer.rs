use tool_core::authentication::Bearer;

fn main() {
    let _ = Bearer::new();
}
