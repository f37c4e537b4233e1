//! The ways to declare a tool that are measured against each other, as the text of a leaf crate.

mod derived;
mod ours;
mod plain;
mod rmcp;

use crate::sample::Sample;

pub(crate) use ours::{FULL_ITEMS, FULL_NAMES, FULL_STATE, declared, main as registry_main};

/// One way to declare tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// The bare functions without any declaration: the floor.
    Plain,
    /// `#[tool]` of this repository, inputs only.
    Ours,
    /// The same with injected state and context, limits, a default, an example, an optional input, access and an error.
    OursFull,
    /// A struct with derives a tool, and a table written by hand.
    Derived,
    /// rmcp's own macros.
    Rmcp,
}

impl Flavor {
    /// Every one, the floor first.
    pub(crate) const ALL: [Flavor; 5] =
        [Flavor::Plain, Flavor::Ours, Flavor::OursFull, Flavor::Derived, Flavor::Rmcp];

    /// The name in tables and of packages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Flavor::Plain => "plain",
            Flavor::Ours => "ours-plain",
            Flavor::OursFull => "ours-full",
            Flavor::Derived => "derived",
            Flavor::Rmcp => "rmcp",
        }
    }

    /// What a leaf crate of it depends on, as lines of its manifest.
    pub(crate) fn dependencies(self) -> &'static str {
        match self {
            Flavor::Plain => "runtime = { path = \"../../support/runtime\" }\n",
            Flavor::Ours | Flavor::OursFull => {
                "runtime = { path = \"../../support/runtime\" }\n\
                 tool-core = { workspace = true, features = [\"default\"] }\n"
            }
            Flavor::Derived => {
                "runtime = { path = \"../../support/runtime\" }\n\
                 schemars.workspace = true\n\
                 serde.workspace = true\n\
                 serde_json.workspace = true\n"
            }
            Flavor::Rmcp => {
                "peer = { path = \"../../support/peer\" }\n\
                 rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\", \"transport-streamable-http-server\"] }\n\
                 runtime = { path = \"../../support/runtime\" }\n\
                 schemars.workspace = true\n\
                 serde.workspace = true\n"
            }
        }
    }

    /// The one source file of a leaf crate with these tools.
    ///
    /// Its program prints how many tools it has, and what the one in the middle answers. Without tools it calls one that
    /// does not exist, so that a crate without tools has everything that is paid once. `edits` lines are added to `main`.
    pub(crate) fn source(self, samples: &[Sample], edits: usize) -> String {
        let source = match self {
            Flavor::Plain => plain::source(samples),
            Flavor::Ours => ours::source(samples),
            Flavor::OursFull => ours::full_source(samples),
            Flavor::Derived => derived::source(samples),
            Flavor::Rmcp => rmcp::source(samples),
        };
        let edited = format!("fn main() {{\n{}", "    std::hint::black_box(0);\n".repeat(edits));
        source.replacen("fn main() {\n", &edited, 1)
    }
}

/// The tool that a leaf crate calls: the one in the middle, where there is one.
fn called(samples: &[Sample]) -> Option<Sample> {
    samples.get(samples.len() / 2).copied()
}

/// The name of the tool that a leaf crate calls.
fn called_name(samples: &[Sample]) -> String {
    called(samples).map(Sample::name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_one_line_when_editing_a_tool() {
        for flavor in Flavor::ALL {
            let with = |edits| flavor.source(&[Sample::new(0, edits), Sample::new(1, 0)], 0);
            let (before, after) = (with(0), with(1));
            let kept: String = after
                .lines()
                .filter(|line| line.trim() != "let days = days.wrapping_add(1);")
                .map(|line| format!("{line}\n"))
                .collect();
            assert_eq!(kept, before, "{flavor:?}");
            assert_eq!(after.lines().count(), before.lines().count() + 1, "{flavor:?}");
        }
    }

    #[test]
    fn edits_main_without_tools() {
        for flavor in Flavor::ALL {
            assert_ne!(flavor.source(&[], 0), flavor.source(&[], 1), "{flavor:?}");
        }
    }
}
