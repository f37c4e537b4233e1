//! Where the tests have their sites.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use content::Site;
use fixture_postgres::PostgresServer;
use sqlx::{AnyConnection, Connection as _, Row as _};
use tempfile::TempDir;

/// Creates sites.
pub(crate) enum Store {
    Sqlite,
    Postgres { server: PostgresServer, databases: AtomicU32 },
}

impl Store {
    pub(crate) fn sqlite() -> Self {
        Store::Sqlite
    }

    pub(crate) fn postgres() -> Self {
        Store::Postgres { server: PostgresServer::start(), databases: AtomicU32::new(0) }
    }

    /// Returns the place of another site, which does not exist yet.
    pub(crate) async fn place(&self) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let url = match self {
            Store::Sqlite => folder.path().join("museum.sqlite").to_str().unwrap().to_owned(),
            Store::Postgres { server, databases } => {
                let number = databases.fetch_add(1, Ordering::Relaxed);
                server.create_database(&format!("museum_{number}")).await
            }
        };
        Place { folder, url, _server: None }
    }

    /// Returns the place of a site, which is the only one.
    pub(crate) async fn place_alone(self) -> Place {
        let place = self.place().await;
        Place { _server: Some(self), ..place }
    }
}

/// The place of a site: a file, or the URL of a database.
pub(crate) struct Place {
    /// Other files of the site.
    pub(crate) folder: TempDir,
    url: String,
    /// The server of the database, unless others use it.
    _server: Option<Store>,
}

impl Place {
    /// Returns the variable that names the place, and its value.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        (if self.is_postgres() { "DATABASE_URL" } else { "CONTENT_DATABASE" }, &self.url)
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.url.starts_with("postgres:")
    }

    /// Returns another handle of the site, as another process has one.
    pub(crate) fn site(&self) -> Site {
        if self.is_postgres() { Site::postgres(&self.url).unwrap() } else { Site::at(&self.url) }
    }

    /// Returns a command that runs the program on this site, as this user.
    pub(crate) fn content(&self, user: &str, arguments: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"));
        let (variable, value) = self.variable();
        program
            .args(arguments)
            .env_remove("CONTENT_DATABASE")
            .env_remove("CONTENT_TOKENS")
            .env_remove("DATABASE_URL")
            .env("CONTENT_USER", user)
            .env("XDG_DATA_HOME", self.folder.path())
            .env(variable, value);
        program
    }

    /// Connects to the database, to look into it.
    pub(crate) async fn connect(&self) -> AnyConnection {
        sqlx::any::install_default_drivers();
        let url = if self.is_postgres() { self.url.clone() } else { format!("sqlite://{}", self.url) };
        AnyConnection::connect(&url).await.unwrap()
    }

    /// Returns every row of every table as text.
    pub(crate) async fn dump(&self) -> String {
        let mut connection = self.connect().await;
        let mut text = String::new();
        for table in ["\"user\"", "user_role", "node", "revision", "translation", "outbox"] {
            let query = sqlx::AssertSqlSafe(format!("SELECT * FROM {table} ORDER BY 1, 2"));
            for row in sqlx::query(query).fetch_all(&mut connection).await.unwrap() {
                let value = |column| match row.try_get::<Option<i64>, _>(column) {
                    Ok(number) => format!("{number:?}"),
                    Err(_) => format!("{:?}", row.get::<Option<String>, _>(column)),
                };
                let values: Vec<String> = (0..row.len()).map(value).collect();
                text.push_str(&format!("{table} {values:?}\n"));
            }
        }
        text
    }

    /// Waits until the database has noticed that processes were killed, and has ended their transactions.
    pub(crate) async fn wait_until_unused(&self) {
        if !self.is_postgres() {
            return;
        }
        let mut connection = self.connect().await;
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
             AND backend_type = 'client backend'";
        let unused = async {
            while sqlx::query_scalar::<_, i64>(others).fetch_one(&mut connection).await.unwrap() > 0 {}
        };
        tokio::time::timeout(Duration::from_secs(60), unused).await.expect("the connections end");
    }
}
