use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(_a1: u8, _a2: u8, _a3: u8, _a4: u8, _a5: u8, _a6: u8, _a7: u8, _a8: u8, _a9: u8, _a10: u8, _a11: u8, _a12: u8, _a13: u8, _a14: u8, _a15: u8, _a16: u8, _a17: u8, _a18: u8, _a19: u8, _a20: u8, _a21: u8, _a22: u8, _a23: u8, _a24: u8, _a25: u8, _a26: u8, _a27: u8, _a28: u8, _a29: u8, _a30: u8, _a31: u8, _a32: u8, _a33: u8, _a34: u8, _a35: u8, _a36: u8, _a37: u8, _a38: u8, _a39: u8, _a40: u8, _a41: u8, _a42: u8, _a43: u8, _a44: u8, _a45: u8, _a46: u8, _a47: u8, _a48: u8, _a49: u8, _a50: u8, _a51: u8, _a52: u8, _a53: u8, _a54: u8, _a55: u8, _a56: u8, _a57: u8, _a58: u8, _a59: u8, _a60: u8, _a61: u8, _a62: u8, _a63: u8, _a64: u8, _a65: u8, ) {}

fn main() {
    let _ = read;
}
