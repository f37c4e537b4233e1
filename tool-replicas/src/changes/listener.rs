//! A connection that listens, and is opened again when it is lost.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::time::{sleep, timeout};

/// How long connecting and statements may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The first and the longest pause before connecting again.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Receives the payloads of a channel.
pub(super) struct Listener {
    options: Arc<PgConnectOptions>,
    channel: Arc<str>,
    keepalive: Duration,
    connection: Option<Connection>,
    pause: Duration,
}

impl Listener {
    pub(super) fn new(options: Arc<PgConnectOptions>, channel: Arc<str>, keepalive: Duration) -> Self {
        Listener { options, channel, keepalive, connection: None, pause: BACK_OFF.0 }
    }

    /// Returns the next payload; an empty one when a connection was opened.
    pub(super) async fn next(&mut self) -> String {
        loop {
            let error = match &mut self.connection {
                None => match Connection::open(&self.options, &self.channel).await {
                    Ok(connection) => {
                        self.connection = Some(connection);
                        return String::new();
                    }
                    Err(error) => error,
                },
                Some(connection) => match connection.receive(self.keepalive).await {
                    Ok(payload) => return payload,
                    Err(error) => error,
                },
            };
            // Notifications did arrive: the database is connected to again at once.
            if self.connection.take().is_some_and(|connection| connection.is_proven) {
                self.pause = BACK_OFF.0;
            }
            tracing::warn!(channel = &*self.channel, %error, "notifications of changes do not arrive; connecting again");
            sleep(self.pause).await;
            self.pause = (self.pause * 2).min(BACK_OFF.1);
        }
    }
}

/// Why notifications do not arrive.
#[derive(Debug, thiserror::Error)]
enum ListenError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("the connection was lost")]
    Lost,
    #[error("the database did not answer in time")]
    Silent,
    #[error(
        "the database accepts LISTEN and delivers no notifications: connect to PostgreSQL itself, not to a proxy"
    )]
    NotDelivered,
}

/// A connection that listens to the channel, and to one of its own that checks it.
struct Connection {
    listener: PgListener,
    check: String,
    /// Whether the notification of a check is to arrive.
    is_checking: bool,
    /// Whether any notification has arrived.
    is_proven: bool,
}

impl Connection {
    async fn open(options: &PgConnectOptions, channel: &str) -> Result<Self, ListenError> {
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
        let pool = pool.connect_lazy_with(options.clone());
        let opening = async {
            let mut listener = PgListener::connect_with(&pool).await?;
            listener.eager_reconnect(false);
            let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut listener).await?;
            let check = format!("tool_replicas_{pid}");
            listener.listen_all([channel, &check]).await?;
            Ok::<_, ListenError>(Connection { listener, check, is_checking: false, is_proven: false })
        };
        let mut connection = timeout(2 * TIMEOUT, opening).await.map_err(|_| ListenError::Silent)??;
        connection.check().await?;
        Ok(connection)
    }

    /// Notifies itself.
    async fn check(&mut self) -> Result<(), ListenError> {
        let notify = sqlx::query("SELECT pg_notify($1, '')").bind(&self.check).execute(&mut self.listener);
        timeout(TIMEOUT, notify).await.map_err(|_| ListenError::Silent)??;
        self.is_checking = true;
        Ok(())
    }

    /// Returns the next payload. An error means that the connection is of no more use.
    async fn receive(&mut self, keepalive: Duration) -> Result<String, ListenError> {
        loop {
            // The wait can be canceled: bytes that have arrived stay in the buffer of the connection.
            match timeout(keepalive, self.listener.try_recv()).await {
                Ok(received) => {
                    let notification = received?.ok_or(ListenError::Lost)?;
                    self.is_proven = true;
                    if notification.channel() != self.check {
                        return Ok(notification.payload().to_owned());
                    }
                    self.is_checking = false;
                }
                Err(_) if !self.is_checking => self.check().await?,
                Err(_) if self.is_proven => return Err(ListenError::Silent),
                Err(_) => return Err(ListenError::NotDelivered),
            }
        }
    }
}
