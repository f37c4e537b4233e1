//! Clients that do one thing after another, and a database that restarts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use fixture_postgres::PostgresServer;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until, timeout};

use crate::actions::{ACTIONS, Action, choose};
use crate::world::World;

/// How many clients there are at once.
const CLIENTS: u64 = 32;

/// How long an action may take. A task waits for a database that restarts, and for the lease of a worker that was killed.
const ACTION_LIMIT: Duration = Duration::from_secs(180);

/// How often the database restarts.
const RESTARTS: Duration = Duration::from_secs(30);

/// What came of the actions so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    counts: Mutex<BTreeMap<&'static str, u64>>,
    faults: Mutex<Vec<String>>,
}

impl Progress {
    /// Does an action once.
    async fn act(&self, world: &World, action: &Action, rng: &mut Rng) {
        let fault = match timeout(ACTION_LIMIT, (action.run)(world, rng)).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{}: {error:#}", action.name)),
            Err(_) => Some(format!("{}: not done after {ACTION_LIMIT:?}", action.name)),
        };
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry(action.name).or_default() += 1;
        if let Some(fault) = fault {
            let fault: String = fault.chars().take(2_000).collect();
            eprintln!("fault: {fault}");
            self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
        }
    }

    /// How often each action was done.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers that were not expected, and actions that took too long.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Does every action once, so that what is made at the first use is there.
pub(crate) async fn tour(world: &World, progress: &Progress, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    for action in ACTIONS {
        progress.act(world, action, &mut rng).await;
    }
}

/// Lets all clients do actions until a time, and waits until the last of them is done.
pub(crate) async fn clients(world: &Arc<World>, progress: &Arc<Progress>, seed: u64, end: Instant) {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (world, progress) = (Arc::clone(world), Arc::clone(progress));
        let mut rng = Rng::with_seed(seed.wrapping_add(client + 1));
        clients.spawn(async move {
            while Instant::now() < end {
                progress.act(&world, choose(&mut rng), &mut rng).await;
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        if let Err(error) = client {
            progress.faults.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string());
        }
    }
}

/// Kills and starts the database again and again until a time. Returns how often.
pub(crate) async fn restarts(postgres: &Arc<PostgresServer>, end: Instant) -> u64 {
    let mut restarts = 0;
    loop {
        let next = Instant::now() + RESTARTS;
        if next >= end {
            return restarts;
        }
        sleep_until(next).await;
        let postgres = Arc::clone(postgres);
        spawn_blocking(move || postgres.crash()).await.expect("the database starts again");
        restarts += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::net::SocketAddr;

    use anyhow::bail;

    use super::*;
    use crate::actions::Run;
    use crate::ledger::Ledger;
    use crate::world::Program;

    fn world() -> World {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let program = Program { path: "none".into(), database: String::new(), audit: "none".into() };
        World::new(Ledger::new(0), nowhere, nowhere, program)
    }

    #[tokio::test(start_paused = true)]
    async fn reports_actions_that_fail_or_do_not_end() {
        let (world, progress) = (world(), Progress::default());
        for (name, run) in [
            ("good", (|_, _| Box::pin(async { Ok(()) })) as Run),
            ("wrong", |_, _| Box::pin(async { bail!("43 is not 42") })),
            ("hanging", |_, _| Box::pin(pending())),
        ] {
            progress.act(&world, &Action { name, weight: 1, run }, &mut Rng::with_seed(0)).await;
        }
        assert_eq!(progress.faults(), ["wrong: 43 is not 42", "hanging: not done after 180s"]);
        assert_eq!(progress.counts().into_keys().collect::<Vec<_>>(), ["good", "hanging", "wrong"]);
    }
}
