//! The figures as a table, as CSV and as a picture.

use std::fmt::Write as _;
use std::path::Path;

use crate::figures::{Figures, Sample};

/// The most rows of the table.
const ROWS: usize = 30;

const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 150.0;

/// A column of the table, and a curve of the picture.
struct Column {
    name: &'static str,
    color: &'static str,
    of: fn(&Figures) -> f64,
}

const COLUMNS: [Column; 4] = [
    Column { name: "memory (MiB)", color: "#0b6", of: |it| it.rss_kib as f64 / 1024.0 },
    Column { name: "descriptors", color: "#06c", of: |it| it.descriptors as f64 },
    Column { name: "tasks", color: "#c60", of: |it| it.tasks as f64 },
    Column { name: "threads", color: "#c06", of: |it| it.threads as f64 },
];

/// Returns at most [`ROWS`] samples as a table of text, at equal distances and with the last one.
pub(crate) fn table(samples: &[Sample]) -> String {
    let mut text = format!("{:>8} {:>9}", "time (s)", "calls");
    for column in &COLUMNS {
        let _ = write!(text, " {:>13}", column.name);
    }
    let every = samples.len().div_ceil(ROWS).max(1);
    let last = samples.len().saturating_sub(1);
    for (_, sample) in samples.iter().enumerate().filter(|(at, _)| at % every == 0 || *at == last) {
        let _ = write!(text, "\n{:>8} {:>9}", sample.at.as_secs(), sample.calls);
        for column in &COLUMNS {
            let _ = write!(text, " {:>13.0}", (column.of)(&sample.figures));
        }
    }
    text
}

/// Writes all samples as CSV.
pub(crate) fn write_csv(samples: &[Sample], path: &Path) -> anyhow::Result<()> {
    let mut file = csv::Writer::from_path(path)?;
    file.write_record(["seconds", "calls", "rss_kib", "descriptors", "tasks", "threads"])?;
    for Sample { at, calls, figures } in samples {
        let Figures { rss_kib, threads, descriptors, tasks } = figures;
        let seconds = format!("{:.1}", at.as_secs_f64());
        file.serialize((seconds, calls, rss_kib, descriptors, tasks, threads))?;
    }
    Ok(file.flush()?)
}

/// Returns a picture in SVG with one curve below the other, each from zero to its greatest value.
pub(crate) fn svg(samples: &[Sample]) -> String {
    let height = HEIGHT * COLUMNS.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let end = samples.last().map_or(1.0, |sample| sample.at.as_secs_f64().max(1.0));
    for (column, top) in COLUMNS.iter().zip((0..).map(|row| f64::from(row) * HEIGHT)) {
        let most = samples.iter().map(|sample| (column.of)(&sample.figures)).fold(1.0, f64::max);
        let (base, scale) = (top + HEIGHT - 10.0, HEIGHT - 40.0);
        let mut points = String::new();
        for sample in samples {
            let x = sample.at.as_secs_f64() / end * WIDTH;
            let y = base - (column.of)(&sample.figures) / most * scale;
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let Column { name, color, .. } = column;
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{:.0}\">{name}: at most {most:.0}, in {end:.0} s</text>\n\
             <line x1=\"0\" x2=\"{WIDTH}\" y1=\"{base}\" y2=\"{base}\" stroke=\"#ccc\"/>\n\
             <polyline fill=\"none\" stroke=\"{color}\" points=\"{}\"/>",
            top + 16.0,
            points.trim_end()
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn samples(count: u64) -> Vec<Sample> {
        let sample = |second| {
            let figures = Figures { rss_kib: 2_048 * (second + 1), threads: 3, descriptors: 20, tasks: 10 };
            Sample { at: Duration::from_secs(second), calls: second * 100, figures }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn prints_a_row_for_some_samples_and_the_last_one() {
        assert_eq!(
            table(&samples(2)),
            "time (s)     calls  memory (MiB)   descriptors         tasks       threads\n       \
                0         0             2            20            10             3\n       \
                1       100             4            20            10             3"
        );
        let long = table(&samples(1_000));
        assert!(long.lines().count() <= 2 + ROWS, "{long}");
        assert!(long.lines().last().unwrap().starts_with("     999     99900 "), "{long}");
    }

    #[test]
    fn draws_each_figure_from_zero_to_its_greatest_value() {
        let picture = svg(&samples(3));
        assert_eq!(picture.matches("<polyline").count(), COLUMNS.len());
        // A third, two thirds and all of the height.
        assert!(picture.contains("points=\"0.0,103.3 500.0,66.7 1000.0,30.0\""), "{picture}");
        assert!(svg(&[]).contains("<polyline"));
    }

    #[test]
    fn writes_all_samples_as_csv() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.csv");
        write_csv(&samples(2), &path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(
            text,
            "seconds,calls,rss_kib,descriptors,tasks,threads\n0.0,0,2048,20,10,3\n1.0,100,4096,20,10,3\n"
        );
    }
}
