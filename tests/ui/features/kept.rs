use tool_core::ResultStore;

fn main() {
    let _ = ResultStore::memory();
    let _ = ResultStore::local("results");
}
