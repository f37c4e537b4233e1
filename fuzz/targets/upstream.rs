//! See `fuzz::upstream`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::upstream(data));

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    fuzz::replay_arguments(fuzz::upstream)
}
