//! What the compiler says about a declaration that is wrong: one file a mistake, beside it the message.
//!
//! `README.md` in this folder says how a case is added and what a message must be.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    for kind in [
        "attribute",
        "path",
        "signature",
        "inputs",
        "constraints",
        "types",
        "listing",
        "methods",
        "prompt",
        "features",
        "several",
    ] {
        cases.compile_fail(format!("{kind}/*.rs"));
    }
}
