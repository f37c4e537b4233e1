//! The bounded table of keys whose calls are counted.

use std::collections::HashMap;
use std::sync::Mutex;

use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::ShrinkableKeyedStateStore;

use crate::model::lock::lock;

/// The times of keys, at most a number of them.
///
/// A time is that at which a key has its whole limit again. A key in use is never removed: it would get a new limit. Keys that come when
/// the table is full share one time.
#[derive(Debug)]
pub(super) struct KeyTable {
    most: usize,
    times: Mutex<Times>,
}

#[derive(Debug, Default)]
struct Times {
    of_keys: HashMap<u64, Nanos>,
    of_others: Option<Nanos>,
}

impl KeyTable {
    pub(super) fn new(most: usize) -> Self {
        KeyTable { most, times: Mutex::default() }
    }
}

impl StateStore for KeyTable {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut times = lock(&self.times);
        let Times { of_keys, of_others } = &mut *times;
        if let Some(time) = of_keys.get_mut(key) {
            let (decision, next) = decide(Some(*time))?;
            *time = next;
            return Ok(decision);
        }
        if of_keys.len() < self.most {
            let (decision, next) = decide(None)?;
            of_keys.insert(*key, next);
            return Ok(decision);
        }
        let (decision, next) = decide(*of_others)?;
        *of_others = Some(next);
        Ok(decision)
    }
}

impl ShrinkableKeyedStateStore<u64> for KeyTable {
    fn retain_recent(&self, drop_below: Nanos) {
        lock(&self.times).of_keys.retain(|_, time| *time > drop_below);
    }

    fn shrink_to_fit(&self) {
        lock(&self.times).of_keys.shrink_to_fit();
    }

    fn len(&self) -> usize {
        lock(&self.times).of_keys.len()
    }

    fn is_empty(&self) -> bool {
        lock(&self.times).of_keys.is_empty()
    }
}
