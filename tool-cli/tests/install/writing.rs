//! What `--yes` writes.

use std::fs;

use crate::{CLIENTS, Sandbox};

fn install<'a>(client: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["serve", "mcp", "--install", client, "--yes"], more].concat()
}

#[test]
fn creates_the_file_and_does_nothing_the_second_time() {
    for (client, user, project) in CLIENTS {
        let sandbox = Sandbox::new();
        let printed = sandbox.run(&["serve", "mcp", "--install", client]).stdout;
        sandbox.run(&install(client, &[])).says(0, &format!("added the entry `demo` in `USER/{user}`\n"));
        assert_eq!(sandbox.read(user), printed, "{client}");
        sandbox.run(&install(client, &[])).says(0, &format!("`USER/{user}` has the entry `demo` already\n"));
        assert_eq!(
            (sandbox.files(), sandbox.read(user)),
            (vec![user.to_owned()], printed.clone()),
            "{client}"
        );
        let Some(project) = project else { continue };
        sandbox
            .run(&install(client, &["--project"]))
            .says(0, &format!("added the entry `demo` in `PROJECT/{project}`\n"));
        let text = fs::read_to_string(sandbox.project.path().join(project)).unwrap();
        assert_eq!(sandbox.neutral(&text), printed, "{client}");
        assert_eq!(sandbox.files(), [user.to_owned()], "{client}: only the project has a new file");
    }
}

const FOREIGN: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        "{\"z\":1e400,\n\t\"numStartups\": 10000000000000000000001,\n\n\t\"mcpServers\": {\"other\": {\"command\": \"x\"}},\n\t\"a\": [ 1,2 ]}",
        "{\"z\":1e400,\n\t\"numStartups\": 10000000000000000000001,\n\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"},\n\t\t\"demo\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"PROGRAM\",\n\t\t\t\"args\": [\"serve\", \"mcp\"]\n\t\t}\n\t},\n\t\"a\": [ 1,2 ]}",
    ),
    (
        "claude-desktop",
        "{\"globalShortcut\": \"\\u0041\"}\n",
        "{\n  \"globalShortcut\": \"\\u0041\",\n  \"mcpServers\": {\n    \"demo\": {\n      \"command\": \"PROGRAM\",\n      \"args\": [\"serve\", \"mcp\"]\n    }\n  }\n}\n",
    ),
    (
        "vscode",
        "// Servers of mine.\r\n{\r\n    /* for all */ \"inputs\": [],\r\n    \"servers\": {\r\n        // Not yet:\r\n        // \"later\": {},\r\n        \"other\": {\"url\": \"https://example.org\"}, // remote\r\n    },\r\n}\r\n// The end.\r\n",
        "// Servers of mine.\r\n{\r\n    /* for all */ \"inputs\": [],\r\n    \"servers\": {\r\n        // Not yet:\r\n        // \"later\": {},\r\n        \"other\": {\"url\": \"https://example.org\"}, // remote\r\n        \"demo\": {\r\n            \"type\": \"stdio\",\r\n            \"command\": \"PROGRAM\",\r\n            \"args\": [\"serve\", \"mcp\"],\r\n        },\r\n    },\r\n}\r\n// The end.\r\n",
    ),
    (
        "cursor",
        "\u{feff}// Nothing yet.\n",
        "\u{feff}// Nothing yet.\n{\n  \"mcpServers\": {\n    \"demo\": {\n      \"type\": \"stdio\",\n      \"command\": \"PROGRAM\",\n      \"args\": [\"serve\", \"mcp\"]\n    }\n  }\n}\n",
    ),
    (
        "codex",
        "model = 'o9' # the best\n\n# Mine.\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.other.env]\nA = \"b\"\n\n[tui] # last\ntheme = \"dark\"\n# The end.\n",
        "model = 'o9' # the best\n\n# Mine.\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.other.env]\nA = \"b\"\n\n[mcp_servers.demo]\ncommand = \"PROGRAM\"\nargs = [\"serve\", \"mcp\"]\n\n[tui] # last\ntheme = \"dark\"\n# The end.\n",
    ),
];

#[test]
fn keeps_everything_else_to_the_byte_and_a_backup() {
    for (client, before, after) in FOREIGN {
        let (_, file, _) = CLIENTS.into_iter().find(|(name, ..)| name == client).unwrap();
        let sandbox = Sandbox::new();
        sandbox.write(file, before);
        let backup = format!("{file}.bak");
        sandbox.run(&install(client, &[])).says(
            0,
            &format!("added the entry `demo` in `USER/{file}`\nthe previous file is `USER/{backup}`\n"),
        );
        assert_eq!(sandbox.read(file), *after, "{client}");
        assert_eq!(sandbox.read(&backup), *before, "{client}");
        sandbox.run(&install(client, &[])).says(0, &format!("`USER/{file}` has the entry `demo` already\n"));
        assert_eq!(sandbox.files(), [file.to_owned(), backup], "{client}");
    }
}

#[test]
fn replaces_another_entry_only_if_it_may() {
    let before = [
        r#"{"mcpServers": {"demo": {"command": "old", "args": ["x"], "env": {"A": "b"}}}}"#,
        r#"{"mcpServers": {"demo": {"type": "stdio", "command": "old", "env": {"A": "b"}}}}"#,
        "{\"mcpServers\": {\"demo\": {\"command\": \"old\", // where\n\"env\": {\"A\": \"b\"}}}}",
        r#"{"servers": {"demo": {"command": "old", "env": {"A": "b"}}}}"#,
        "[mcp_servers.demo]\ncommand = \"old\" # where\nenv = { A = \"b\" }\n",
    ];
    for ((client, file, _), before) in CLIENTS.into_iter().zip(before) {
        let sandbox = Sandbox::new();
        sandbox.write(file, before);
        let message =
            format!("error: `USER/{file}` has another entry `demo`\nhelp: add `--replace` to replace it\n");
        sandbox.run(&install(client, &[])).says(1, &message);
        assert_eq!((sandbox.read(file).as_str(), sandbox.files().len()), (before, 1), "{client}");
        sandbox.run(&install(client, &["--replace"])).says(
            0,
            &format!("replaced the entry `demo` in `USER/{file}`\nthe previous file is `USER/{file}.bak`\n"),
        );
        let after = sandbox.read(file);
        assert!(after.contains("PROGRAM") && !after.contains("old"), "{after}");
        assert!(after.contains(r#""A": "b""#) || after.contains(r#"A = "b""#), "the variables stay: {after}");
        assert_eq!(before.contains("where"), after.contains("where"), "comments stay: {after}");
        sandbox
            .run(&install(client, &["--replace"]))
            .says(0, &format!("`USER/{file}` has the entry `demo` already\n"));
    }
}

#[test]
fn replaces_a_remote_server_as_a_whole() {
    for (client, file, before) in [
        (
            "vscode",
            CLIENTS[3].1,
            r#"{"servers": {"demo": {"type": "http", "url": "https://example.org", "headers": {}}}}"#,
        ),
        (
            "codex",
            CLIENTS[4].1,
            "[mcp_servers.demo]\nurl = \"https://example.org\"\nbearer_token_env_var = \"A\"\n",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(file, before);
        assert_eq!(sandbox.run(&install(client, &["--replace"])).code, 0);
        let printed = sandbox.run(&["serve", "mcp", "--install", client]).stdout;
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(words(&sandbox.read(file)), words(&printed), "{client}");
    }
}
