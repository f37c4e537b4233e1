//! Help, and what is printed without `--yes`.

use crate::{CLIENTS, Sandbox, files_below};

const ENTRIES: [&str; 5] = [
    include_str!("entries/claude-code.json"),
    include_str!("entries/claude-desktop.json"),
    include_str!("entries/cursor.json"),
    include_str!("entries/vscode.json"),
    include_str!("entries/codex.toml"),
];

#[test]
fn explains_the_options() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["serve", "mcp", "--help"]);
    assert_eq!(help.stdout, include_str!("help.txt"));
    for server in ["http", "own"] {
        let help = sandbox.run(&["serve", server, "--help"]);
        assert!(help.code == 0 && !help.stdout.contains("--install"), "{help:?}");
    }
    sandbox.run(&["serve", "own", "--project", "one"]).says(1, "error: the server failed: it was served\n");
}

#[test]
fn prints_the_entry_and_its_place_and_writes_nothing() {
    let sandbox = Sandbox::new();
    for ((client, user, project), entry) in CLIENTS.into_iter().zip(ENTRIES) {
        for (more, folder, file) in [(&[][..], "USER", Some(user)), (&["--project"], "PROJECT", project)] {
            let Some(file) = file else { continue };
            let ran = sandbox.run(&[&["serve", "mcp", "--install", client], more].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (0, entry), "{client}");
            let place = format!(
                "this goes into `{folder}/{file}`; add `--yes` to write it there, nothing has been written\n"
            );
            assert_eq!(ran.stderr, place);
        }
    }
    assert_eq!((sandbox.files(), files_below(sandbox.project.path())), (vec![], vec![]));
}

#[test]
fn follows_the_variables_of_the_clients() {
    let sandbox = Sandbox::new();
    for (client, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ] {
        let folder = sandbox.user.path().join("other");
        let variables = [(variable, folder.to_str().unwrap())];
        let ran = sandbox.run_with(&["serve", "mcp", "--install", client, "--yes"], &variables);
        ran.says(0, &format!("added the entry `demo` in `USER/other/{file}`\n"));
    }
    let ran = sandbox.run_with(&["serve", "mcp", "--install", "cursor", "-q"], &[("HOME", "")]);
    // Without the variable, the system may still know the folder of the user.
    assert!(
        ran.code == 0 || ran.stderr.starts_with("error: cannot find the folder of the user\n"),
        "{ran:?}"
    );
}

#[test]
fn copies_the_options_of_the_line_and_not_the_environment() {
    let sandbox = Sandbox::new();
    let options = ["--surfaces", "few", "--label=-a b", "--install", "claude-desktop", "--yes"];
    let ran = sandbox.run_with(&[&["serve", "mcp"], &options[..]].concat(), &[("DEMO_TOKEN", "hunter2")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = sandbox.read(CLIENTS[1].1);
    assert!(text.contains(r#""args": ["serve", "mcp", "--surfaces=few", "--label=-a b"]"#), "{text}");
    assert!(!text.contains("hunter2") && !text.contains("DEMO_TOKEN"), "{text}");
}

#[test]
fn refuses_options_that_do_not_fit() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["--install", "emacs"][..],
        &["--install", "codex", "--addr", "127.0.0.1:0"],
        &["--install", "codex", "--replace"],
        &["--yes"],
        &["--project"],
    ] {
        let ran = sandbox.run(&[&["serve", "mcp"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    }
    let message = "error: claude-desktop has no configuration for one project\nhelp: leave out `--project`\n";
    sandbox.run(&["serve", "mcp", "--install", "claude-desktop", "--project"]).says(1, message);
}
