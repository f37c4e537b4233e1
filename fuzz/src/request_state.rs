//! The state of a call between its round trips.

use tool_mcp::fuzzing::Sealer;

const NAME: &str = "ask";

/// Opens a state that was changed.
///
/// The first byte chooses what the rest is: a state (0), or a change of a good one (all else): pairs of a position and a byte
/// that takes its place, where `=` at the end of the state adds to it.
///
/// - The good state is accepted for its call, and not for another name, argument or caller.
/// - No other text is accepted.
pub fn request_state(input: &[u8]) {
    thread_local! {
        static SEALED: (Sealer, String) = {
            let sealer = Sealer::new([7; 32]).expect("a key");
            let sealed = sealer.seal(NAME, b"{\"a\":1}", Some("ada")).expect("a small state");
            (sealer, sealed)
        };
    }
    let Some((choice, rest)) = input.split_first() else { return };
    SEALED.with(|(sealer, sealed)| {
        let state =
            if *choice == 0 { String::from_utf8_lossy(rest).into_owned() } else { changed(sealed, rest) };
        let is_good = state == *sealed;
        let accepts = |name, arguments, principal| sealer.accepts(&state, name, arguments, principal);
        assert_eq!(accepts(NAME, b"{ \"a\": 1 }", Some("ada")), is_good, "accepts another state: {state}");
        assert!(!accepts("add", b"{\"a\":1}", Some("ada")), "accepts a state of another tool");
        assert!(!accepts(NAME, b"{\"a\":2}", Some("ada")), "accepts a state of other arguments");
        assert!(!accepts(NAME, b"{\"a\":1}", None), "accepts a state of another caller");
    });
}

fn changed(sealed: &str, changes: &[u8]) -> String {
    let mut state = sealed.as_bytes().to_vec();
    for change in changes.chunks_exact(3) {
        let position = usize::from(u16::from_le_bytes([change[0], change[1]])) % (state.len() + 1);
        match state.get_mut(position) {
            Some(byte) => *byte = change[2],
            None => state.push(change[2]),
        }
    }
    String::from_utf8_lossy(&state).into_owned()
}
