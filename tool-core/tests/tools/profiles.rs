//! The profiles over the type families of `schemas.rs`: golden files, validity, and calls in the shape of each.

use std::path::PathBuf;

use serde_json::{Map, Value};
use tool_core::{Profile, Registry};

use crate::tools_of;

/// The profiles that make a schema of their own.
const VENDORS: [Profile; 5] =
    [Profile::NoRef, Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic, Profile::Gemini];

fn families() -> Registry {
    tools_of("tools::schemas")
}

#[test]
fn every_family_has_its_golden_file_of_profiles() {
    let mut differences = Vec::new();
    for tool in families().tools() {
        let profiles = VENDORS.into_iter().map(|profile| {
            let rendered = match tool.tool_for(profile) {
                Ok(rendered) => rendered,
                Err(refused) => Value::from(format!("refused: {refused}")),
            };
            (profile.to_string(), rendered)
        });
        let actual = serde_json::to_string_pretty(&profiles.collect::<Map<_, _>>()).unwrap() + "\n";
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/tools/profiles/{}.json", tool.name()));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &actual).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != actual {
            differences.push(tool.name().to_owned());
        }
    }
    assert!(differences.is_empty(), "these differ from their golden files: {differences:?}");
}
