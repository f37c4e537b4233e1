//! Settings from the environment.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::egress::Egress;
use crate::store::{Store, StoreError};

/// The default lifetime of a list.
const TIME_TO_LIVE: Duration = Duration::from_secs(60);

/// The settings of this program.
///
/// ```
/// let settings = catalogue::Settings::from_environment()?;
/// assert!(settings.time_to_live.as_secs() > 0);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone)]
pub struct Settings {
    /// `DATABASE_URL`: the database of PostgreSQL, in place of the file.
    pub database_url: Option<String>,
    /// `CATALOGUE_DATABASE`: the file.
    pub database: PathBuf,
    /// `CATALOGUE_TTL`: the lifetime of a list, in seconds.
    pub time_to_live: Duration,
    /// `CATALOGUE_LOOPBACK=allow`: permits calls to services on this machine.
    pub egress: Egress,
}

impl Settings {
    /// Reads the settings from the environment, or uses defaults.
    ///
    /// # Errors
    ///
    /// When a variable is invalid, with its name and the expected value. `DATABASE_URL` is checked when the store is created.
    pub fn from_environment() -> Result<Self, String> {
        let time_to_live = match env::var("CATALOGUE_TTL") {
            Err(env::VarError::NotPresent) => TIME_TO_LIVE,
            text => {
                let seconds = text
                    .ok()
                    .and_then(|text| text.parse().ok())
                    .filter(|seconds| (1..=86_400).contains(seconds));
                Duration::from_secs(seconds.ok_or("CATALOGUE_TTL: expected seconds, from 1 to 86400")?)
            }
        };
        let egress = match env::var_os("CATALOGUE_LOOPBACK") {
            None => Egress::public(),
            Some(word) if word == "allow" => Egress::public().and_this_machine(),
            Some(word) if word == "refuse" => Egress::public(),
            Some(word) => {
                return Err(format!("CATALOGUE_LOOPBACK is {word:?}: expected `allow` or `refuse`"));
            }
        };
        let database_url = match env::var("DATABASE_URL") {
            Ok(url) => Some(url),
            Err(env::VarError::NotPresent) => None,
            Err(env::VarError::NotUnicode(_)) => return Err("DATABASE_URL is not UTF-8".to_owned()),
        };
        Ok(Settings { database_url, database: database(), time_to_live, egress })
    }
}

impl Settings {
    /// Returns the store of these settings.
    ///
    /// # Errors
    ///
    /// When `DATABASE_URL` is invalid.
    pub fn store(&self) -> Result<Store, StoreError> {
        self.database_url.as_deref().map_or_else(|| Ok(Store::at(&self.database)), Store::postgres)
    }
}

/// Leaves the URL out, which may hold a password.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("database", &self.database)
            .field("time_to_live", &self.time_to_live)
            .finish_non_exhaustive()
    }
}

fn database() -> PathBuf {
    env::var_os("CATALOGUE_DATABASE").map_or_else(
        || dirs::data_dir().unwrap_or_else(env::temp_dir).join("catalogue").join("catalogue.sqlite"),
        PathBuf::from,
    )
}
