//! Notifications between the processes of a database. They may get lost: polling is the truth.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolOptions};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tool_core::tasks::TaskId;

use crate::changes::Changes;
use crate::database::BACK_OFF;

/// The channel for the ids of tasks that changed.
const CHANGED: &str = "tool_task";

/// The channel of the queue: a trigger of apalis notifies it of each entry that is due.
const QUEUED: &str = "apalis::job::insert";

// A notification that gets lost is no loss: the transaction needs no place on the disk.
const NOTIFY: &str =
    "SELECT set_config('synchronous_commit', 'off', true), pg_notify('tool_task', id) FROM unnest($1) AS id";

/// How many changes wait to be announced at most.
const CAPACITY: usize = 1_024;

/// A task of the runtime that ends when it is dropped.
#[derive(Debug)]
struct Background(JoinHandle<()>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Receives notifications of other processes.
#[derive(Debug, Default)]
pub(super) struct Listener {
    running: Mutex<Option<Background>>,
    is_listening: Arc<AtomicBool>,
}

impl Listener {
    /// Returns `true` if notifications arrive.
    pub(super) fn is_listening(&self) -> bool {
        self.is_listening.load(Ordering::Relaxed)
    }

    /// Starts to listen, unless it does already. A connection that is lost is opened again.
    pub(super) fn start(&self, options: impl FnOnce() -> Option<PgConnectOptions>, changes: &Arc<Changes>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| !running.0.is_finished()) {
            return;
        }
        let Some(options) = options() else { return };
        let listening = listen(options, Arc::clone(changes), Arc::clone(&self.is_listening));
        *running = Some(Background(tokio::spawn(listening)));
    }
}

async fn listen(options: PgConnectOptions, changes: Arc<Changes>, is_listening: Arc<AtomicBool>) {
    let mut pause = BACK_OFF.0;
    loop {
        let Err(error) = receive(&options, &changes, &is_listening).await;
        if is_listening.swap(false, Ordering::Relaxed) {
            pause = BACK_OFF.0;
        }
        tracing::debug!(%error, "notifications of tasks do not arrive; connecting again");
        sleep(pause).await;
        pause = (pause * 2).min(BACK_OFF.1);
    }
}

/// Wakes those who wait until the connection is lost.
async fn receive(
    options: &PgConnectOptions,
    changes: &Changes,
    is_listening: &AtomicBool,
) -> Result<Infallible, sqlx::Error> {
    let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    listener.listen_all([CHANGED, QUEUED]).await?;
    // A proxy may accept to listen, and then not pass on what is notified: this one must arrive first.
    sqlx::query(NOTIFY).bind(vec![String::new()]).execute(&mut listener).await?;
    changes.notify_all();
    while let Some(notification) = listener.try_recv().await? {
        is_listening.store(true, Ordering::Relaxed);
        if notification.channel() == QUEUED {
            changes.due.notify_waiters();
        } else if let Ok(id) = notification.payload().parse() {
            changes.notify(&id);
        }
    }
    Err(sqlx::Error::PoolClosed)
}

/// Announces changes to other processes until the sender is dropped, those that are there at once in one statement.
pub(super) fn announce(pool: PgPool) -> mpsc::Sender<TaskId> {
    let (sender, mut received) = mpsc::channel::<TaskId>(CAPACITY);
    tokio::spawn(async move {
        let mut ids = Vec::new();
        while received.recv_many(&mut ids, CAPACITY).await > 0 {
            let ids: BTreeSet<_> = ids.drain(..).map(|id| id.to_string()).collect();
            let ids: Vec<_> = ids.into_iter().collect();
            if let Err(error) = sqlx::query(NOTIFY).bind(ids).execute(&pool).await {
                tracing::debug!(%error, "a change of tasks cannot be announced");
            }
        }
    });
    sender
}
