//! Kills processes that write to a store, and checks that confirmed reports are stored.
//!
//! The test starts itself as a writer or a deleter, which prints confirmed changes until it is killed.

// A child reports confirmed changes to its parent on stdout.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use jiff::civil::{Date, date};
use weather::{City, Observation, Reports, Weather};

const ROUNDS: u32 = 40;

/// Every other round deletes the days before this date.
const CUT: Date = date(2016, 1, 1);

/// The name of the test, which a child runs.
const NAME: &str = "reports::loses_no_confirmed_report_when_killed";

/// The environment of a child: role, file and number.
const ROLE: &str = "REPORTS_TEST_ROLE";
const FILE: &str = "REPORTS_TEST_FILE";
const NUMBER: &str = "REPORTS_TEST_NUMBER";

/// A report, identified by the number of its writer and its place among the writer's reports. Every other one may be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Identity {
    writer: u32,
    place: u32,
}

/// A line of output of a child.
enum Event {
    Confirmed { identity: Identity, number: u64 },
    Deleted,
}

#[test]
fn loses_no_confirmed_report_when_killed() {
    if let Ok(role) = env::var(ROLE) {
        run_child(&role);
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("reports.jsonl");
    let reports = Reports::open(&file).unwrap();
    let mut expected = BTreeSet::new();

    for round in 0..ROUNDS {
        let deleting = round % 2 == 1;
        let confirmed = run_round(&file, round, deleting);
        expected.extend(confirmed.iter().map(|(identity, _)| *identity));
        if deleting {
            expected.retain(|identity| !identity.may_be_deleted());
        } else {
            let numbers: BTreeSet<u64> = confirmed.iter().map(|(_, number)| *number).collect();
            assert_eq!(numbers.len(), confirmed.len(), "a number was assigned twice");
        }

        // The next writer repairs the file if necessary.
        let repair = Identity { writer: 1000 + round, place: 1 };
        let receipt = reports.append(&repair.report()).unwrap();
        expected.insert(repair);

        let stored = stored(&file);
        assert_eq!(receipt.number, stored.len() as u64);
        let unique: BTreeSet<Identity> = stored.into_iter().collect();
        assert_eq!(receipt.number, unique.len() as u64, "a report is stored twice");
        let lost: Vec<_> = expected.difference(&unique).collect();
        assert!(lost.is_empty(), "lost in round {round}: {lost:?}");
        assert_unconfirmed_are_last(&unique, &confirmed);
    }

    let deleted = reports.delete_before(CUT).unwrap();
    let kept: BTreeSet<Identity> = stored(&file).into_iter().collect();
    assert_eq!(deleted.kept, kept.len() as u64);
    assert!(kept.iter().all(|identity| !identity.may_be_deleted()));
    expected.retain(|identity| !identity.may_be_deleted());
    assert!(kept.is_superset(&expected));
}

/// Asserts that at most the report after the last confirmed one of each writer is stored unconfirmed.
fn assert_unconfirmed_are_last(stored: &BTreeSet<Identity>, confirmed: &[(Identity, u64)]) {
    let last: BTreeMap<u32, u32> =
        confirmed.iter().map(|(identity, _)| (identity.writer, identity.place)).collect();
    for identity in stored {
        if let Some(place) = last.get(&identity.writer) {
            assert!(identity.place <= place + 1, "{identity:?} was not requested");
        }
    }
}

/// Runs two writers, and a deleter if `deleting`, until enough is confirmed, and kills them. Returns the confirmed reports with
/// the numbers of their receipts.
fn run_round(file: &Path, round: u32, deleting: bool) -> Vec<(Identity, u64)> {
    let writers = [2 * round, 2 * round + 1];
    let mut children = Vec::from(writers.map(|writer| Worker::start(file, "writer", writer)));
    if deleting {
        children.push(Worker::start(file, "deleter", u32::MAX));
    }
    // Each round kills another child first, while the others still work.
    let count = children.len();
    children.rotate_left(round as usize % count);

    let (sender, events) = mpsc::channel();
    for child in &mut children {
        let output = BufReader::new(child.process.stdout.take().unwrap());
        let sender = sender.clone();
        thread::spawn(move || forward_events(output, &sender));
        child.request_work(3);
    }
    drop(sender);

    let enough = 10 + round as usize % 7;
    let mut confirmed = Vec::new();
    let mut deletions = 0;
    let mut killed = false;
    // Reads until the output of every child ends, including output before the kill.
    loop {
        match events.recv_timeout(Duration::from_secs(30)) {
            Ok(Event::Confirmed { identity, number }) => {
                confirmed.push((identity, number));
                // File locks are not fair, so one writer could do all the work: each report lets the others work once.
                let others = children.iter_mut().filter(|_| !killed);
                others
                    .filter(|child| child.number != identity.writer)
                    .for_each(|child| child.request_work(1));
            }
            Ok(Event::Deleted) => deletions += 1,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the children hang"),
        }
        if !killed && confirmed.len() >= enough && (!deleting || deletions >= 3) {
            killed = true;
            for child in &mut children {
                // On Unix, this is SIGKILL.
                child.process.kill().unwrap();
            }
        }
    }
    for mut child in children {
        child.process.wait().unwrap();
    }
    assert!(killed, "the children stopped by themselves");
    confirmed
}

/// A child process, as the test sees it.
struct Worker {
    number: u32,
    process: Child,
    requests: ChildStdin,
}

impl Worker {
    fn start(file: &Path, role: &str, number: u32) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args([NAME, "--exact", "--nocapture"])
            .env(ROLE, role)
            .env(FILE, file)
            .env(NUMBER, number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self { number, requests: process.stdin.take().unwrap(), process }
    }

    /// Lets the child work this many times.
    fn request_work(&mut self, times: usize) {
        self.requests.write_all("\n".repeat(times).as_bytes()).unwrap();
    }
}

/// Runs the child: one call of the store for each request, until it is killed.
fn run_child(role: &str) -> ! {
    let reports = Reports::open(env::var(FILE).unwrap()).unwrap();
    let writer = env::var(NUMBER).unwrap().parse().unwrap();
    for (line, place) in io::stdin().lines().zip(1..) {
        line.unwrap();
        if role == "writer" {
            let identity = Identity { writer, place };
            let number = reports.append(&identity.report()).unwrap().number;
            println!("confirmed {writer} {place} {number};");
        } else if reports.delete_before(CUT).unwrap().deleted > 0 {
            println!("deleted;");
        }
    }
    panic!("the test has ended without killing its children")
}

fn forward_events(mut output: impl BufRead, events: &Sender<Event>) {
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        // The test harness may print on the same line.
        let report_line = line.trim_end().strip_suffix(';');
        let words: Vec<&str> = report_line.unwrap_or_default().split(' ').collect();
        let event = match words[..] {
            [.., "confirmed", writer, place, number] => Some(Event::Confirmed {
                identity: Identity { writer: writer.parse().unwrap(), place: place.parse().unwrap() },
                number: number.parse().unwrap(),
            }),
            [.., "deleted"] => Some(Event::Deleted),
            _ => None,
        };
        if let Some(event) = event {
            events.send(event).unwrap();
        }
        line.clear();
    }
}

/// Reads the reports of the file without the store; every line must be a complete report.
fn stored(file: &Path) -> Vec<Identity> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| Identity::of(&serde_json::from_str(line).unwrap())).collect()
}

impl Identity {
    fn may_be_deleted(self) -> bool {
        self.place.is_multiple_of(2)
    }

    /// Returns a report whose figures encode its identity.
    fn report(self) -> Observation {
        let date = if self.may_be_deleted() { date(2015, 12, 31) } else { CUT };
        Observation {
            location: City::Seattle,
            date,
            precipitation: f64::from(self.place),
            temp_max: 6.1,
            temp_min: -1.5,
            wind: f64::from(self.writer),
            weather: Weather::Fog,
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn of(report: &Observation) -> Self {
        let identity = Self { writer: report.wind as u32, place: report.precipitation as u32 };
        assert_eq!(identity.report(), *report, "not a report of this test");
        identity
    }
}
