//! Permissions, links and folders.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use crate::{CLIENTS, Sandbox};

const CLIENT: (&str, &str) = (CLIENTS[4].0, CLIENTS[4].1);
const INSTALL: [&str; 5] = ["serve", "mcp", "--install", CLIENT.0, "--yes"];

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn keeps_permissions() {
    for permissions in [0o600, 0o640, 0o664] {
        let sandbox = Sandbox::new();
        let path = sandbox.write(CLIENT.1, "a = 1\n");
        set_mode(&path, permissions);
        assert_eq!(sandbox.run(&INSTALL).code, 0);
        assert_eq!(mode(&path), permissions);
        assert_eq!(mode(&path.with_extension("toml.bak")), permissions);
    }
}

#[test]
fn makes_a_new_file_private_and_that_of_a_project_not() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&INSTALL).code, 0);
    assert_eq!(mode(&sandbox.user.path().join(CLIENT.1)), 0o600);
    assert_eq!(sandbox.run(&[&INSTALL[..], &["--project"]].concat()).code, 0);
    let plain = sandbox.project.path().join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode(&sandbox.project.path().join(CLIENT.1)), mode(&plain));
}

#[test]
fn follows_a_link_and_keeps_it() {
    let sandbox = Sandbox::new();
    let target = sandbox.write("dotfiles/codex.toml", "a = 1\n");
    let link = sandbox.write(CLIENT.1, "");
    fs::remove_file(&link).unwrap();
    symlink("../dotfiles/codex.toml", &link).unwrap();
    sandbox.run(&INSTALL).says(
        0,
        &format!(
            "added the entry `demo` in `USER/{}`\nthe previous file is `{}.bak`\n",
            CLIENT.1,
            sandbox.neutral(fs::canonicalize(&target).unwrap().to_str().unwrap())
        ),
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!fs::symlink_metadata(&target).unwrap().is_symlink());
    assert!(sandbox.read("dotfiles/codex.toml").starts_with("a = 1\n\n[mcp_servers.demo]\n"));
}

#[test]
fn refuses_what_is_not_a_file_that_it_may_replace() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(CLIENT.1, "a = 1\n");
    let refuses = |message: &str| {
        let ran = sandbox.run(&INSTALL);
        ran.says(1, &format!("error: `USER/{}` {message}\n", CLIENT.1));
    };
    set_mode(&path, 0o444);
    refuses("is read-only");
    assert_eq!((sandbox.read(CLIENT.1).as_str(), mode(&path), sandbox.files().len()), ("a = 1\n", 0o444, 1));

    fs::remove_file(&path).unwrap();
    symlink("nowhere.toml", &path).unwrap();
    refuses("is a symbolic link to a file that does not exist");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refuses("is not a file");
    fs::remove_dir(&path).unwrap();
    assert_eq!(sandbox.files(), [""; 0]);
}

#[test]
fn refuses_a_folder_that_is_read_only() {
    for text in [None, Some("a = 1\n")] {
        let sandbox = Sandbox::new();
        let path = sandbox.write(CLIENT.1, text.unwrap_or_default());
        if text.is_none() {
            fs::remove_file(&path).unwrap();
        }
        let folder = path.parent().unwrap();
        set_mode(folder, 0o555);
        let ran = sandbox.run(&INSTALL);
        set_mode(folder, 0o755);
        ran.says(1, "error: `USER/.codex` is read-only\n");
        assert_eq!(sandbox.files().len(), text.iter().count());
    }
}

#[test]
fn refuses_a_folder_that_is_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write(".codex", "");
    let ran = sandbox.run(&INSTALL);
    assert!(ran.code == 1 && ran.stderr.contains("USER/.codex/config.toml`: "), "{ran:?}");
    assert_eq!(sandbox.files(), [".codex"]);
}

#[test]
fn never_overwrites_a_backup() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(CLIENT.1, "a = 1\n");
    fs::write(path.with_extension("toml.bak"), "mine").unwrap();
    assert!(sandbox.run(&INSTALL).stderr.contains("/.codex/config.toml.bak2`"));
    assert_eq!(sandbox.read(".codex/config.toml.bak"), "mine");
    assert_eq!(sandbox.read(".codex/config.toml.bak2"), "a = 1\n");
}
