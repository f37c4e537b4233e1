//! Compares the answers to a thousand sequences of messages with recorded ones, over both transports and in both
//! eras.
//!
//! `answers.txt` holds the transcripts. `TOOL_MCP_RECORD=1 cargo test -p tool-mcp differential` records them again:
//! review the diff before you commit it.

mod generator;
mod sequences;
mod tools;
mod transcript;

use std::fmt::Write as _;

use generator::generated;
use sequences::{Sequence, fixed};
use transcript::Transcript;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/answers.txt");

/// The longest answer, in bytes, that is recorded in full.
const LONGEST: usize = 600;

#[test]
fn answers_every_sequence_as_before() {
    let sequences: Vec<Sequence> = fixed().into_iter().chain(generated(1_000)).collect();
    let mut text = String::new();
    for (number, sequence) in sequences.iter().enumerate() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let transcript = runtime.block_on(Transcript::new(sequence));
        writeln!(text, "== {number} {}\n{}", sequence.name, transcript.text).unwrap();
    }
    if std::env::var_os("TOOL_MCP_RECORD").is_some() {
        std::fs::write(ANSWERS, &text).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(ANSWERS).unwrap();
    let mut sequence = "";
    for (expected, actual) in recorded.lines().zip(text.lines()) {
        if actual.starts_with("== ") {
            sequence = actual;
        }
        assert_eq!(actual, expected, "in the sequence `{sequence}`");
    }
    assert_eq!(text.lines().count(), recorded.lines().count());
}

/// Reduces a long answer to its beginning, length and hash.
fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let end = text.floor_char_boundary(200);
    format!("{}… {} bytes, {hash:016x}", &text[..end], text.len())
}
