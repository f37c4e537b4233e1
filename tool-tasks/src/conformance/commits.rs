//! A database that calls a function of a test before and after each commit, and when a worker begins a heartbeat.

use std::sync::Arc;
use std::time::Duration;

use tool_core::BoxFuture;
use tool_core::tasks::TaskId;

use crate::changes::Changes;
use crate::core::{END, INPUT_REQUIRED, RELEASE};
use crate::database::{Cell, Database, Row, Stored, Transaction};
use crate::record::INSERT;
use crate::requests::RESUME;
use crate::worker::claim::BEGIN;
use crate::worker::watch::FOREIGN;

/// The kinds of transactions, by a statement that each of them has.
const KINDS: [(&str, &str); 6] = [
    (INSERT, "create"),
    (BEGIN, "claim"),
    (END, "end"),
    (RELEASE, "release"),
    (INPUT_REQUIRED, "question"),
    (RESUME, "answer"),
];

type Hook = Arc<dyn Fn(&str) + Send + Sync>;

/// Returns the database, whose commits call `hook`.
pub(crate) fn observe(database: Arc<dyn Database>, hook: Hook) -> Arc<dyn Database> {
    Arc::new(ObservedDatabase { database, hook })
}

struct ObservedDatabase {
    database: Arc<dyn Database>,
    hook: Hook,
}

impl Database for ObservedDatabase {
    fn for_heartbeat(&self) -> Arc<dyn Database> {
        observe(self.database.for_heartbeat(), Arc::clone(&self.hook))
    }

    fn begin(&self) -> BoxFuture<'_, Stored<Box<dyn Transaction>>> {
        Box::pin(async {
            let transaction = self.database.begin().await?;
            let observed =
                ObservedTransaction { transaction, hook: Arc::clone(&self.hook), kinds: Vec::new() };
            Ok(Box::new(observed) as Box<dyn Transaction>)
        })
    }

    fn rows(&self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'_, Stored<Vec<Row>>> {
        if sql == FOREIGN {
            (self.hook)("heartbeat");
        }
        self.database.rows(sql, values)
    }

    fn is_due(&self) -> BoxFuture<'_, Stored<bool>> {
        self.database.is_due()
    }

    fn lost(&self, limit: i64) -> BoxFuture<'_, Stored<Vec<String>>> {
        self.database.lost(limit)
    }

    fn announce(&self, id: &TaskId) {
        self.database.announce(id);
    }

    fn listen(&self, changes: &Arc<Changes>) {
        self.database.listen(changes);
    }

    fn is_listening(&self) -> bool {
        self.database.is_listening()
    }
}

struct ObservedTransaction {
    transaction: Box<dyn Transaction>,
    hook: Hook,
    /// The kinds of what it did.
    kinds: Vec<&'static str>,
}

impl ObservedTransaction {
    fn note(&mut self, sql: &str) {
        self.kinds.extend(KINDS.iter().filter(|(statement, _)| *statement == sql).map(|(_, kind)| kind));
    }
}

impl Transaction for ObservedTransaction {
    fn execute<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<u64>> {
        self.note(sql);
        self.transaction.execute(sql, values)
    }

    fn rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        self.note(sql);
        self.transaction.rows(sql, values)
    }

    fn lock_rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        self.transaction.lock_rows(sql, values)
    }

    fn register<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Stored<()>> {
        self.transaction.register(name)
    }

    fn remove_names<'a>(&'a mut self, worker: Option<&'a str>) -> BoxFuture<'a, Stored<()>> {
        self.transaction.remove_names(worker)
    }

    fn push<'a>(&'a mut self, id: &'a str, delay: Duration) -> BoxFuture<'a, Stored<()>> {
        self.transaction.push(id, delay)
    }

    fn fetch<'a>(&'a mut self, worker: &'a str, limit: usize) -> BoxFuture<'a, Stored<Vec<String>>> {
        self.transaction.fetch(worker, limit)
    }

    fn remove<'a>(&'a mut self, id: &'a str) -> BoxFuture<'a, Stored<()>> {
        self.transaction.remove(id)
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Stored<()>> {
        let ObservedTransaction { transaction, hook, kinds } = *self;
        Box::pin(async move {
            kinds.iter().for_each(|kind| hook(&format!("before {kind}")));
            transaction.commit().await?;
            kinds.iter().for_each(|kind| hook(&format!("after {kind}")));
            Ok(())
        })
    }
}
