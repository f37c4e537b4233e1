// What comes first is said, and nothing else of the same pattern.
use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(pattern = r"^\d{4}$")] digits: String,
    #[arg(pattern = r"^[\w-]+$")] in_class: String,
    #[arg(pattern = r"\S")] negated: String,
    #[arg(pattern = "^.+$")] dot: String,
    #[arg(pattern = r"\bword\b")] boundary: String,
    #[arg(pattern = "(?i)yes")] flag: String,
    #[arg(pattern = "(?P<year>[0-9]+)")] group: String,
    #[arg(pattern = r"\A[a-z]+\z")] anchor: String,
    #[arg(pattern = r"\x{41}")] hex: String,
    #[arg(pattern = "[a-z&&[^b]]")] intersection: String,
    #[arg(pattern = "[[:alpha:]]")] ascii: String,
    #[arg(pattern = r"\p{Greek}")] script: String,
    #[arg(pattern = r"a\#b")] escape: String,
    #[arg(pattern = "a**")] repeated: String,
) {
    let _ = (digits, in_class, negated, dot, boundary, flag, group, anchor, hex, intersection, ascii, script, escape, repeated);
}

fn main() {
    let _ = read;
}
