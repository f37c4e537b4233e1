//! `publish skill`.

use std::collections::BTreeMap;
use std::fs;

use tool_cli::App;
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

use crate::{app, package, run, text};

/// The fields of the specification, <https://agentskills.io/specification>.
const FIELDS: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Returns the front matter of a skill.
fn front_matter(skill: &str) -> BTreeMap<String, serde_json::Value> {
    let (matter, body) = skill.strip_prefix("---\n").unwrap().split_once("---\n").unwrap();
    assert!(!body.trim().is_empty() && body.lines().count() < 500);
    serde_saphyr::from_str(matter).unwrap()
}

#[tokio::test]
async fn writes_a_skill_with_a_reference_for_each_tool() {
    let folder = tempfile::tempdir().unwrap();
    let skills = folder.path().join("skills");
    let arguments = ["publish", "skill", "--dir", text(&skills)];
    let (skill, cut, measure) = ("demo/SKILL.md", "demo/references/cut_off.md", "demo/references/measure.md");
    let lines = |verb: &str| {
        [skill, cut, measure].map(|file| verb.replace('@', &format!("`{}/{file}`", text(&skills)))).concat()
    };
    run(app(), &arguments).await.is(0, "", &lines("wrote @\n"));
    let read = |file: &str| fs::read_to_string(skills.join(file)).unwrap();
    assert_eq!(read(skill), include_str!("skill/SKILL.md"));
    assert_eq!(read(cut), include_str!("skill/cut_off.md"));
    run(app(), &arguments).await.is(0, "", &lines("@ is up to date\n"));

    // If one differs, none is replaced.
    fs::write(skills.join(measure), "mine").unwrap();
    fs::remove_file(skills.join(cut)).unwrap();
    let differs =
        format!("`{}/{measure}` exists and differs\nhelp: add `--yes` to replace it", text(&skills));
    run(app(), &arguments).await.fails(1, &differs);
    assert!(!skills.join(cut).exists() && read(measure) == "mine");
    let ran = run(app(), &[&arguments[..], &["--yes"]].concat()).await;
    assert!(ran.code == 0 && skills.join(cut).exists() && read(measure) != "mine", "{ran:?}");
}

#[tokio::test]
async fn keeps_the_limits_of_the_specification() {
    let tool = |number: usize| {
        let name = format!("tool_number_{number:03}_with_a_long_name");
        let definition = ToolDefinition::builder(name, "Does something.").operation(Operation::Read);
        let schema = serde_json::json!({"type": "object"});
        let definition = definition.input_schema(schema).build().unwrap();
        DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) })
    };
    let registry = (0..100).fold(Registry::builder(), |builder, number| builder.tool(tool(number)));
    let app =
        App::new("My: Tools", registry.build().unwrap()).about("Many\n---\ntools: # all").package(package());
    let folder = tempfile::tempdir().unwrap();
    let ran = run(app, &["publish", "skill", "--dir", text(folder.path())]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let skill = fs::read_to_string(folder.path().join("my-tools").join("SKILL.md")).unwrap();
    let matter = front_matter(&skill);
    assert!(matter.keys().all(|key| FIELDS.contains(&key.as_str())), "{matter:?}");
    assert_eq!(matter["name"], "my-tools");
    let description = matter["description"].as_str().unwrap();
    assert!((900..=1024).contains(&description.chars().count()), "{description}");
    assert!(description.starts_with("Many --- tools: # all. Use it "), "{description}");
    assert!(description.ends_with(", and more."), "{description}");
    assert!((1..=500).contains(&matter["compatibility"].as_str().unwrap().len()));
    assert_eq!(matter["metadata"], serde_json::json!({"author": "Ada \"A.\" Lovelace"}));
}
