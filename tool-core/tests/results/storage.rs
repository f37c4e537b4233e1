//! A storage in memory with configurable faults.

use std::collections::HashMap;
use std::future::{pending, ready};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tool_core::BoxFuture;
use tool_core::results::{ManagedStorage, StoredBytes, StoredObject};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Fault {
    #[default]
    None,
    /// Writes fail, as on a full disk.
    Full,
    /// Every operation fails.
    Unavailable,
    /// Deletes fail.
    DeleteFails,
    /// No operation completes.
    Hangs,
}

#[derive(Clone, Default)]
pub(crate) struct FaultyStorage(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    fault: Fault,
    objects: HashMap<String, (Bytes, Duration)>,
    writes: usize,
}

impl FaultyStorage {
    pub(crate) fn set(&self, fault: Fault) {
        self.0.lock().unwrap().fault = fault;
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().objects.keys().cloned().collect()
    }

    pub(crate) fn writes(&self) -> usize {
        self.0.lock().unwrap().writes
    }

    /// Sets the age of every object.
    pub(crate) fn age_all(&self, age: Duration) {
        self.0.lock().unwrap().objects.values_mut().for_each(|object| object.1 = age);
    }

    pub(crate) fn insert(&self, name: &str, bytes: &'static [u8]) {
        self.0.lock().unwrap().objects.insert(name.to_owned(), (Bytes::from_static(bytes), Duration::ZERO));
    }

    /// Changes one byte of every object.
    pub(crate) fn corrupt(&self) {
        for (bytes, _) in self.0.lock().unwrap().objects.values_mut() {
            let mut corrupted = bytes.to_vec();
            *corrupted.last_mut().unwrap() ^= 1;
            *bytes = corrupted.into();
        }
    }

    fn answer<T: Send + 'static>(
        &self,
        fails: &[Fault],
        work: impl FnOnce(&mut Inner) -> T,
    ) -> BoxFuture<'static, io::Result<T>> {
        let mut inner = self.0.lock().unwrap();
        match inner.fault {
            Fault::Hangs => Box::pin(pending()),
            fault if fails.contains(&fault) => {
                Box::pin(ready(Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device"))))
            }
            _ => Box::pin(ready(Ok(work(&mut inner)))),
        }
    }
}

impl ManagedStorage for FaultyStorage {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        self.answer(&[Fault::Full, Fault::Unavailable], |inner| {
            inner.writes += 1;
            inner.objects.insert(name.to_owned(), (bytes, Duration::ZERO));
        })
    }

    fn get<'a>(&'a self, name: &'a str, _: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        self.answer(&[Fault::Unavailable], |inner| {
            let (bytes, age) = inner.objects.get(name)?.clone();
            Some(StoredBytes { bytes, age })
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
        self.answer(&[Fault::Unavailable, Fault::DeleteFails], |inner| drop(inner.objects.remove(name)))
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
        self.answer(&[Fault::Unavailable], |inner| {
            let object = |(name, (bytes, age)): (&String, &(Bytes, Duration))| StoredObject {
                name: name.clone(),
                bytes: bytes.len() as u64,
                age: *age,
            };
            inner.objects.iter().map(object).collect()
        })
    }
}
