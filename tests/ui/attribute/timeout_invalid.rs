use tool_core::tool;

/// Does it.
#[tool(operation = Read, timeout = "30")]
async fn no_unit() {}

/// Does it.
#[tool(operation = Read, timeout = "s")]
async fn no_number() {}

/// Does it.
#[tool(operation = Read, timeout = "1.5s")]
async fn fraction() {}

/// Does it.
#[tool(operation = Read, timeout = "30 s")]
async fn space() {}

/// Does it.
#[tool(operation = Read, timeout = "30sec")]
async fn unit() {}

/// Does it.
#[tool(operation = Read, timeout = "-1s")]
async fn negative() {}

/// Does it.
#[tool(operation = Read, timeout = "0s")]
async fn zero() {}

/// Does it.
#[tool(operation = Read, timeout = "99999999999999999999s")]
async fn long() {}

/// Does it.
#[tool(operation = Read, timeout = "99999999999999999h")]
async fn longer() {}

/// Does it.
#[tool(operation = Read, timeout = 30)]
async fn number() {}

fn main() {
    let _ = no_unit;
    let _ = no_number;
    let _ = fraction;
    let _ = space;
    let _ = unit;
    let _ = negative;
    let _ = zero;
    let _ = long;
    let _ = longer;
    let _ = number;
}
