//! What callers ask of an engine.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::{Instant, sleep, timeout};
use tool_core::Principal;
use tool_core::tasks::{NewTask, Owner, Task, TaskAnswer, TaskError, TaskId, TaskOutcome, TaskState};

use crate::core::{Core, end, find};
use crate::database::{BACK_OFF, DatabaseError, Stored, Transaction, cells};
use crate::record::{
    FIND_KEY, FIND_TASK, INSERT, LIST, LIST_AFTER, Record, now, read_task, to_json, to_milliseconds,
};

const DELETE_EXPIRED: &str =
    "DELETE FROM tool_task WHERE owner = $1 AND tool = $2 AND key = $3 AND expires <= $4";

const COUNT_OPEN: &str = "SELECT COUNT(*) FROM (SELECT 1 FROM tool_task WHERE owner = $1 \
     AND state IN ('working', 'input_required') AND expires > $2 LIMIT $3) AS open";

const FIND_CREATED: &str = "SELECT created FROM tool_task WHERE id = $1 AND owner = $2";

/// Lets a task go on with its answers.
pub(crate) const RESUME: &str = "UPDATE tool_task SET state = 'working', resuming = 1, questions = NULL, answers = $3, \
     version = version + 1, updated = $4 WHERE id = $1 AND attempt = $2 AND state = 'input_required'";

const ANSWER: &str = "UPDATE tool_task SET questions = $5, answers = $3, version = version + 1, updated = $4 \
     WHERE id = $1 AND attempt = $2 AND state = 'input_required'";

const CANCEL: &str = "UPDATE tool_task SET cancel = 1, version = version + 1, updated = $3 \
     WHERE id = $1 AND attempt = $2 AND cancel = 0";

const FIND_VERSION: &str = "SELECT version FROM tool_task WHERE id = $1";

/// How long [`changed`] waits at most.
const CHANGED: Duration = Duration::from_secs(20);

/// Creates a task.
pub(crate) async fn create(core: &Core, new: NewTask) -> Result<Task, TaskError> {
    let mut transaction = core.database.begin().await?;
    let digest = new.arguments_digest().to_string();
    let found = match &new.key {
        Some(key) => existing(&mut *transaction, &new, &to_json(key)).await?,
        None => None,
    };
    let (task, is_new) = match found {
        Some(found) => (found, false),
        None => insert(core, &mut *transaction, &new, &digest).await?,
    };
    if is_new {
        transaction.commit().await?;
        core.notify_workers();
    } else if task.1 != digest {
        return Err(TaskError::Conflict);
    }
    Ok(task.0)
}

/// Returns the task with the key, and the digest of its arguments.
async fn existing(
    transaction: &mut dyn Transaction,
    new: &NewTask,
    key: &str,
) -> Stored<Option<(Task, String)>> {
    let owner = Owner::digest(&new.owner).hex();
    let values = cells![owner.as_str(), new.tool.as_str(), key, now()];
    transaction.execute(DELETE_EXPIRED, values).await?;
    let rows = transaction.rows(FIND_KEY, cells![owner, new.tool.as_str(), key]).await?;
    rows.into_iter().next().map(read_task).transpose()
}

/// Stores the task and its entry in the queue, or returns the task with this key that another process has just created.
async fn insert(
    core: &Core,
    transaction: &mut dyn Transaction,
    new: &NewTask,
    digest: &str,
) -> Result<((Task, String), bool), TaskError> {
    let owner = Owner::digest(&new.owner).hex();
    let max = core.options.max_open;
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    let open = transaction.rows(COUNT_OPEN, cells![owner.as_str(), now(), limit]).await?;
    if open.into_iter().next().is_some_and(|mut row| row.int() >= limit) {
        return Err(TaskError::TooMany(max));
    }
    let id = new.id.to_string();
    let key = new.key.as_ref().map(to_json);
    let created = now();
    let ttl = to_milliseconds(new.options.ttl);
    let values = cells![
        id.as_str(),
        owner.as_str(),
        to_json(&Owner::from(&new.owner)),
        new.tool.as_str(),
        new.arguments.as_str(),
        digest,
        key.clone(),
        i64::from(new.options.retries),
        new.options.attempt_timeout.map(to_milliseconds),
        created,
        created.saturating_add(ttl),
        to_milliseconds(new.options.poll),
        ttl,
        new.trace.map(|trace| trace.to_string()),
        (!new.answers.is_empty()).then(|| to_json(&new.answers)),
    ];
    if let Some(row) = transaction.rows(INSERT, values).await?.into_iter().next() {
        transaction.push(&id, Duration::ZERO).await?;
        return Ok((read_task(row)?, true));
    }
    let rows = transaction.rows(FIND_KEY, cells![owner, new.tool.as_str(), key]).await?;
    Ok((first(rows)?, false))
}

fn first(rows: Vec<crate::database::Row>) -> Stored<(Task, String)> {
    let missing = || DatabaseError::Away("the task was deleted while it was created".to_owned());
    read_task(rows.into_iter().next().ok_or_else(missing)?)
}

/// Returns the task of this owner.
pub(crate) async fn get(core: &Core, owner: &Principal, id: &TaskId) -> Result<Option<Task>, TaskError> {
    let values = cells![id.to_string(), Owner::digest(owner).hex(), now()];
    let rows = core.database.rows(FIND_TASK, values).await?;
    Ok(rows.into_iter().next().map(read_task).transpose()?.map(|(task, _)| task))
}

/// Lists tasks of this owner.
pub(crate) async fn list(
    core: &Core,
    owner: &Principal,
    after: Option<&TaskId>,
    limit: usize,
) -> Result<Vec<Task>, TaskError> {
    if owner.id().is_none() {
        return Ok(Vec::new());
    }
    let owner = Owner::digest(owner).hex();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = match after {
        None => core.database.rows(LIST, cells![owner, now(), limit]).await?,
        Some(after) => {
            let after = after.to_string();
            let found = core.database.rows(FIND_CREATED, cells![after.as_str(), owner.as_str()]).await?;
            let Some(mut row) = found.into_iter().next() else {
                return Ok(Vec::new());
            };
            core.database.rows(LIST_AFTER, cells![owner, now(), limit, row.int(), after]).await?
        }
    };
    let tasks = rows.into_iter().map(|row| read_task(row).map(|(task, _)| task));
    Ok(tasks.collect::<Stored<_>>()?)
}

/// Finds the record of this owner, if it has not expired.
async fn find_of(
    transaction: &mut dyn Transaction,
    owner: &Principal,
    id: &TaskId,
) -> Stored<Option<Record>> {
    let owner = Owner::digest(owner).hex();
    let record = find(transaction, &id.to_string()).await?;
    Ok(record.filter(|record| record.owner == owner && record.expires > now()))
}

/// Answers questions of a task.
pub(crate) async fn answer(
    core: &Core,
    owner: &Principal,
    id: &TaskId,
    answers: Map<String, Value>,
) -> Result<bool, TaskError> {
    let mut transaction = core.database.begin().await?;
    let Some(mut record) = find_of(&mut *transaction, owner, id).await? else {
        return Ok(false);
    };
    let open = record.questions.len();
    for (key, answer) in answers {
        if record.state == TaskState::InputRequired
            && let Some(question) = record.questions.remove(&key)
        {
            record.answers.insert(key, TaskAnswer { digest: question.digest, answer });
        }
    }
    if record.questions.len() == open {
        return Ok(true);
    }
    let text = id.to_string();
    let mut values = cells![text.as_str(), record.attempt, to_json(&record.answers), now()];
    if record.questions.is_empty() {
        transaction.execute(RESUME, values).await?;
        transaction.remove(&text).await?;
        transaction.push(&text, Duration::ZERO).await?;
    } else {
        values.extend(cells![to_json(&record.questions)]);
        transaction.execute(ANSWER, values).await?;
    }
    transaction.commit().await?;
    core.notify_workers();
    core.notify(id);
    Ok(true)
}

/// Cancels a task.
pub(crate) async fn cancel(core: &Core, owner: &Principal, id: &TaskId) -> Result<bool, TaskError> {
    let mut transaction = core.database.begin().await?;
    let Some(mut record) = find_of(&mut *transaction, owner, id).await? else {
        return Ok(false);
    };
    if record.state.has_ended() {
        return Ok(true);
    }
    if record.worker.is_some() {
        transaction.execute(CANCEL, cells![id.to_string(), record.attempt, now()]).await?;
    } else {
        record.is_canceled = true;
        end(&mut *transaction, &record, &TaskOutcome::canceled()).await?;
    }
    transaction.commit().await?;
    core.running.cancel(id);
    core.notify(id);
    Ok(true)
}

/// Waits until a task is newer than `version`.
pub(crate) async fn changed(core: &Core, id: &TaskId, version: u64) {
    core.database.listen(&core.changes);
    let waiter = core.changes.wait(*id);
    let until = Instant::now() + CHANGED;
    // Most tasks that are waited for end soon: often at first, and then less and less.
    let mut pause = Duration::from_millis(20);
    loop {
        let mut notified = std::pin::pin!(waiter.notify.notified());
        notified.as_mut().enable();
        match core.database.rows(FIND_VERSION, cells![id.to_string()]).await {
            Ok(rows) => {
                let found = rows.into_iter().next().and_then(|mut row| row.int_or_null());
                if found.and_then(|found| u64::try_from(found).ok()).is_none_or(|found| found > version) {
                    return;
                }
            }
            Err(_) => return sleep(BACK_OFF.1).await,
        }
        if Instant::now() >= until {
            return;
        }
        let look = if core.database.is_listening() { core.options.listening_poll } else { pause };
        let _ = timeout(look.min(until - Instant::now()), notified).await;
        pause = (pause * 3 / 2).min(Duration::from_secs(1));
    }
}
