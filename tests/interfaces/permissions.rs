//! Permissions of tools: every interface shows them in the same text form, and refuses callers without them.

use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Output, Permission, Principal, Registry, ToolDefinition};

use crate::interfaces::Interfaces;

/// The text form of each permission, and the sufficient grants.
const PERMISSIONS: [(&str, &str, &[&[&str]]); 4] = [
    ("one", "view", &[&["view"]]),
    ("both", "all(view, edit)", &[&["view", "edit"]]),
    ("either", "any(view, edit)", &[&["view"], &["edit"]]),
    ("nested", "any(admin, all(view, edit))", &[&["admin"], &["view", "edit"]]),
];

/// The grants of the callers.
const GRANTS: [&[&str]; 5] = [&[], &["view"], &["edit"], &["admin"], &["view", "edit"]];

/// Starts the interfaces for a caller with these grants.
fn interfaces(grants: &'static [&'static str]) -> Interfaces {
    let builder = |_| {
        let tools = PERMISSIONS.map(|(name, permission, _)| {
            let permission: Permission = permission.parse().unwrap();
            let definition =
                ToolDefinition::builder(name, "Is there.").permission(permission).build().unwrap();
            DynamicTool::new(definition, |_, _: Map<String, Value>| async { Ok(Output::text("here")) })
        });
        tools.into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::tool)
    };
    Interfaces::for_caller(builder, &grants.iter().copied().fold(Principal::new("ada"), Principal::grant))
}

#[test]
fn shows_parseable_permissions_everywhere() {
    let interfaces = interfaces(&["admin", "view", "edit"]);
    for (name, permission, _) in PERMISSIONS {
        let (_, _, http) = interfaces.http_with_wait(&format!("/tools/{name}"), None);
        let (_, cli) = interfaces.cli(&["info", name, "--format", "json"]);
        for shown in [&http["permission"], &cli["permission"]] {
            assert_eq!(shown, permission, "{name}");
            let declared = interfaces.registry().get(name).unwrap().permission();
            assert_eq!(shown.as_str().unwrap().parse::<Permission>().ok().as_ref(), declared, "{name}");
        }
        let text = interfaces.cli_text(&["info", name]);
        assert!(text.contains(&format!("`{permission}`, held by ada")), "{text}");
    }
}

#[test]
fn enforces_permissions_everywhere() {
    for grants in GRANTS {
        let interfaces = interfaces(grants);
        for (name, permission, sufficient) in PERMISSIONS {
            let is_enough = sufficient.iter().any(|names| names.iter().all(|name| grants.contains(name)));
            let case = format!("{name}, {permission}: {grants:?}");

            let (status, _, body) = interfaces.http_with_wait(&format!("/tools/{name}/call"), Some(b"{}"));
            assert_eq!(status, if is_enough { 200 } else { 403 }, "{case}: {body}");

            let result = interfaces.mcp("tools/call", json!({"name": name, "arguments": {}}));
            assert_eq!(result["isError"], json!(!is_enough), "{case}: {result}");
            let listed = interfaces.mcp("tools/list", json!({}))["tools"].take();
            let is_listed = listed.as_array().unwrap().iter().any(|tool| tool["name"] == name);
            assert_eq!(is_listed, is_enough, "{case}: {listed}");

            let (code, body) = interfaces.cli(&["run", name, "--yes", "--format", "json"]);
            assert_eq!(code, if is_enough { 0 } else { 4 }, "{case}: {body}");
            if !is_enough {
                assert_eq!(result["_meta"]["tool-core/kind"], "access_denied", "{case}");
                assert_eq!(body["error_type"], "access_denied", "{case}");
            }
        }
    }
}
