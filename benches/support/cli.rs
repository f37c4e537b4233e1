//! The command line of every linked tool, as an application writes it.

use std::process::ExitCode;

use tool_cli::App;
use tool_core::Registry;

fn main() -> ExitCode {
    let registry = match Registry::collect() {
        Ok(registry) => registry,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build();
    App::new("cli", registry).version("1.0.0").about("A thousand tools").run_on(runtime)
}
