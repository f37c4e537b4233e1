//! The step that compares the public API with that of the last release.

use std::fs;

use crate::cargo_program::SEMVER_CHECKS;
use crate::failure::Failure;
use crate::process::Invocation;
use crate::tally::Tally;
use crate::workspace;

/// Where releases are recorded.
const CHANGELOG: &str = "CHANGELOG.md";

/// Compares the libraries with those of the last release, if there is one.
pub(crate) fn semver(_: &mut Tally) -> Result<(), Failure> {
    let changelog = fs::read_to_string(workspace::root().join(CHANGELOG))
        .map_err(|source| Failure::File { path: CHANGELOG.to_owned(), source })?;
    let Some(version) = released(&changelog) else {
        println!("{CHANGELOG} names no released version: there is nothing to compare with");
        return Ok(());
    };
    SEMVER_CHECKS.ensure()?;
    comparison(version).announce().run()
}

/// Returns an invocation that compares the libraries with those of the tag of a version.
///
/// The program leaves out packages that are never published, and macros, whose API it cannot read. A package that the tag does not have
/// is an error: exclude it here until the next release.
fn comparison(version: &str) -> Invocation {
    let tag = format!("v{version}");
    SEMVER_CHECKS.invocation(["--workspace", "--all-features", "--baseline-rev", &tag])
}

/// Returns the newest version that has a date in the changelog: `## 0.1.0, 2026-12-24`. One to come has none.
fn released(changelog: &str) -> Option<&str> {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let mut dated = headings.filter_map(|heading| heading.split_once(", ")).filter(|(_, date)| is_date(date));
    dated.next().map(|(version, _)| version)
}

/// Returns `true` for a date as ISO 8601 writes it.
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_with_the_newest_version_that_has_a_date() {
        for (changelog, expected) in [
            ("# Changelog\n\n## 0.1.0, not yet released\n", None),
            ("## 0.2.0, not yet released\n\n## 0.1.0, 2026-12-24\n", Some("0.1.0")),
            ("## 0.2.0, 2027-01-31\n\n## 0.1.0, 2026-12-24\n", Some("0.2.0")),
            ("### Tasks, 2026-12-24\n## 0.1.0, 2026-12\n## 0.1.0\n", None),
        ] {
            assert_eq!(released(changelog), expected, "{changelog}");
        }
    }

    // Each heading of the real file has one of the two forms, so that a release cannot be overlooked.
    #[test]
    fn every_version_of_the_changelog_is_dated_or_to_come() {
        let changelog = fs::read_to_string(workspace::root().join(CHANGELOG)).unwrap();
        let headings: Vec<&str> = changelog.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert!(!headings.is_empty());
        for heading in headings {
            let (_, state) = heading.split_once(", ").unwrap_or_else(|| panic!("{heading}"));
            assert!(state == "not yet released" || is_date(state), "{heading}");
        }
    }

    #[test]
    fn names_the_tag_to_compare_with() {
        assert!(comparison("0.1.0").to_string().ends_with("--baseline-rev v0.1.0"));
    }
}
