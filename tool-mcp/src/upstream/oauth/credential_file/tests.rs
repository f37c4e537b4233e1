use rmcp::transport::auth::StoredCredentials;
use serde_json::json;

use super::*;

const TOKEN: &str = "0b7c5f1e9d2a";

fn entry(server: &str) -> Entry {
    let response = json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 60});
    let response = serde_json::from_value(response).unwrap();
    Entry {
        server: server.to_owned(),
        account: "default".to_owned(),
        client_secret: None,
        credentials: StoredCredentials::new(
            "client".to_owned(),
            Some(response),
            vec!["a".to_owned()],
            Some(7),
        ),
    }
}

#[test]
fn stores_one_entry_for_each_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = CredentialFile::new(folder.path().join("state/gateway/credentials.json"));
    assert!(file.entry("https://a.example/mcp", "default").unwrap().is_none());
    let first = file.version().unwrap();
    file.update(|entries| entries.push(entry("https://a.example/mcp"))).unwrap();
    let second = file.version().unwrap();
    file.update(|entries| entries.push(entry("https://b.example/mcp"))).unwrap();
    assert!(first.is_none() && second.is_some() && second != file.version().unwrap());
    let stored = file.entry("https://b.example/mcp", "default").unwrap().unwrap();
    assert_eq!(
        (stored.credentials.client_id.as_str(), stored.credentials.token_received_at),
        ("client", Some(7))
    );
    assert!(file.entry("https://b.example/mcp", "work").unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn is_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/credentials.json");
    let file = CredentialFile::new(&path);
    file.update(|entries| entries.push(entry("https://a.example/mcp"))).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    for name in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        assert_eq!(mode(&name.unwrap().path()), 0o600);
    }
    for exposed in [0o640, 0o604, 0o644, 0o620] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(exposed)).unwrap();
        let error = file.entry("https://a.example/mcp", "default").err().unwrap().to_string();
        assert!(
            error.contains(&format!("(mode {exposed:04o}): run `chmod 600 {}`", path.display())),
            "{error}"
        );
        assert!(file.update(Vec::clear).is_err(), "it is not replaced either");
        assert_eq!(mode(&path), exposed);
    }
}

#[test]
fn does_not_quote_a_malformed_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.json");
    let file = CredentialFile::new(&path);
    file.update(|entries| entries.push(entry("https://a.example/mcp"))).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in
        [("\"default\"", TOKEN), ("\"version\": 1", "\"version\": 2"), ("\"client\"", "[\"0b7c5f1e9d2a\"]")]
    {
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
        let error = file.entry("https://a.example/mcp", "default").err().unwrap().to_string();
        assert!(error.contains("delete it, and sign in again") && !error.contains(TOKEN), "{error}");
    }
}

#[tokio::test]
async fn locks_one_server_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = CredentialFile::new(folder.path().join("credentials.json"));
    let first = file.lock_server("https://a.example/mcp").await.unwrap();
    let _other = file.lock_server("https://b.example/mcp").await.unwrap();
    // The entries can be read and changed meanwhile.
    file.update(|entries| entries.push(entry("https://a.example/mcp"))).unwrap();
    let second = file.lock_server("https://a.example/mcp");
    tokio::pin!(second);
    assert!(tokio::time::timeout(Duration::from_millis(100), &mut second).await.is_err());
    drop(first);
    second.await.unwrap();
}
