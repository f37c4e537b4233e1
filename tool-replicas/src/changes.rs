//! Changes of tools and resources, which one replica makes and all replicas notify their clients of.

mod listener;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use futures_util::stream;
use sqlx::postgres::PgConnectOptions;
use tool_mcp::Update;

use self::listener::Listener;
use crate::database::{Database, InvalidDatabaseUrl, options};

/// PostgreSQL refuses longer names of channels.
const MOST_CHANNEL_BYTES: usize = 63;

/// PostgreSQL refuses longer payloads.
const MOST_PAYLOAD_BYTES: usize = 7_999;

/// How long a connection may be silent before it is checked.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Notifies all replicas of changes over PostgreSQL (`LISTEN` and `NOTIFY`).
///
/// Handles of one database and channel belong together: what one [notifies](Self::notify) of, the [streams](Self::listen) of all
/// yield, in the same process, too. The payload of a notification is the URI of a resource. An empty payload says that anything
/// may have changed, and so does [`Update::Any`].
///
/// What is in the same database is better notified by the transaction that changes it: `SELECT pg_notify('pages', 'site://page/7')`,
/// also in a trigger. PostgreSQL then delivers the notification with the commit, whoever makes the change, and never without it.
///
/// ```no_run
/// use tool_core::Registry;
/// use tool_mcp::{Server, Update, Updates};
/// use tool_replicas::PostgresChanges;
///
/// # async fn run(registry: Registry) -> Result<(), Box<dyn std::error::Error>> {
/// let pages = PostgresChanges::at("postgres://site@database/site", "pages")?;
/// let updates = Updates::new();
/// tokio::spawn(updates.follow(pages.listen()));
/// let server = Server::new(registry).name("site").updates(&updates);
///
/// // Later, on any replica:
/// pages.notify(&Update::resource("site://page/7")).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresChanges {
    options: Arc<PgConnectOptions>,
    channel: Arc<str>,
    keepalive: Duration,
    /// The connection that notifies, which is opened at the first use.
    sender: Arc<Database>,
}

impl PostgresChanges {
    /// Creates a handle of a channel in the database at this URL. It connects at its first use, which needs a tokio runtime; the
    /// name of the channel is compared as it is.
    ///
    /// # Errors
    ///
    /// When the URL is invalid, or the name of the channel is empty or has more than 63 bytes.
    ///
    /// ```
    /// use tool_replicas::PostgresChanges;
    ///
    /// assert!(PostgresChanges::at("postgres://site@database/site", "pages").is_ok());
    /// let error = PostgresChanges::at("mysql:site", "pages").unwrap_err();
    /// assert_eq!(error.to_string(), "the URL of the database is invalid: expected `postgres://user:password@host:port/database`");
    /// ```
    pub fn at(url: &str, channel: &str) -> Result<Self, ChangesError> {
        let options = options(url)?;
        if !(1..=MOST_CHANNEL_BYTES).contains(&channel.len()) || channel.contains('\0') {
            return Err(ChangesError::InvalidChannel(channel.chars().take(MOST_CHANNEL_BYTES).collect()));
        }
        Ok(PostgresChanges {
            sender: Arc::new(Database::new(options.clone(), 1, None)),
            options: Arc::new(options),
            channel: channel.into(),
            keepalive: KEEPALIVE,
        })
    }

    /// Sets how long the connection of a stream may be silent before the stream checks it, and how long it waits for the answer;
    /// the default is ten seconds. A connection that the network has dropped counts as lost after twice this time.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_replicas::PostgresChanges;
    ///
    /// let pages = PostgresChanges::at("postgres://site@database/site", "pages")?.keepalive(Duration::from_secs(2));
    /// # Ok::<(), tool_replicas::ChangesError>(())
    /// ```
    #[must_use]
    pub fn keepalive(self, time: Duration) -> Self {
        PostgresChanges { keepalive: time, ..self }
    }

    /// Notifies all replicas of a change, this one included.
    ///
    /// A URI of 8,000 bytes or more, which PostgreSQL does not deliver, becomes [`Update::Any`].
    ///
    /// # Errors
    ///
    /// When there is no connection to the database within two seconds, or it does not take the notification within five. The replicas that listen do not
    /// learn of the change then.
    ///
    /// ```no_run
    /// # async fn run(pages: tool_replicas::PostgresChanges) -> Result<(), tool_replicas::ChangesError> {
    /// use tool_mcp::Update;
    ///
    /// pages.notify(&Update::resource("site://page/7")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn notify(&self, update: &Update) -> Result<(), ChangesError> {
        let notify = sqlx::query("SELECT pg_notify($1, $2)").bind(self.channel.to_string());
        let notified = self.sender.run(notify.bind(payload(update).to_owned())).await;
        notified.map(drop).map_err(|error| ChangesError::Database(error.to_string()))
    }

    /// Returns the changes that all replicas notify of, from the first poll on: a stream that never ends.
    ///
    /// The stream has a connection of its own. It yields [`Update::Any`] whenever it has connected: the first time, and after
    /// each loss of the connection, since notifications of the meantime are lost. If the database cannot be reached, it tries again
    /// after pauses of up to five seconds. Polls need a tokio runtime. Dropping the stream closes the connection.
    ///
    /// A proxy that gives each transaction another connection, such as `PgBouncer` with `pool_mode = transaction`, does not deliver
    /// notifications. The stream then yields [`Update::Any`] several times a minute, and the log says why: connect to PostgreSQL itself.
    ///
    /// ```no_run
    /// use futures_util::StreamExt as _;
    /// use tool_mcp::Update;
    ///
    /// # async fn run(pages: tool_replicas::PostgresChanges) {
    /// let mut updates = std::pin::pin!(pages.listen());
    /// while let Some(update) = updates.next().await {
    ///     match update {
    ///         Update::Resource(uri) => println!("{uri} has changed"),
    ///         _ => println!("anything may have changed"),
    ///     }
    /// }
    /// # }
    /// ```
    pub fn listen(&self) -> impl Stream<Item = Update> + Send + use<> {
        let listener = Listener::new(Arc::clone(&self.options), Arc::clone(&self.channel), self.keepalive);
        let received = stream::unfold(listener, async |mut listener| {
            let payload = listener.next().await;
            Some((payload, listener))
        });
        futures_util::StreamExt::map(received, |payload| update(&payload))
    }
}

/// Returns the payload that says what has changed.
fn payload(update: &Update) -> &str {
    match update {
        Update::Resource(uri) if uri.len() <= MOST_PAYLOAD_BYTES && !uri.contains('\0') => uri,
        _ => "",
    }
}

/// Returns what a payload says.
fn update(payload: &str) -> Update {
    if payload.is_empty() { Update::Any } else { Update::resource(payload) }
}

/// Leaves the URL out, which may hold a password.
impl fmt::Debug for PostgresChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresChanges").field("channel", &self.channel).finish_non_exhaustive()
    }
}

/// The reason why replicas cannot be notified.
///
/// ```
/// use tool_replicas::ChangesError;
///
/// let error = ChangesError::InvalidChannel(String::new());
/// assert_eq!(error.to_string(), "the channel `` is invalid: expected a name of 1 to 63 bytes");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangesError {
    /// The URL is not that of a PostgreSQL database. It is left out, since it may hold a password.
    #[error(transparent)]
    InvalidUrl(#[from] InvalidDatabaseUrl),
    /// The channel is empty or too long.
    #[error("the channel `{0}` is invalid: expected a name of 1 to 63 bytes")]
    InvalidChannel(String),
    /// The database cannot be reached, or refuses the notification.
    #[error("the database did not take the notification: {0}")]
    Database(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_that_postgres_refuses_become_any() {
        for (uri, kept) in [
            ("site://page/7".to_owned(), true),
            (format!("site://{}", "x".repeat(MOST_PAYLOAD_BYTES - 7)), true),
            (format!("site://{}", "x".repeat(MOST_PAYLOAD_BYTES - 6)), false),
            (format!("site://{}", "\u{e9}".repeat(4_000)), false),
            ("a\0b".to_owned(), false),
            (String::new(), false),
        ] {
            let sent = Update::resource(&uri);
            assert_eq!(update(payload(&sent)), if kept { sent } else { Update::Any }, "{} bytes", uri.len());
        }
        assert_eq!(update(payload(&Update::Any)), Update::Any);
    }

    #[test]
    fn errors_and_debug_texts_do_not_show_the_password() {
        let url = "postgres://site:hunter2@database:port/site";
        let error = PostgresChanges::at(url, "pages").unwrap_err();
        assert_eq!(error, ChangesError::InvalidUrl(InvalidDatabaseUrl));
        let changes = PostgresChanges::at("postgres://site:hunter2@database/site", "pages").unwrap();
        assert_eq!(format!("{changes:?} {error}").matches("hunter2").count(), 0);
    }

    #[test]
    fn refuses_names_that_are_no_channel() {
        let at = |channel: &str| PostgresChanges::at("postgres://site@database/site", channel).map(drop);
        assert_eq!(at(&"c".repeat(63)), Ok(()));
        for channel in ["", "a\0b", &"c".repeat(64)] {
            assert!(matches!(at(channel), Err(ChangesError::InvalidChannel(_))), "{channel}");
        }
    }
}
