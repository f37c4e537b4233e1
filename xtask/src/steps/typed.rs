//! The step that tests clients which third-party programs generate from our OpenAPI documents.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use crate::binaries;
use crate::clients::Clients;
use crate::environment::{Environment, OPENAPI, TYPED};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::server::Server;
use crate::steps::outside;
use crate::tally::Tally;
use crate::workspace;

/// The folder of the clients, below the root of the workspace.
const FOLDER: &str = "tests/typed";

/// The manifest of the client in Rust.
const RUST: &str = "tests/typed/rust/Cargo.toml";

/// A user of the content example with all permissions, and a token.
const TOKEN: &str = "0b7c5f1e9d2a4c68";
const TOKENS: &str = "otto 0b7c5f1e9d2a4c68\n";

/// How long a program may take to print a document.
const PRINT: Duration = Duration::from_secs(30);

/// The examples, in order of the arguments of the clients.
const EXAMPLES: [&str; 2] = ["weather", "content"];

/// Validates the documents of two examples in both versions of OpenAPI. Generates clients in TypeScript, Python and Rust, checks
/// their types, and calls tools through them.
pub(crate) fn typed(tally: &mut Tally) -> Result<(), Failure> {
    let npm = Clients::install("tests/typed/typescript")?;
    let python = Environment::install(&TYPED)?;
    let validator = Environment::install(&OPENAPI)?;
    binaries::built(EXAMPLES)?;
    let programs = Programs::new()?;
    let mut documents = Vec::new();
    for example in EXAMPLES {
        for version in ["3.1", "3.0"] {
            documents.push(programs.print_document(example, version)?);
        }
    }
    let check = validator.invocation(&workspace::root().join("tests/openapi/check.py"));
    let valid = outside::checks(check.arguments(&documents), tally);

    let servers = [programs.start("weather")?, programs.start("content")?];
    let addresses = [servers[0].address(), servers[1].address()];
    let results = [
        valid,
        typescript(&npm, addresses, tally),
        in_python(&python, &programs.folder, addresses, tally),
        rust(&programs.document("weather", "3.0"), addresses[0], tally),
    ];
    results.into_iter().collect()
}

/// The programs of the examples, and the folder for their files and for documents.
struct Programs {
    folder: PathBuf,
}

impl Programs {
    fn new() -> Result<Self, Failure> {
        let folder = binaries::path_of("openapi-clients")?;
        let tokens = folder.join("tokens");
        let write = || {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            fs::write(&tokens, TOKENS)
        };
        write().map_err(|source| file(&folder, source))?;
        Ok(Self { folder })
    }

    fn invocation(&self, example: &str) -> Result<Invocation, Failure> {
        Ok(Invocation::of(binaries::path_of(example)?)
            .folder(&self.folder)
            .env("CONTENT_DATABASE", "museum.sqlite")
            .env("CONTENT_SIGNING_KEY", "correct horse battery"))
    }

    /// Returns the path of a document.
    fn document(&self, example: &str, version: &str) -> PathBuf {
        self.folder.join(format!("{example}-{version}.json"))
    }

    /// Writes the document that a program prints.
    fn print_document(&self, example: &str, version: &str) -> Result<PathBuf, Failure> {
        let print = self.invocation(example)?.arguments(["openapi", "--version", version]).announce();
        let captured = print.capture(PRINT)?;
        if !captured.status.success() {
            eprint!("{}", captured.stderr);
            return Err(Failure::Status { command: print.to_string(), status: captured.status });
        }
        let path = self.document(example, version);
        fs::write(&path, captured.stdout).map_err(|source| file(&path, source))?;
        Ok(path)
    }

    /// Serves an example with execution.
    fn start(&self, example: &str) -> Result<Server, Failure> {
        let serve = ["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"];
        Server::start(&self.invocation(example)?.env("CONTENT_TOKENS", "tokens").arguments(serve).announce())
    }
}

/// Generates types with openapi-typescript, checks the client of `openapi-fetch` with them, and runs it.
fn typescript(npm: &Clients, addresses: [&str; 2], tally: &mut Tally) -> Result<(), Failure> {
    let folder = workspace::root().join(FOLDER).join("typescript");
    for (example, address) in EXAMPLES.iter().zip(addresses) {
        let document = format!("{address}/openapi.json");
        let types = format!("generated/{example}.d.ts");
        let generate = npm.invocation("openapi-typescript").folder(&folder);
        generate.arguments([document.as_str(), "--output", &types]).announce().run()?;
    }
    npm.invocation("tsc").folder(&folder).arguments(["--project", "."]).announce().run()?;
    let run = npm.invocation("node").folder(&folder).arguments(["client.ts"]);
    outside::checks(run.arguments(addresses).arguments([TOKEN]), tally)
}

/// Generates packages with openapi-python-client, checks them and a script with mypy, and runs the script.
fn in_python(
    python: &Environment,
    target: &Path,
    addresses: [&str; 2],
    tally: &mut Tally,
) -> Result<(), Failure> {
    let folder = workspace::root().join(FOLDER).join("python");
    let packages = EXAMPLES.map(|example| format!("{example}_client"));
    for (package, address) in packages.iter().zip(addresses) {
        let document = format!("{address}/openapi.json");
        let generate = python.program("openapi-python-client").folder(target);
        let generate = generate.arguments(["generate", "--fail-on-warning", "--meta", "none", "--overwrite"]);
        let generate = generate.arguments(["--url", &document, "--output-path", package]);
        generate.arguments(["--config".as_ref(), folder.join("config.yml").as_os_str()]).announce().run()?;
    }
    let script = folder.join("client.py");
    let check = python.program("mypy").folder(target).env("MYPYPATH", ".").arguments(["--config-file"]);
    check.arguments([&folder.join("mypy.ini"), &script]).arguments(&packages).announce().run()?;
    let run = python.invocation(&script).env("PYTHONPATH", target);
    outside::checks(run.arguments(addresses).arguments([TOKEN]), tally)
}

/// Builds the client that progenitor generates, and runs it.
fn rust(document: &Path, address: &str, tally: &mut Tally) -> Result<(), Failure> {
    let run = Invocation::cargo(["run", "--quiet", "--locked", "--manifest-path", RUST, "--", address]);
    let run = run.env("OPENAPI", document).env("CARGO_TARGET_DIR", workspace::target());
    outside::checks(run, tally)
}

fn file(path: &Path, source: io::Error) -> Failure {
    Failure::File { path: path.display().to_string(), source }
}
