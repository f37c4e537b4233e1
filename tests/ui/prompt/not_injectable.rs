// A prompt changes nothing, and so has no writer.
use tool_core::{Resource, WritePass, Writer, prompt};

struct Shop;

impl Resource for Shop {
    type Reader = ();
    type Writer = ();

    fn reader(&self) -> &() {
        &()
    }

    fn writer(&self, _: WritePass<'_>) -> &() {
        &()
    }
}

/// Asks.
#[prompt]
fn ask(#[inject] shop: Writer<Shop>) -> String {
    let _ = shop;
    String::new()
}

/// Asks.
#[prompt]
fn ask_number(#[inject] number: u32) -> String {
    number.to_string()
}

fn main() {}
