//! What tasks take: how many a second, how long one takes, and what an idle worker costs, with few and with very many stored.
//!
//! What is measured is in `support/tasks`: the program runs tasks over an engine, and is a process of its own each time. The
//! stored tasks are copies of one that has ended, made in the database before each round.

mod database;
mod postgres_server;

use std::fmt::Write as _;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cost;
use crate::error::Error;
use crate::leaf::Step;
use crate::tasks::database::{Database, Idle, Kind};
use crate::tasks::postgres_server::PostgresServer;
use crate::workspace::{self, Workspace};

/// How many tasks are stored.
const STORED: [usize; 3] = [1, 1_000, 100_000];
/// How many tasks are run at once, one after another, and by another process, and how often tasks are listed.
const BUSY: usize = 1_000;
const HERE: usize = 200;
const REMOTE: usize = 50;
const LISTS: usize = 100;

/// Twice what the first sketch of the engines did.
const PER_SECOND: [f64; 2] = [2.0 * 279.0, 2.0 * 209.0];
/// Milliseconds of one task, half of them.
const MIDDLE: f64 = 20.0;
/// What part of a core an idle worker may take.
const IDLE: f64 = 0.05;
/// By how much a figure may be worse with the most tasks than with the fewest: two runs differ as much.
const TOLERANCE: f64 = 1.5;

/// What was measured of one database with one number of stored tasks.
#[derive(Debug, Default)]
struct Figures {
    per_second: Vec<f64>,
    /// Of the processor, of one of many tasks.
    milliseconds: Vec<f64>,
    here: Vec<f64>,
    remote: Vec<f64>,
    lists: Vec<f64>,
    idle: Vec<Idle>,
}

impl Figures {
    fn add(&mut self, database: &Database<'_>, stored: usize) -> Result<(), Error> {
        fill(database, stored)?;
        let (per_second, seconds) = database.report_with_cost("busy", BUSY)?;
        self.per_second.push(per_second);
        self.milliseconds.push(seconds * 1e3 / BUSY as f64);
        fill(database, stored)?;
        self.here.extend(database.report::<Vec<f64>>("here", HERE)?);
        self.remote.extend(database.remote(REMOTE)?);
        self.lists.extend(database.report::<Vec<f64>>("list", LISTS)?);
        self.idle.push(database.idle()?);
        Ok(())
    }
}

/// Leaves the stored tasks, and no other ones.
fn fill(database: &Database<'_>, stored: usize) -> Result<(), Error> {
    let left: usize = database.report("fill", stored)?;
    if left == stored {
        return Ok(());
    }
    let (answer, expected) = (left.to_string(), stored.to_string());
    Err(Error::OtherAnswer { leaf: "tasks".to_owned(), answer, expected })
}

/// Builds the program, and measures so many rounds, in which the databases take turns.
pub(crate) fn measure(workspace: &Workspace, rounds: usize) -> Result<String, Error> {
    let program = build(workspace)?;
    let folder = tempfile::tempdir().map_err(|source| Error::io("a temporary folder", source))?;
    let server = PostgresServer::start()?;
    let mut measured: [[Figures; 3]; 2] = Default::default();
    let databases = databases(&program, &folder, &server)?;
    let began = load()?;
    for round in 1..=rounds {
        for (kind, (databases, figures)) in Kind::ALL.iter().zip(databases.iter().zip(&mut measured)) {
            for (stored, (database, figures)) in STORED.iter().zip(databases.iter().zip(figures)) {
                eprintln!("round {round} of {rounds}: {}, {stored} stored tasks", kind.name());
                figures.add(database, *stored)?;
            }
        }
    }
    let versions = [workspace.version("libsqlite3-sys")?, server.version()?];
    Ok(section(&measured, rounds, &versions, &[began, load()?]))
}

/// How many processes ran or waited for a core in the last minute.
fn load() -> Result<String, Error> {
    let text = workspace::read("/proc/loadavg".as_ref())?;
    Ok(text.split(' ').next().unwrap_or_default().to_owned())
}

fn build(workspace: &Workspace) -> Result<PathBuf, Error> {
    let dependencies = "serde_json.workspace = true\n\
                        sqlx.workspace = true\n\
                        tokio = { workspace = true, features = [\"macros\", \"rt-multi-thread\", \"time\"] }\n\
                        tokio-util.workspace = true\n\
                        tool-core = { workspace = true, features = [\"default\", \"tasks\"] }\n\
                        tool-tasks = { workspace = true, features = [\"postgres\"] }\n";
    let leaf = workspace.leaf("tasks", dependencies, &source())?;
    workspace.lock()?;
    eprintln!("building the program, which takes minutes");
    leaf.prepare(workspace, Step::Release)?;
    Ok(leaf.program(workspace))
}

fn source() -> String {
    let (program, stored) =
        (include_str!("../support/tasks/program.rs"), include_str!("../support/tasks/stored.rs"));
    format!("{program}\nmod stored {{\n{stored}}}\n")
}

/// A database for each kind and number of stored tasks.
fn databases<'a>(
    program: &'a PathBuf,
    folder: &TempDir,
    server: &'a PostgresServer,
) -> Result<[Vec<Database<'a>>; 2], Error> {
    let sqlite = STORED.map(|stored| {
        let path = folder.path().join(format!("{stored}.db"));
        Database { program, address: path.display().to_string(), server: None }
    });
    let postgres = STORED.map(|stored| {
        let address = server.create(&format!("stored{stored}"))?;
        Ok(Database { program, address, server: Some(server) })
    });
    Ok([sqlite.into(), postgres.into_iter().collect::<Result<_, _>>()?])
}

/// One line of a table: its name, how it is read off the figures, and its goal.
struct Row {
    name: &'static str,
    figure: fn(&Figures) -> f64,
    goal: Option<Goal>,
    /// Whether more is better.
    is_rate: bool,
    /// Differences below this are none.
    least: f64,
}

#[derive(Clone, Copy)]
enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    fn is_met(self, figure: f64) -> bool {
        match self {
            Goal::AtLeast(goal) => figure >= goal,
            Goal::AtMost(goal) => figure <= goal,
        }
    }

    fn shown(self) -> String {
        match self {
            Goal::AtLeast(goal) => format!("at least {goal:.0}"),
            Goal::AtMost(goal) => format!("at most {goal:.0}"),
        }
    }
}

fn rows(kind: Kind) -> Vec<Row> {
    let per_second = Goal::AtLeast(PER_SECOND[usize::from(kind == Kind::Postgres)]);
    let time = |name, figure, goal: Option<f64>| Row {
        name,
        figure,
        goal: goal.map(Goal::AtMost),
        is_rate: false,
        least: 1.0,
    };
    let mut rows = vec![
        Row {
            name: "tasks a second, 32 callers",
            figure: |figures| middle(&figures.per_second),
            goal: Some(per_second),
            is_rate: true,
            least: 0.0,
        },
        Row {
            least: 0.2,
            ..time("processor time of each, ms", |figures| middle(&figures.milliseconds), None)
        },
        time("one task, half of them, ms", |figures| part(&figures.here, 50), Some(MIDDLE)),
        time("one task, 95 of 100, ms", |figures| part(&figures.here, 95), None),
        time("one task of another process, half of them, ms", |figures| part(&figures.remote, 50), None),
        time("one task of another process, 95 of 100, ms", |figures| part(&figures.remote, 95), None),
        time("a list of 50, half of them, ms", |figures| part(&figures.lists, 50), None),
        time(
            "idle worker, % of a core",
            |figures| 100.0 * idle(figures, |idle| idle.worker),
            Some(100.0 * IDLE),
        ),
    ];
    if kind == Kind::Postgres {
        rows.push(time("its server, % of a core", |figures| 100.0 * idle(figures, |idle| idle.server), None));
    }
    rows
}

fn middle(values: &[f64]) -> f64 {
    cost::median(values.to_vec()).unwrap_or_default()
}

fn idle(figures: &Figures, part: fn(&Idle) -> f64) -> f64 {
    middle(&figures.idle.iter().map(part).collect::<Vec<_>>())
}

/// The value that so many of a hundred do not exceed.
fn part(values: &[f64], hundredths: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let position = (values.len() * hundredths).div_ceil(100).saturating_sub(1);
    values.get(position).copied().unwrap_or_default()
}

fn section(
    measured: &[[Figures; 3]; 2],
    rounds: usize,
    [sqlite, postgres]: &[String; 2],
    [began, ended]: &[String; 2],
) -> String {
    let mut text = format!(
        "Over {rounds} rounds, with SQLite of libsqlite3-sys {sqlite} (`synchronous=FULL`) and PostgreSQL {postgres} \
         (its own settings), on one machine with {} cores. Its load was {began} at its start and {ended} when it ended, of which \
         this run makes about 2.\n",
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    );
    let mut notes = Vec::new();
    for (kind, figures) in Kind::ALL.into_iter().zip(measured) {
        text += &table(kind, figures, &mut notes);
    }
    match notes.is_empty() {
        true => text + "\nEvery goal is met, and no figure grows with what is stored.\n",
        false => format!("{text}\n**Missed**:\n\n- {}\n", notes.join("\n- ")),
    }
}

fn table(kind: Kind, figures: &[Figures; 3], notes: &mut Vec<String>) -> String {
    let titles = STORED.map(|stored| format!("{stored} stored")).join(" | ");
    let mut text = format!("\n| {} | {titles} | goal |\n|---|--:|--:|--:|--:|\n", kind.name());
    for Row { name, figure, goal, is_rate, least } in rows(kind) {
        let values = [&figures[0], &figures[1], &figures[2]].map(figure);
        let shown = values.map(shown);
        let aim = goal.map_or_else(|| "–".to_owned(), Goal::shown);
        let _ = writeln!(text, "| {name} | {} | {aim} |", shown.join(" | "));
        if let Some(goal) = goal
            && let Some(missed) = values.into_iter().position(|value| !goal.is_met(value))
        {
            notes.push(format!("{}, {name}: {}, and not {aim}", kind.name(), shown[missed]));
        }
        let [few, .., many] = values;
        let (better, worse) = if is_rate { (many, few) } else { (few, many) };
        if worse > better * TOLERANCE && worse - better > least {
            notes.push(format!(
                "{}, {name}: worse with more stored, {} and {}",
                kind.name(),
                shown[0],
                shown[2]
            ));
        }
    }
    text
}

fn shown(figure: f64) -> String {
    match figure {
        100.0.. => format!("{figure:.0}"),
        10.0..100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(per_second: [f64; 3], milliseconds: [f64; 3]) -> [[Figures; 3]; 2] {
        let figures = |number: usize| Figures {
            per_second: vec![per_second[number]],
            here: vec![milliseconds[number]; 3],
            idle: vec![Idle { worker: 0.01, server: 0.02 }],
            ..Figures::default()
        };
        [(); 2].map(|()| [0, 1, 2].map(figures))
    }

    fn text(per_second: [f64; 3], milliseconds: [f64; 3]) -> String {
        section(
            &measured(per_second, milliseconds),
            1,
            &["0.1.0", "15.0"].map(str::to_owned),
            &["1.0", "2.0"].map(str::to_owned),
        )
    }

    #[test]
    fn names_missed_goals_and_growth() {
        let good = text([600.0; 3], [3.0; 3]);
        assert!(good.contains("| tasks a second, 32 callers | 600 | 600 | 600 | at least 558 |"), "{good}");
        assert!(good.contains("| its server, % of a core | 2.00 | 2.00 | 2.00 | – |"), "{good}");
        assert!(good.ends_with("\nEvery goal is met, and no figure grows with what is stored.\n"), "{good}");
        let slow = text([600.0, 500.0, 300.0], [3.0, 3.0, 21.0]);
        for note in [
            "- SQLite, tasks a second, 32 callers: 500, and not at least 558",
            "- SQLite, tasks a second, 32 callers: worse with more stored, 600 and 300",
            "- PostgreSQL, one task, half of them, ms: 21.0, and not at most 20",
            "- PostgreSQL, one task, half of them, ms: worse with more stored, 3.00 and 21.0",
        ] {
            assert!(slow.contains(note), "{slow}");
        }
        // Less than a millisecond is no growth.
        assert!(!text([600.0; 3], [0.3, 0.3, 0.9]).contains("worse with more"));
    }

    #[test]
    fn finds_the_value_that_a_part_does_not_exceed() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!((part(&values, 50), part(&values, 95), part(&[], 95)), (100.0, 190.0, 0.0));
    }
}
