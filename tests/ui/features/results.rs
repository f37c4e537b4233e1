use tool_core::results::ResultStore;

fn main() {
    let _ = ResultStore::memory();
    let _ = ResultStore::local("results");
}
