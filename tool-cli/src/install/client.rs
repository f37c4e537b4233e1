//! The clients, and where each reads its servers from.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
}

/// The language of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Without comments.
    Json,
    /// With comments and trailing commas.
    Jsonc,
    Toml,
}

impl Client {
    pub(crate) const ALL: [Client; 5] =
        [Client::ClaudeCode, Client::ClaudeDesktop, Client::Cursor, Client::VsCode, Client::Codex];

    /// Returns the name on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::ClaudeDesktop => "claude-desktop",
            Client::Cursor => "cursor",
            Client::VsCode => "vscode",
            Client::Codex => "codex",
        }
    }

    pub(super) fn syntax(self) -> Syntax {
        match self {
            Client::ClaudeCode | Client::ClaudeDesktop => Syntax::Json,
            Client::Cursor | Client::VsCode => Syntax::Jsonc,
            Client::Codex => Syntax::Toml,
        }
    }

    /// Returns the key of the servers.
    pub(super) fn section(self) -> &'static str {
        match self {
            Client::ClaudeCode | Client::ClaudeDesktop | Client::Cursor => "mcpServers",
            Client::VsCode => "servers",
            Client::Codex => "mcp_servers",
        }
    }

    /// Returns `true` if an entry names its transport.
    pub(crate) fn has_type(self) -> bool {
        !matches!(self, Client::ClaudeDesktop | Client::Codex)
    }
}

/// The operating systems that have places of their own for configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Unix,
    MacOs,
    Windows,
}

/// The folders that configuration files are in.
#[derive(Debug)]
pub(super) struct Folders {
    system: System,
    /// The folder of the user.
    user: Option<PathBuf>,
    /// `XDG_CONFIG_HOME` or `APPDATA`.
    config: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    codex: Option<PathBuf>,
}

impl Folders {
    /// Returns the folders of this process.
    pub(super) fn from_environment() -> Self {
        let system = if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::MacOs
        } else {
            System::Unix
        };
        Folders::of(system, env::home_dir(), |name| env::var_os(name))
    }

    fn of(system: System, user: Option<PathBuf>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = match system {
            // A relative path is to be ignored, says the XDG Base Directory Specification.
            System::Unix => folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
            System::MacOs => None,
            System::Windows => folder("APPDATA"),
        };
        Folders {
            system,
            user: user.filter(|path| !path.as_os_str().is_empty()),
            config,
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
        }
    }

    /// Returns the file that holds for all projects of the user; `None` if the folder of the user cannot be found.
    pub(super) fn user_file(&self, client: Client) -> Option<PathBuf> {
        let user = self.user.as_deref();
        let in_user = |path: &str| Some(joined(user?, path));
        match client {
            Client::ClaudeCode => match &self.claude {
                Some(folder) => Some(folder.join(".claude.json")),
                None => in_user(".claude.json"),
            },
            Client::ClaudeDesktop => Some(joined(&self.applications()?, "Claude/claude_desktop_config.json")),
            Client::Cursor => in_user(".cursor/mcp.json"),
            Client::VsCode => Some(joined(&self.applications()?, "Code/User/mcp.json")),
            Client::Codex => match &self.codex {
                Some(folder) => Some(folder.join("config.toml")),
                None => in_user(".codex/config.toml"),
            },
        }
    }

    /// Returns the folder in which desktop applications have a folder each.
    fn applications(&self) -> Option<PathBuf> {
        let default = match self.system {
            System::Unix => ".config",
            System::MacOs => "Library/Application Support",
            System::Windows => "AppData/Roaming",
        };
        self.config.clone().or_else(|| Some(joined(self.user.as_deref()?, default)))
    }
}

/// Returns the file that holds for the project in this folder; `None` if the client has none.
pub(super) fn project_file(client: Client, project: &Path) -> Option<PathBuf> {
    let path = match client {
        Client::ClaudeCode => ".mcp.json",
        Client::ClaudeDesktop => return None,
        Client::Cursor => ".cursor/mcp.json",
        Client::VsCode => ".vscode/mcp.json",
        Client::Codex => ".codex/config.toml",
    };
    Some(joined(project, path))
}

/// Joins with the separator of this system.
fn joined(folder: &Path, path: &str) -> PathBuf {
    path.split('/').fold(folder.to_owned(), |folder, part| folder.join(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(system: System, variables: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| OsString::from(value))
        };
        let folders = Folders::of(system, Some("/u".into()), variable);
        let file = |client| folders.user_file(client).unwrap().display().to_string().replace('\\', "/");
        Client::ALL.map(file).into()
    }

    #[test]
    fn finds_the_files_of_each_system() {
        assert_eq!(
            files(System::Unix, &[("APPDATA", "/a")]),
            [
                "/u/.claude.json",
                "/u/.config/Claude/claude_desktop_config.json",
                "/u/.cursor/mcp.json",
                "/u/.config/Code/User/mcp.json",
                "/u/.codex/config.toml",
            ]
        );
        assert_eq!(
            files(System::MacOs, &[("XDG_CONFIG_HOME", "/x")]),
            [
                "/u/.claude.json",
                "/u/Library/Application Support/Claude/claude_desktop_config.json",
                "/u/.cursor/mcp.json",
                "/u/Library/Application Support/Code/User/mcp.json",
                "/u/.codex/config.toml",
            ]
        );
        assert_eq!(
            files(System::Windows, &[("APPDATA", "/a"), ("XDG_CONFIG_HOME", "/x")]),
            [
                "/u/.claude.json",
                "/a/Claude/claude_desktop_config.json",
                "/u/.cursor/mcp.json",
                "/a/Code/User/mcp.json",
                "/u/.codex/config.toml",
            ]
        );
        let roaming = "/u/AppData/Roaming/Code/User/mcp.json";
        assert_eq!(files(System::Windows, &[("APPDATA", "")])[3], roaming);
    }

    #[test]
    fn follows_the_variables_of_each_client() {
        let variables = [("XDG_CONFIG_HOME", "/x"), ("CLAUDE_CONFIG_DIR", "/c"), ("CODEX_HOME", "/d")];
        assert_eq!(
            files(System::Unix, &variables),
            [
                "/c/.claude.json",
                "/x/Claude/claude_desktop_config.json",
                "/u/.cursor/mcp.json",
                "/x/Code/User/mcp.json",
                "/d/config.toml",
            ]
        );
        let ignored = [("XDG_CONFIG_HOME", "x"), ("CLAUDE_CONFIG_DIR", ""), ("CODEX_HOME", "")];
        assert_eq!(files(System::Unix, &ignored), files(System::Unix, &[]));
    }

    #[test]
    fn needs_the_folder_of_the_user() {
        let folders = Folders::of(System::Unix, None, |name| (name == "CODEX_HOME").then(|| "/d".into()));
        let found = Client::ALL.map(|client| folders.user_file(client).is_some());
        assert_eq!(found, [false, false, false, false, true]);
    }

    #[test]
    fn has_files_of_a_project() {
        let file = |client| {
            project_file(client, Path::new("p")).map(|path| path.display().to_string().replace('\\', "/"))
        };
        let expected =
            ["p/.mcp.json", "", "p/.cursor/mcp.json", "p/.vscode/mcp.json", "p/.codex/config.toml"];
        assert_eq!(Client::ALL.map(|client| file(client).unwrap_or_default()), expected);
    }
}
