//! Unit tests of the store; `tests/reports.rs` kills its writers.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use jiff::ToSpan;
use jiff::civil::date;
use tempfile::TempDir;

use super::*;
use crate::observation::{City, Weather};

#[test]
fn round_trips_reports_in_order() {
    let (_directory, reports) = store();
    // A number that `serde_json` gets wrong by a bit without `float_roundtrip`.
    let mut first = report(1);
    first.wind = 1.947_700_395_895_162e-169;
    assert_eq!(reports.append(&first).unwrap(), Receipt { number: 1 });
    assert_eq!(reports.append(&report(2)).unwrap(), Receipt { number: 2 });
    assert_eq!(reports.all().unwrap(), [first, report(2)]);
}

#[cfg(unix)]
#[test]
fn opens_no_pipe_and_no_device() {
    let directory = tempfile::tempdir().unwrap();
    let [pipe, device] = ["pipe", "device"].map(|name| directory.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/full", &device).unwrap();
    for path in [pipe, device] {
        let error = Reports::open(&path).unwrap_err().to_string();
        assert_eq!(error, format!("cannot open `{}`: it is not a file", path.display()));
    }
}

#[test]
fn reopens_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("missing/too/reports.jsonl");
    let reports = Reports::open(&path).unwrap();
    assert!(reports.all().unwrap().is_empty());
    reports.append(&report(1)).unwrap();

    let reopened = Reports::open(&path).unwrap();
    assert_eq!(reopened.append(&report(2)).unwrap().number, 2);
    assert_eq!(reports.all().unwrap(), [report(1), report(2)]);
}

#[test]
fn overwrites_torn_lines() {
    let (_directory, reports) = store();
    reports.append(&report(1)).unwrap();
    let mut expected = vec![report(1)];
    let line = serde_json::to_vec(&report(9)).unwrap();
    for length in 1..=line.len() {
        append_text(&reports, &line[..length]);
        assert_eq!(reports.all().unwrap(), expected);

        let number = reports.append(&report(2)).unwrap().number;
        expected.push(report(2));
        assert_eq!(number, expected.len() as u64);
        assert_eq!(reports.all().unwrap(), expected);
        let text = text(&reports);
        assert!(text.ends_with('\n') && text.lines().count() == expected.len());
    }
}

#[test]
fn recovers_from_a_file_with_one_torn_line() {
    let (_directory, reports) = store();
    append_text(&reports, b"{\"location\":\"Sea");
    assert!(reports.all().unwrap().is_empty());
    assert_eq!(reports.append(&report(1)).unwrap().number, 1);
    assert_eq!(reports.all().unwrap(), [report(1)]);
}

#[test]
fn drops_torn_lines_on_deletion() {
    let (_directory, reports) = store();
    for day in [1, 2] {
        reports.append(&report(day)).unwrap();
    }
    append_text(&reports, b"{\"location\":\"Sea");
    reports.delete_before(report(2).date).unwrap();
    assert!(text(&reports).ends_with("}\n"));
    assert_eq!(reports.all().unwrap(), [report(2)]);
}

#[test]
fn reports_corrupt_lines_without_changes() {
    let (_directory, reports) = store();
    let path = reports.file.display().to_string();
    for (corrupt, reason) in [
        (&b"{\"location\":\"Seattle\"}\n"[..], "missing field `date`"),
        (b"hail\n", "expected value"),
        (b"\n", "EOF while parsing a value"),
        (b"\xff\n", "expected value"),
    ] {
        fs::remove_file(&reports.file).unwrap();
        reports.append(&report(1)).unwrap();
        append_text(&reports, corrupt);
        append_text(&reports, &serde_json::to_vec(&report(2)).unwrap());
        append_text(&reports, b"\n{\"torn");
        let before = fs::read(&reports.file).unwrap();

        let expected = format!("line 2 of `{path}` is not a report: {reason}");
        for error in [
            reports.all().unwrap_err(),
            reports.append(&report(3)).unwrap_err(),
            reports.delete_before(report(30).date).unwrap_err(),
        ] {
            assert_eq!(error.to_string(), expected);
            assert!(matches!(error, ReportsError::Corrupt { line: 2, .. }));
        }
        assert_eq!(fs::read(&reports.file).unwrap(), before);
    }
}

#[test]
fn keeps_the_cutoff_day_and_its_bytes_on_deletion() {
    let (_directory, reports) = store();
    let custom_line = serde_json::to_string(&report(2)).unwrap();
    let custom_line = custom_line.replacen('{', "{ \"note\": \"by hand\", ", 1) + "\r\n";
    reports.append(&report(1)).unwrap();
    append_text(&reports, custom_line.as_bytes());
    reports.append(&report(1)).unwrap();

    let deleted = reports.delete_before(report(2).date).unwrap();
    assert_eq!((deleted.deleted, deleted.kept), (2, 1));
    assert_eq!(text(&reports), custom_line);

    let deleted = reports.delete_before(report(2).date).unwrap();
    assert_eq!((deleted.deleted, deleted.kept), (0, 1));
    assert_eq!(reports.append(&report(3)).unwrap().number, 2);
}

#[test]
fn ignores_leftovers_of_a_killed_deletion() {
    let (_directory, reports) = store();
    let leftover = serde_json::to_string(&report(9)).unwrap() + "\n";
    fs::write(&reports.replacement, leftover.repeat(9)).unwrap();
    for day in [1, 2] {
        reports.append(&report(day)).unwrap();
    }
    assert_eq!(reports.delete_before(report(2).date).unwrap().deleted, 1);
    assert_eq!(reports.all().unwrap(), [report(2)]);
    assert!(!reports.replacement.exists());
}

#[test]
fn rejects_values_without_json_form() {
    let (_directory, reports) = store();
    let mut broken = report(1);
    broken.wind = f64::NAN;
    assert_eq!(
        reports.append(&broken).unwrap_err().to_string(),
        "`wind` is NaN, which is not a finite number"
    );
    assert_eq!(text(&reports), "");
}

#[test]
fn numbers_concurrent_reports_uniquely() {
    let (_directory, reports) = store();
    let (threads, each) = (4, 10);
    let numbers: BTreeSet<u64> = thread::scope(|scope| {
        let writers: Vec<_> = (1..=threads)
            .map(|day| {
                let reports = reports.clone();
                let append = move || reports.append(&report(day)).unwrap().number;
                scope.spawn(move || (0..each).map(|_| append()).collect::<Vec<_>>())
            })
            .collect();
        let numbers = writers.into_iter().map(|writer| writer.join().unwrap());
        numbers.flatten().collect()
    });
    assert!(numbers.into_iter().eq(1..=40));
    assert_eq!(reports.all().unwrap().len(), 40);
}

#[test]
fn deletes_each_report_once_concurrently() {
    let (_directory, reports) = store();
    for _ in 0..10 {
        for _ in 0..4 {
            reports.append(&report(1)).unwrap();
        }
        let barrier = Barrier::new(2);
        let delete = || {
            barrier.wait();
            reports.delete_before(report(2).date).unwrap().deleted
        };
        let deleted = thread::scope(|scope| {
            let other = scope.spawn(delete);
            delete() + other.join().unwrap()
        });
        assert_eq!(deleted, 4);
    }
}

#[test]
fn reports_a_path_that_is_not_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let error = Reports::open(directory.path()).unwrap_err();
    let start = format!("cannot open `{}`: ", directory.path().display());
    assert!(error.to_string().starts_with(&start), "{error}");
    assert!(fs::read_dir(directory.path()).unwrap().next().is_none());
}

#[cfg(unix)]
#[test]
fn keeps_links_and_permissions_on_deletion() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let (directory, reports) = store();
    let link = directory.path().join("link.jsonl");
    symlink(&reports.file, &link).unwrap();
    fs::set_permissions(&reports.file, fs::Permissions::from_mode(0o600)).unwrap();
    let linked = Reports::open(&link).unwrap();
    assert_eq!(linked.lock, reports.lock);

    reports.append(&report(1)).unwrap();
    assert_eq!(linked.delete_before(report(2).date).unwrap().deleted, 1);
    assert!(link.is_symlink());
    let mode = fs::metadata(&reports.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

fn store() -> (TempDir, Reports) {
    let directory = tempfile::tempdir().unwrap();
    let reports = Reports::open(directory.path().join("reports.jsonl")).unwrap();
    (directory, reports)
}

fn report(day: i8) -> Observation {
    Observation {
        location: City::Seattle,
        date: date(2016, 1, 1) + (day - 1).days(),
        precipitation: 0.3,
        temp_max: 6.1,
        temp_min: -1.5,
        wind: 2.9,
        weather: Weather::Fog,
    }
}

fn append_text(reports: &Reports, text: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(&reports.file).unwrap();
    file.write_all(text).unwrap();
}

fn text(reports: &Reports) -> String {
    fs::read_to_string(&reports.file).unwrap()
}
