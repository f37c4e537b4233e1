//! Files that are not changed, because they are not what they should be.

use crate::{CLIENTS, Sandbox};

#[test]
fn refuses_a_file_that_is_not_valid_and_leaves_it_alone() {
    let invalid = |language, line, column, reason| {
        format!(
            "is not valid {language}, line {line}, column {column}: {reason}\nhelp: correct the file, which was not changed"
        )
    };
    let correct = "help: correct the file, which was not changed";
    let json = |line, column, reason| invalid("JSON", line, column, reason);
    for (client, text, message) in [
        (0, "{\n  \"a\": 1,\n}", json(2, 9, "trailing commas are not allowed")),
        (0, "{ // mine\n}", json(1, 3, "comments are not allowed")),
        (1, "{\"token\": \"hunter2\" \"b\": 1}", json(1, 20, "expected comma")),
        (1, "{\"mcpServers\": {", json(1, 16, "unterminated object")),
        (2, "{'a': 1}", json(1, 2, "single-quoted strings are not allowed")),
        (3, "{\n  servers: {}\n}", json(2, 3, "expected string for object property")),
        (3, "{} {}", json(1, 4, "text cannot contain more than one JSON value")),
        (3, "[]", format!("has no object at its top\n{correct}")),
        (3, "{\"servers\": [1]}", format!("has no object at `servers`\n{correct}")),
        (3, "{\"servers\": {}, \"servers\": {}}", format!("has `servers` twice\n{correct}")),
        (0, "{\"mcpServers\": {\"demo\": 1, \"d\\u0065mo\": 2}}", format!("has `demo` twice\n{correct}")),
        (4, "a = 1\na = 2\n", invalid("TOML", 2, 1, "duplicate key")),
        (4, "token = \"hunter2\nb = 1\n", invalid("TOML", 1, 17, "invalid basic string, expected `\"`")),
        (4, "mcp_servers = 1\n", format!("has no table at `mcp_servers`\n{correct}")),
        (4, "[mcp_servers]\ndemo = 1\n", format!("has no table at `mcp_servers.demo`\n{correct}")),
    ] {
        let sandbox = Sandbox::new();
        let (client, file, _) = CLIENTS[client];
        sandbox.write(file, text);
        let ran = sandbox.run(&["serve", "mcp", "--install", client, "--yes", "--replace"]);
        ran.says(1, &format!("error: `USER/{file}` {message}\n"));
        assert_eq!((sandbox.read(file).as_str(), sandbox.files().len()), (text, 1), "{client}");
        assert!(!ran.stderr.contains("hunter2"), "an error does not show what is in the file");
    }
}

#[test]
fn refuses_a_file_that_is_not_text() {
    let sandbox = Sandbox::new();
    let (client, file, _) = CLIENTS[3];
    std::fs::write(sandbox.write(file, ""), b"{\"a\": \"\xff\"}").unwrap();
    let ran = sandbox.run(&["serve", "mcp", "--install", client, "--yes"]);
    ran.says(1, &format!("error: `USER/{file}` is not UTF-8\n"));
    assert_eq!(sandbox.files(), [file]);
}
