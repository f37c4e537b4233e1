//! The sections of `benches/README.md` that are written by a run.

use crate::error::Error;
use crate::workspace::{read, repository, write};

/// Replaces what stands between `<!-- name -->` and `<!-- end of name -->`.
pub(crate) fn write_section(name: &str, section: &str) -> Result<(), Error> {
    let path = repository().join("benches/README.md");
    let text = read(&path)?;
    match replaced(&text, name, section) {
        Ok(text) => write(&path, &text),
        Err(marker) => Err(Error::NoMarker { path, marker }),
    }
}

fn replaced(text: &str, name: &str, section: &str) -> Result<String, String> {
    let [begin, end] = [format!("<!-- {name} -->"), format!("<!-- end of {name} -->")];
    let (before, rest) = text.split_once(&begin).ok_or_else(|| begin.clone())?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| end.clone())?;
    Ok(format!("{before}{begin}\n\n{}\n\n{end}{after}", section.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_section_repeatedly() {
        let text = "# A\n<!-- b -->\nold\n<!-- end of b -->\nrest";
        let once = replaced(text, "b", "new\n").unwrap();
        assert_eq!(once, "# A\n<!-- b -->\n\nnew\n\n<!-- end of b -->\nrest");
        assert_eq!(replaced(&once, "b", "new").unwrap(), once);
    }

    #[test]
    fn contains_a_section_for_every_task() {
        let text = read(&repository().join("benches/README.md")).unwrap();
        for task in crate::TASKS {
            assert!(replaced(&text, task, "").is_ok(), "{task}: {:?}", replaced(&text, task, ""));
        }
    }

    #[test]
    fn names_a_missing_marker() {
        assert_eq!(replaced("<!-- b -->", "b", "").unwrap_err(), "<!-- end of b -->");
    }
}
