//! A storage that does what it is told: it fails, it does not answer, and it says what it has.

use std::collections::HashMap;
use std::future::{pending, ready};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tool_core::BoxFuture;
use tool_core::results::{ResultStorage, StoredObject};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Mood {
    #[default]
    Fine,
    /// Every write fails, as on a disk that is full.
    Full,
    /// Nothing can be read or written.
    Gone,
    /// What can be written cannot be deleted.
    Clings,
    /// It does not answer.
    Hangs,
}

#[derive(Clone, Default)]
pub(crate) struct Shelf(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    mood: Mood,
    objects: HashMap<String, (Bytes, Duration)>,
    writes: usize,
}

impl Shelf {
    pub(crate) fn set(&self, mood: Mood) {
        self.0.lock().unwrap().mood = mood;
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().objects.keys().cloned().collect()
    }

    pub(crate) fn writes(&self) -> usize {
        self.0.lock().unwrap().writes
    }

    /// Has something from before, of this age.
    pub(crate) fn age_all(&self, age: Duration) {
        self.0.lock().unwrap().objects.values_mut().for_each(|object| object.1 = age);
    }

    pub(crate) fn insert(&self, name: &str, bytes: &'static [u8]) {
        self.0.lock().unwrap().objects.insert(name.to_owned(), (Bytes::from_static(bytes), Duration::ZERO));
    }

    /// Spoils everything that it has.
    pub(crate) fn spoil(&self) {
        for (bytes, _) in self.0.lock().unwrap().objects.values_mut() {
            let mut spoilt = bytes.to_vec();
            *spoilt.last_mut().unwrap() ^= 1;
            *bytes = spoilt.into();
        }
    }

    fn answer<T: Send + 'static>(
        &self,
        fails: &[Mood],
        work: impl FnOnce(&mut Inner) -> T,
    ) -> BoxFuture<'static, io::Result<T>> {
        let mut inner = self.0.lock().unwrap();
        match inner.mood {
            Mood::Hangs => Box::pin(pending()),
            mood if fails.contains(&mood) => {
                Box::pin(ready(Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device"))))
            }
            _ => Box::pin(ready(Ok(work(&mut inner)))),
        }
    }
}

impl ResultStorage for Shelf {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        self.answer(&[Mood::Full, Mood::Gone], |inner| {
            inner.writes += 1;
            inner.objects.insert(name.to_owned(), (bytes, Duration::ZERO));
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Bytes>>> {
        self.answer(&[Mood::Gone], |inner| inner.objects.get(name).map(|(bytes, _)| bytes.clone()))
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
        self.answer(&[Mood::Gone, Mood::Clings], |inner| drop(inner.objects.remove(name)))
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
        self.answer(&[Mood::Gone], |inner| {
            let object = |(name, (bytes, age)): (&String, &(Bytes, Duration))| StoredObject {
                name: name.clone(),
                bytes: bytes.len() as u64,
                age: *age,
            };
            inner.objects.iter().map(object).collect()
        })
    }
}
