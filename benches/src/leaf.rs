//! One generated crate, and what building it costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::cost::{self, Seconds};
use crate::error::Error;
use crate::workspace::{self, Workspace};

/// What cargo is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Check,
    Debug,
    Release,
    /// A release build that is loaded at one address, and so need not be adapted to it: see `docs/src/tuning.md`.
    Fixed,
    /// The same in the profile for programs that start fast: see `docs/src/tuning.md`.
    Fast,
}

impl Step {
    pub(crate) const ALL: [Step; 3] = [Step::Check, Step::Debug, Step::Release];

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Step::Check => "check",
            Step::Debug => "debug",
            Step::Release => "release",
            Step::Fixed => "fixed",
            Step::Fast => "fast",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Step::Check => &["check"],
            Step::Debug => &["build"],
            Step::Release => &["build", "--release"],
            Step::Fixed => &["rustc", "--release"],
            Step::Fast => &["rustc", "--profile", "fast"],
        }
    }

    /// What is for the compiler of this crate alone.
    fn of_rustc(self) -> &'static [&'static str] {
        match self {
            Step::Check | Step::Debug | Step::Release => &[],
            // As `cargo::rustc-link-arg-bins=-no-pie` in a build script says it.
            Step::Fixed | Step::Fast => &["--", "-C", "link-arg=-no-pie"],
        }
    }

    /// Where cargo puts the program, if it is built for release.
    fn folder(self) -> &'static str {
        if self == Step::Fast { "fast" } else { "release" }
    }
}

/// A binary crate of the generated workspace, one file long.
#[derive(Debug)]
pub(crate) struct Leaf {
    name: String,
    source: PathBuf,
}

impl Leaf {
    pub(crate) fn new(name: &str, source: PathBuf) -> Self {
        Leaf { name: name.to_owned(), source }
    }

    /// Replaces the source.
    pub(crate) fn write(&self, source: &str) -> Result<(), Error> {
        workspace::write(&self.source, source)
    }

    /// Builds the crate and everything that it depends on; nothing is measured.
    pub(crate) fn prepare(&self, workspace: &Workspace, step: Step) -> Result<(), Error> {
        let mut cargo = self.cargo(workspace, step);
        cost::run(cargo.args(step.of_rustc())).map(|_| ())
    }

    /// A copy of the program of a release build under another name, as an installed program is one: what a linker has
    /// written piece by piece takes longer to load.
    pub(crate) fn install(&self, workspace: &Workspace, step: Step, name: &str) -> Result<PathBuf, Error> {
        let folder = workspace.target().join("installed");
        fs::create_dir_all(&folder).map_err(|source| Error::io(&folder, source))?;
        let path = folder.join(name);
        let program = workspace.target().join(step.folder()).join(&self.name);
        fs::copy(program, &path).map_err(|source| Error::io(&path, source))?;
        Ok(path)
    }

    /// Removes what was built of this crate, so that the next build is a full one.
    pub(crate) fn clean(&self, workspace: &Workspace, step: Step) -> Result<(), Error> {
        let mut cargo = workspace.cargo();
        cargo.args(["clean", "--offline", "--quiet", "--package", &self.name]);
        if step == Step::Release {
            cargo.arg("--release");
        }
        cost::run(&mut cargo).map(|_| ())
    }

    /// The processor seconds of building this crate alone, on one job.
    ///
    /// # Errors
    ///
    /// When it does not build, and when another crate was built too or none at all.
    pub(crate) fn build(&self, workspace: &Workspace, step: Step) -> Result<Seconds, Error> {
        let mut cargo = self.cargo(workspace, step);
        let (output, seconds) = cost::run(cargo.args(["--jobs", "1"]))?;
        let compiled = compiled(&String::from_utf8_lossy(&output.stdout));
        if compiled == [self.name.as_str()] {
            return Ok(seconds);
        }
        let command = cost::line(&cargo);
        Err(Error::NotTheLeafAlone { command, compiled, leaf: self.name.clone() })
    }

    /// The crates that are compiled, and the processor seconds of building this crate and all that it depends on.
    pub(crate) fn build_all(
        &self,
        workspace: &Workspace,
        step: Step,
    ) -> Result<(Vec<String>, Seconds), Error> {
        let (output, seconds) = cost::run(&mut self.cargo(workspace, step))?;
        Ok((compiled(&String::from_utf8_lossy(&output.stdout)), seconds))
    }

    /// The program of the release build.
    pub(crate) fn program(&self, workspace: &Workspace) -> PathBuf {
        workspace.target().join(Step::Release.folder()).join(&self.name)
    }

    /// What the program prints.
    pub(crate) fn answer(&self, workspace: &Workspace) -> Result<String, Error> {
        self.answer_to(workspace, &[])
    }

    /// What the program prints when it is called with these words.
    pub(crate) fn answer_to(&self, workspace: &Workspace, words: &[&str]) -> Result<String, Error> {
        answer_to(&self.program(workspace), words)
    }

    /// The bytes of the program, as it was built and without its symbols.
    pub(crate) fn sizes(&self, workspace: &Workspace) -> Result<(u64, u64), Error> {
        let program = self.program(workspace);
        let stripped = program.with_extension("stripped");
        cost::run(Command::new("strip").arg("-o").args([&stripped, &program]))?;
        let sizes = (size(&program)?, size(&stripped)?);
        fs::remove_file(&stripped).map_err(|source| Error::io(&stripped, source))?;
        Ok(sizes)
    }

    fn cargo(&self, workspace: &Workspace, step: Step) -> Command {
        let mut cargo = workspace.cargo();
        cargo.args(step.arguments()).args(["--package", &self.name, "--locked", "--offline"]);
        cargo.args(["--quiet", "--message-format", "json-render-diagnostics"]);
        cargo
    }
}

/// Copies a program once more, so that all that are measured are as old: what was copied long ago takes more page faults to
/// load.
pub(crate) fn copy_anew(program: &Path) -> Result<(), Error> {
    let copy = program.with_extension("copy");
    fs::copy(program, &copy)
        .and_then(|_| fs::rename(&copy, program))
        .map_err(|source| Error::io(program, source))
}

/// What a program prints when it is called with these words.
pub(crate) fn answer_to(program: &Path, words: &[&str]) -> Result<String, Error> {
    let (output, _) = cost::run(Command::new(program).args(words))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn size(path: &Path) -> Result<u64, Error> {
    fs::metadata(path).map(|file| file.len()).map_err(|source| Error::io(path, source))
}

/// The crates that were really compiled, from cargo's messages.
fn compiled(messages: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Message {
        fresh: Option<bool>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages
        .filter(|message| message.fresh == Some(false))
        .filter_map(|message| Some(message.target?.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_fresh_crates() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"serde"},"fresh":true}
{"reason":"compiler-artifact","target":{"name":"leaf"},"fresh":false}
{"reason":"build-finished","success":true}"#;
        assert_eq!(compiled(messages), ["leaf"]);
    }
}
