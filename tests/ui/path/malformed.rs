// That the locator is missing is not said besides.
use tool_core::tool;

/// Does it.
#[tool(operation = Read, path = "")]
fn empty(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "/node/{id}")]
fn slash_first(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/{id}/")]
fn slash_last(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node//{id}")]
fn slashes(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/../{id}")]
fn up(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "./{id}")]
fn here(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/{id")]
fn open(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/id}")]
fn closed(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/{{id}}")]
fn doubled(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/{}")]
fn nameless(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node-{id}")]
fn part(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node?id={id}")]
fn query(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node#top/{id}")]
fn fragment(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "a b/{id}")]
fn space(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "50%/{id}")]
fn percent(#[arg(locator)] id: u8) {
    let _ = id;
}

fn main() {
    let _ = empty;
    let _ = slash_first;
    let _ = slash_last;
    let _ = slashes;
    let _ = up;
    let _ = here;
    let _ = open;
    let _ = closed;
    let _ = doubled;
    let _ = nameless;
    let _ = part;
    let _ = query;
    let _ = fragment;
    let _ = space;
    let _ = percent;
}
