//! Settings from the environment.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use crate::egress::Egress;

/// The default lifetime of a list.
const TIME_TO_LIVE: Duration = Duration::from_secs(60);

/// The settings of this program.
///
/// ```
/// let settings = catalogue::Settings::from_environment()?;
/// assert!(settings.time_to_live.as_secs() > 0);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
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
    /// When a variable is invalid, with its name and the expected value.
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
        Ok(Settings { database: database(), time_to_live, egress })
    }
}

fn database() -> PathBuf {
    env::var_os("CATALOGUE_DATABASE").map_or_else(
        || dirs::data_dir().unwrap_or_else(env::temp_dir).join("catalogue").join("catalogue.sqlite"),
        PathBuf::from,
    )
}
