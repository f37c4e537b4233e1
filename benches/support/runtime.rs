//! What every generated crate needs to run one tool; none of it is generic, so that none is compiled in them.

use std::hint::black_box;
use std::pin::Pin;

/// The answer of a tool on its way.
pub type Answer<'a> = Pin<Box<dyn Future<Output = String> + 'a>>;

/// Waits for an answer.
pub fn block_on(answer: Answer<'_>) -> String {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(answer)
}

/// Keeps an async function in the program.
pub fn keep_future(answer: Answer<'_>) {
    drop(black_box(answer));
}

/// Keeps a function in the program.
pub fn keep_function(function: fn(String, u32, bool) -> String) {
    black_box(function);
}
