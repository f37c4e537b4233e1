//! How long the command line of a thousand tools takes to start and to end, beside a program of clap that does nothing.
//!
//! The programs run one after the other, round after round, so that whatever else the machine does meets all of them.
//! The wall time is that from starting the process to its end; the processor time is that of the process, as the system
//! tells it to whoever waited for it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::cost::{self, Seconds};
use crate::error::Error;
use crate::flavor;
use crate::leaf::{self, Step};
use crate::sample::Sample;
use crate::workspace::Workspace;

/// How long a command may take, as a multiple of the empty program.
const GOAL: f64 = 1.5;
/// How many tools the small program has.
const FEW: usize = 10;

/// What was measured, and whether the goal is met.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) section: String,
    pub(crate) met: bool,
}

/// How the programs are built, and what a row of the table calls it.
const BUILDS: [(Step, &str); 3] = [
    (Step::Release, "as programs usually are"),
    (Step::Fixed, "for one address"),
    (Step::Fast, "for one address, with link-time optimization"),
];

/// Builds the programs and runs each command so many times.
pub(crate) fn measure(workspace: &Workspace, tools: usize, runs: usize) -> Result<Measured, Error> {
    let builds = Programs::of_each_build(workspace, tools)?;
    let mut section = format!(
        "Each figure is the median of {runs} runs: milliseconds of wall time, of processor time in brackets.\n\n\
         | built | command | empty program | {FEW} tools | empty = 1 | {tools} tools | empty = 1 |\n\
         |---|---|--:|--:|--:|--:|--:|\n"
    );
    let mut verdicts = String::new();
    let called = called(tools);
    let mut met = false;
    for ((_, built), programs) in BUILDS.iter().zip(&builds) {
        let mut most: f64 = 0.0;
        for words in commands(&called) {
            let row @ [empty, few, many] = programs.row(&words, runs)?;
            most = most.max(many.wall / empty.wall);
            let [few_ratio, many_ratio] = [few, many].map(|took| took.beside(empty));
            let [empty, few, many] = row.map(Took::figure);
            let command = words[..words.len().min(2)].join(" ").replace(&called, "NAME");
            let command = if words[0] == "list" { words.join(" ") } else { command };
            let _ = writeln!(
                section,
                "| {built} | `{command}` | {empty} | {few} | {few_ratio} | {many} | {many_ratio} |"
            );
        }
        // Of the last build: the one for programs that start fast.
        met = most <= GOAL;
        let verdict = if met { "met" } else { "**missed**" };
        let _ = writeln!(verdicts, "- built {built}: {verdict}, at most {most:.2}");
    }
    let _ = write!(section, "\nThe goal, {GOAL} times the wall time of the empty program:\n\n{verdicts}");
    Ok(Measured { section, met })
}

/// The tool that is called: one that both programs have.
fn called(tools: usize) -> String {
    Sample::new(tools / 2, 0).name()
}

/// The commands that are measured.
fn commands(tool: &str) -> [Vec<&str>; 3] {
    [
        vec!["list", "--format", "name"],
        vec!["info", tool],
        vec!["run", tool, "city=Oslo", "days=3", "metric=true"],
    ]
}

/// The empty program, and those of few and of many tools, which are built alike.
struct Programs([PathBuf; 3]);

impl Programs {
    fn of_each_build(workspace: &Workspace, tools: usize) -> Result<Vec<Self>, Error> {
        // A runtime of one thread, as a program has whose command line is all.
        let dependencies = "tokio = { workspace = true, features = [\"rt\"] }\n\
                            tool-cli.workspace = true\n\
                            tool-core = { workspace = true, features = [\"default\"] }\n";
        let empty = workspace.leaf(
            "cli-empty",
            "clap.workspace = true\n",
            include_str!("../support/cli_empty.rs"),
        )?;
        let program = |name: &str, numbers: &mut dyn Iterator<Item = usize>| {
            let samples: Vec<_> = numbers.map(|number| Sample::new(number, 0)).collect();
            workspace.leaf(name, dependencies, &source(&samples))
        };
        let few = program("cli-few", &mut (tools / 2..tools / 2 + FEW))?;
        let many = program("cli-many", &mut (0..tools))?;
        workspace.lock()?;
        eprintln!("building programs with {tools} tools, which takes minutes");
        let mut builds = Vec::new();
        for (step, _) in BUILDS {
            let mut programs: [PathBuf; 3] = Default::default();
            for (program, (leaf, name)) in
                programs.iter_mut().zip([(&empty, "empty"), (&few, "few"), (&many, "many")])
            {
                leaf.prepare(workspace, step)?;
                *program = leaf.install(workspace, step, &format!("{name}-{}", step.name()))?;
            }
            builds.push(Programs(programs));
        }
        for Programs(programs) in &builds {
            programs.iter().try_for_each(|program| leaf::copy_anew(program))?;
        }
        builds.iter().try_for_each(|programs| programs.answer(tools))?;
        Ok(builds)
    }

    /// What is measured does what it should: the programs answer alike, but for the number of tools.
    fn answer(&self, tools: usize) -> Result<(), Error> {
        let Programs([_, few, many]) = self;
        let called = Sample::new(tools / 2, 0);
        let answers = |program: &Path| -> Result<[String; 3], Error> {
            let [list, info, run] = commands(&called.name()).map(|words| leaf::answer_to(program, &words));
            // Where they were declared is where they differ.
            let info: String =
                info?.split_inclusive('\n').filter(|line| !line.starts_with("Source ")).collect();
            Ok([list?.lines().count().to_string(), info, run?])
        };
        let ([few_listed, few_info, few_run], [listed, info, run]) = (answers(few)?, answers(many)?);
        for (answer, expected) in [
            (few_listed, FEW.to_string()),
            (listed, tools.to_string()),
            (few_info, info.clone()),
            (few_run, run),
        ] {
            if answer != expected {
                return Err(Error::OtherAnswer { leaf: "cli".to_owned(), answer, expected });
            }
        }
        if info.contains(&called.description()) {
            return Ok(());
        }
        Err(Error::OtherAnswer { leaf: "cli".to_owned(), answer: info, expected: called.description() })
    }

    fn row(&self, words: &[&str], runs: usize) -> Result<[Took; 3], Error> {
        let mut walls: [Vec<Seconds>; 3] = Default::default();
        let mut processors: [Vec<Seconds>; 3] = Default::default();
        // The first round finds nothing in the caches.
        for round in 0..=runs {
            for (number, program) in self.0.iter().enumerate() {
                let (wall, processor) = once(Command::new(program).args(words))?;
                if round > 0 {
                    walls[number].push(wall);
                    processors[number].push(processor);
                }
            }
        }
        let median =
            |values: [Vec<Seconds>; 3]| values.map(|values| cost::median(values).unwrap_or_default());
        let (walls, processors) = (median(walls), median(processors));
        Ok(std::array::from_fn(|number| Took { wall: walls[number], processor: processors[number] }))
    }
}

/// What a command of one program takes.
#[derive(Clone, Copy)]
struct Took {
    wall: Seconds,
    processor: Seconds,
}

impl Took {
    fn figure(self) -> String {
        format!("{:.2} ({:.2})", 1e3 * self.wall, 1e3 * self.processor)
    }

    fn beside(self, empty: Took) -> String {
        format!("{:.2} ({:.2})", self.wall / empty.wall, self.processor / empty.processor)
    }
}

/// Wall and processor seconds of a command that is run to its end, and read by nobody.
fn once(command: &mut Command) -> Result<(Seconds, Seconds), Error> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let line = cost::line(command);
    let before = cost::children()?;
    let began = Instant::now();
    let status = command.status().map_err(|source| Error::Start { command: line.clone(), source })?;
    let wall = began.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Error::Command { command: line, output: status.to_string() });
    }
    Ok((wall, cost::children()? - before))
}

fn source(samples: &[Sample]) -> String {
    let program = include_str!("../support/cli.rs").replacen(
        "use tool_core::Registry;",
        "use tool_core::{Registry, tool};",
        1,
    );
    let tools = flavor::declared(samples);
    let (_, tools) = tools.split_once("\n\n").unwrap_or_default();
    format!("{program}\n{tools}")
}
