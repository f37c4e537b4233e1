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
use crate::flavour;
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

/// Builds the programs and runs each command so many times.
pub(crate) fn measure(workspace: &Workspace, tools: usize, runs: usize) -> Result<Measured, Error> {
    let programs = Programs::new(workspace, tools)?;
    let mut section = format!(
        "Each figure is the median of {runs} runs: milliseconds of wall time, of processor time in brackets.\n\n\
         | command | empty program | {FEW} tools | empty = 1 | {tools} tools | empty = 1 | fast: empty program | \
         fast: {tools} tools | empty = 1 |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let mut met = [true; 2];
    let called = Sample::new(tools / 2, 0).name();
    for words in commands(&called) {
        let row = programs.row(&words, runs)?;
        let [empty, few, many, fast_empty, fast] = row.map(Column::figure);
        let [_, few_ratio, many_ratio, _, fast_ratio] = row.map(Column::ratios);
        met[0] &= row[2].ratio <= GOAL;
        met[1] &= row[4].ratio <= GOAL;
        let command = words[..words.len().min(2)].join(" ").replace(&called, "NAME");
        let command = if words[0] == "list" { words.join(" ") } else { command };
        let _ = writeln!(
            section,
            "| `{command}` | {empty} | {few} | {few_ratio} | {many} | {many_ratio} | {fast_empty} | {fast} | {fast_ratio} |"
        );
    }
    let [usual, fast] = met.map(|met| if met { "met" } else { "**missed**" });
    let _ = writeln!(
        section,
        "\nThe goal of at most {GOAL} times the wall time of the empty program is {usual} as programs are usually built.\n\n\
         It is {fast} where both programs are built in the profile for a fast start."
    );
    Ok(Measured { section, met: met[0] })
}

/// The commands that are measured.
fn commands(tool: &str) -> [Vec<&str>; 3] {
    [
        vec!["list", "--format", "name"],
        vec!["info", tool],
        vec!["run", tool, "city=Oslo", "days=3", "metric=true"],
    ]
}

/// The empty program, those of few and of many tools, and the first and the last again in the profile for a fast start.
struct Programs([PathBuf; 5]);

/// The empty program that each of them is compared with.
const EMPTY: [usize; 5] = [0, 0, 0, 3, 3];

impl Programs {
    fn new(workspace: &Workspace, tools: usize) -> Result<Self, Error> {
        let dependencies = "tokio = { workspace = true, features = [\"macros\", \"rt-multi-thread\"] }\n\
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
        // The tool that is called is in both.
        let few = program("cli-few", &mut (tools / 2..tools / 2 + FEW))?;
        let many = program("cli-many", &mut (0..tools))?;
        workspace.lock()?;
        eprintln!("building a program with {tools} tools, which takes minutes");
        let built = [
            (&empty, Step::Release, "empty"),
            (&few, Step::Release, "few"),
            (&many, Step::Release, "many"),
            (&empty, Step::Fast, "empty-fast"),
            (&many, Step::Fast, "many-fast"),
        ];
        for (leaf, step, _) in built {
            leaf.prepare(workspace, step)?;
        }
        // Copied together: what was copied long ago takes more page faults to load.
        let mut programs: [PathBuf; 5] = Default::default();
        for (program, (leaf, step, name)) in programs.iter_mut().zip(built) {
            *program = leaf.install(workspace, step, name)?;
        }
        let programs = Programs(programs);
        programs.answer(tools)?;
        Ok(programs)
    }

    /// What is measured does what it should: the programs answer alike, but for the number of tools.
    fn answer(&self, tools: usize) -> Result<(), Error> {
        let called = Sample::new(tools / 2, 0);
        let answers = |program: &Path| -> Result<[String; 3], Error> {
            let [list, info, run] = commands(&called.name()).map(|words| leaf::answer_to(program, &words));
            // Where they were declared is where they differ.
            let info: String =
                info?.split_inclusive('\n').filter(|line| !line.starts_with("Source ")).collect();
            Ok([list?.lines().count().to_string(), info, run?])
        };
        let [_, few, many, _, fast] = &self.0;
        let ([few_listed, few_info, few_run], [listed, info, run]) = (answers(few)?, answers(many)?);
        let [fast_listed, fast_info, fast_run] = answers(fast)?;
        for (answer, expected) in [
            (few_listed, FEW.to_string()),
            (listed.clone(), tools.to_string()),
            (few_info, info.clone()),
            (few_run, run.clone()),
            (fast_listed, listed),
            (fast_info, info.clone()),
            (fast_run, run),
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

    fn row(&self, words: &[&str], runs: usize) -> Result<[Column; 5], Error> {
        let mut walls: [Vec<Seconds>; 5] = Default::default();
        let mut processors: [Vec<Seconds>; 5] = Default::default();
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
            |values: [Vec<Seconds>; 5]| values.map(|values| cost::median(values).unwrap_or_default());
        let (walls, processors) = (median(walls), median(processors));
        let column = |number: usize| Column {
            wall: walls[number],
            processor: processors[number],
            ratio: walls[number] / walls[EMPTY[number]],
            processor_ratio: processors[number] / processors[EMPTY[number]],
        };
        Ok(std::array::from_fn(column))
    }
}

/// What a command of one program takes.
#[derive(Clone, Copy)]
struct Column {
    wall: Seconds,
    processor: Seconds,
    ratio: f64,
    processor_ratio: f64,
}

impl Column {
    fn figure(self) -> String {
        format!("{:.2} ({:.2})", 1e3 * self.wall, 1e3 * self.processor)
    }

    fn ratios(self) -> String {
        format!("{:.2} ({:.2})", self.ratio, self.processor_ratio)
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
    let tools = flavour::declared(samples);
    let (_, tools) = tools.split_once("\n\n").unwrap_or_default();
    format!("{program}\n{tools}")
}
