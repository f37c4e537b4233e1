use tool_core::{Context, tool};

/// Reads.
#[tool(operation = Read)]
fn read(
    #[inject]
    #[arg(default)]
    context: Context,
    /// The call.
    #[inject]
    call: Context,
    #[inject(now)] third: Context,
) {
    let _ = (context, call, third);
}

fn main() {
    let _ = read;
}
