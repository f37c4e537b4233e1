//! The step that tests our servers with third-party clients.

use std::path::{Path, PathBuf};

use crate::binaries;
use crate::clients::Clients;
use crate::environment::{Environment, FASTMCP_2, FASTMCP_4, MCP_1, ONETOOL, Requirements};
use crate::failure::Failure;
use crate::inspector::{Era, Inspection, Question, Transport};
use crate::process::Invocation;
use crate::server::Server;
use crate::table::Table;
use crate::tally::Tally;
use crate::workspace;

/// An MCP server of ours.
struct Example {
    name: &'static str,
    /// The arguments for cargo to build it.
    build: [&'static str; 2],
    /// The folder of the program, below that of xtask.
    folder: &'static str,
    /// The arguments to serve stdio, and the additional ones for HTTP on a free port.
    serve: &'static [&'static str],
    addr: &'static [&'static str],
    /// Environment variables: [`ROOT`] and [`PROGRAMS`] stand for folders.
    variables: &'static [(&'static str, &'static str)],
    /// Commands to run before it.
    prepare: &'static [&'static [&'static str]],
    questions: &'static [Question],
}

/// A placeholder for the folder of the workspace.
const ROOT: &str = "{root}";

/// A placeholder for the folder of the programs.
const PROGRAMS: &str = "{programs}";

/// The servers tested with the MCP Inspector, in both eras over both transports: it lists their tools and must not report any
/// problem.
const EXAMPLES: [Example; 7] = [
    Example::new("weather", &Question::WEATHER),
    Example::new("onetool", &Question::ONETOOL),
    Example {
        // A user with all permissions, and the key that signing tools require.
        variables: &[
            ("CONTENT_DATABASE", "museum.sqlite"),
            ("CONTENT_SIGNING_KEY", "correct horse battery"),
            ("CONTENT_USER", "otto"),
        ],
        ..Example::new("content", &Question::CONTENT)
    },
    Example {
        // Nothing is called, so that no services or keys are needed.
        variables: &[("CATALOGUE_DATABASE", "catalogue.sqlite"), ("CATALOGUE_LOOPBACK", "allow")],
        prepare: &[
            &[
                "run",
                "import_catalogue",
                "--yes",
                "--input-json",
                "@{root}/examples/catalogue/seed/demo.json",
            ],
            &[
                "run",
                "import_catalogue",
                "--yes",
                "--input-json",
                "@{root}/examples/catalogue/seed/public.json",
            ],
        ],
        ..Example::new("catalogue", &Question::CATALOGUE)
    },
    Example { variables: &GATEWAY, ..Example::new("gateway", &Question::GATEWAY_TWO_STEPS) },
    Example {
        serve: &["serve", "mcp", "--discovery", "direct"],
        variables: &GATEWAY,
        ..Example::new("gateway", &Question::GATEWAY)
    },
    Example {
        name: "thousand",
        build: ["--example", "thousand"],
        folder: "examples",
        serve: &[],
        addr: &["127.0.0.1:0"],
        variables: &[],
        prepare: &[],
        questions: &Question::TWO_STEPS,
    },
];

/// The other examples, as its servers.
const GATEWAY: [(&str, &str); 2] =
    [("GATEWAY_CONFIG", "{root}/examples/gateway/gateway.json"), ("GATEWAY_PROGRAMS", PROGRAMS)];

/// A server with every feature.
const FIXTURE: Example = Example::new("fixture-clients", &Question::FIXTURE);

/// The Python clients: a folder with a script, and its requirements.
const PYTHON: [(&str, Requirements); 4] =
    [("mcp2", ONETOOL), ("mcp1", MCP_1), ("fastmcp4", FASTMCP_4), ("fastmcp2", FASTMCP_2)];

impl Example {
    const fn new(name: &'static str, questions: &'static [Question]) -> Self {
        let (serve, addr): (&[_], &[_]) = (&["serve", "mcp"], &["--addr", "127.0.0.1:0"]);
        Example {
            name,
            build: ["--bin", name],
            folder: "",
            serve,
            addr,
            variables: &[],
            prepare: &[],
            questions,
        }
    }

    fn program(&self) -> Result<PathBuf, Failure> {
        Ok(binaries::path_of(self.folder)?.join(format!("{}{}", self.name, std::env::consts::EXE_SUFFIX)))
    }

    /// What is to be in its environment.
    fn environment(&self) -> Result<Vec<(&'static str, String)>, Failure> {
        self.variables.iter().map(|(name, value)| Ok((*name, placed(value)?))).collect()
    }

    /// Returns the name, with options that change the tools.
    fn label(&self) -> String {
        let [name, options] =
            [&[self.name], self.serve.get(2..).unwrap_or_default()].map(|words| words.join(" "));
        if options.is_empty() { name } else { format!("{name} {options}") }
    }

    /// Returns an invocation with some arguments, in a folder for its files.
    fn invocation(&self, program: &Path, folder: &Path) -> Result<Invocation, Failure> {
        let invocation = Invocation::of(program).folder(folder);
        let environment = self.environment()?.into_iter();
        Ok(environment.fold(invocation, |invocation, (name, value)| invocation.env(name, value)))
    }

    /// Runs the preparations, then the server over HTTP.
    fn start(&self, program: &Path, folder: &Path) -> Result<Server, Failure> {
        for arguments in self.prepare {
            let arguments = arguments.iter().map(|argument| placed(argument));
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            self.invocation(program, folder)?.arguments(arguments).announce().run()?;
        }
        let serve = self.invocation(program, folder)?.arguments(self.serve).arguments(self.addr);
        Server::start(&serve.announce())
    }
}

/// Tests the examples with the inspector, and the fixture with every client, and fills the table.
pub(crate) fn clients(tally: &mut Tally) -> Result<(), Failure> {
    let npm = Clients::install("tests/clients")?;
    let environments = PYTHON.map(|(folder, required)| (folder, Environment::install(&required)));
    let programs = EXAMPLES.iter().chain([&FIXTURE]).flat_map(|example| example.build);
    binaries::build().arguments(programs).announce().run()?;
    let mut table = Table::default();
    for example in &EXAMPLES {
        inspect(&npm, example, tally, &mut |_, _, _| true)?;
    }
    inspect(&npm, &FIXTURE, tally, &mut |row, column, passed| table.note(row, column, passed))?;

    let program = FIXTURE.program()?;
    let server = FIXTURE.start(&program, &workspace::root())?;
    let endpoint = format!("{}/mcp", server.address());
    let folder = workspace::root().join("tests/clients");
    let node = |script: &str| npm.invocation("node").arguments([folder.join("typescript").join(script)]);
    let mut scripts = vec![node("client.mjs"), node("tasks.mjs")];
    for (name, environment) in environments {
        scripts.push(environment?.invocation(&folder.join(name).join("client.py")));
    }
    let mut broken = None;
    for script in scripts {
        let script = script.arguments([&program]).arguments([&endpoint]).announce();
        let result = script.run_reading(|line| {
            if let Some(passed) = table.note_line(line) {
                tally.count(passed);
            }
        });
        broken = broken.or(result.err());
    }
    for gap in table.gaps() {
        println!("{gap} ... FAILED\nnobody tried it, and no remark says why");
        tally.count(false);
    }
    let result = table.write();
    match tally.failed {
        0 => broken.map_or(result, Err),
        failed => Err(Failure::Checks(failed)),
    }
}

/// Sends all requests for an example.
fn inspect(
    npm: &Clients,
    example: &Example,
    tally: &mut Tally,
    note: &mut dyn FnMut(&str, &str, bool) -> bool,
) -> Result<(), Failure> {
    // The state of the inspector and of the examples belongs in the target folder.
    let storage = binaries::path_of("inspector")?;
    let _ = std::fs::remove_dir_all(&storage);
    std::fs::create_dir_all(&storage)
        .map_err(|source| Failure::File { path: storage.display().to_string(), source })?;
    let program = example.program()?;
    let server = example.start(&program, &storage)?;
    let endpoint = format!("{}/mcp", server.address());
    let (environment, label) = (example.environment()?, example.label());
    let variables: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let stdio = Transport::Stdio { program: &program, arguments: example.serve, variables: &variables };
    for era in [Era::Modern, Era::Legacy] {
        for transport in [stdio, Transport::Http(&endpoint)] {
            for &question in example.questions {
                let inspection = Inspection { server: &label, era, transport, question };
                let result = inspection.run(npm, &storage);
                let noted = note(&inspection.row(), question.column, result.is_ok());
                tally.count(result.is_ok() && noted);
                match result {
                    Ok(()) => println!("{inspection} ... ok"),
                    Err(fault) => println!("{inspection} ... FAILED\n{fault}"),
                }
            }
        }
    }
    Ok(())
}

/// Replaces the placeholders in a text.
fn placed(text: &str) -> Result<String, Failure> {
    let programs = binaries::path_of("a program")?.parent().map(|folder| folder.display().to_string());
    let root = workspace::root().display().to_string();
    Ok(text.replace(ROOT, &root).replace(PROGRAMS, &programs.unwrap_or_default()))
}
