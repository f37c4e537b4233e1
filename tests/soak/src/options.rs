//! The arguments of the program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};

/// What the command line says.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// How long clients send requests.
    pub(crate) time: Duration,
    /// The seed of all random choices.
    pub(crate) seed: u64,
    /// Where the log and the figures are stored.
    pub(crate) folder: PathBuf,
}

impl Options {
    /// Parses `--minutes N [--seed S] [--folder PATH]`. By default, the seed is random and the folder is `target/soak`.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let (mut minutes, mut seed) = (None, fastrand::u64(..));
        let mut folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/soak");
        let mut arguments = arguments;
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("`{name}` needs a value"))?;
            match name.as_str() {
                "--minutes" => {
                    let number = value.parse().ok().filter(|number| (0.1..=1e5).contains(number));
                    minutes = Some(number.with_context(|| format!("`{value}` is not a number of minutes"))?);
                }
                "--seed" => seed = value.parse().with_context(|| format!("`{value}` is not a seed"))?,
                "--folder" => folder = value.into(),
                _ => {
                    bail!("there is no option `{name}`; the options are `--minutes`, `--seed` and `--folder`")
                }
            }
        }
        let minutes: f64 = minutes.context("`--minutes N` is missing")?;
        Ok(Self { time: Duration::from_secs_f64(minutes * 60.0), seed, folder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn accepts_minutes_a_seed_and_a_folder() {
        let expected = Options { time: Duration::from_secs(90), seed: 7, folder: PathBuf::from("a") };
        assert_eq!(parse("--seed 7 --minutes 1.5 --folder a").unwrap(), expected);
        let usual = parse("--minutes 60").unwrap();
        assert_eq!(usual.time, Duration::from_secs(3_600));
        assert!(usual.folder.ends_with("target/soak"), "{usual:?}");
    }

    #[test]
    fn rejects_other_arguments() {
        for (line, expected) in [
            ("", "`--minutes N` is missing"),
            ("--minutes", "`--minutes` needs a value"),
            ("--minutes soon", "`soon` is not a number of minutes"),
            ("--minutes -1", "`-1` is not a number of minutes"),
            ("--minutes NaN", "`NaN` is not a number of minutes"),
            ("--minutes 1 --seed x", "`x` is not a seed"),
            (
                "--hours 1",
                "there is no option `--hours`; the options are `--minutes`, `--seed` and `--folder`",
            ),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), expected, "{line}");
        }
    }
}
