//! Large results in a bucket of S3.

mod connector;
mod error;
mod options;

use std::fmt;
use std::io;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt as _};
use tool_core::BoxFuture;
use tool_core::results::{SharedStorage, StoredBytes};

pub use error::BucketError;
pub use options::BucketOptions;

/// A bucket of S3, or of a service that is compatible, where replicas of an application keep large results.
///
/// A result that one replica has stored is read by all others, and none of them lists the bucket. The bucket deletes old results
/// itself: give it a lifecycle rule, as the front page of this crate shows. Until then,
/// [`ResultLimits::age`](tool_core::results::ResultLimits::age) hides them, by the clock of the replica.
///
/// A request that fails is tried again, at most twice, within bounds (see [`BucketOptions::timeout`]). Errors and logs have the
/// status and the code of an answer, and nothing else of it, since S3 repeats credentials there.
///
/// ```
/// use tool_core::Registry;
/// use tool_core::results::ResultStore;
/// use tool_replicas::{Bucket, BucketOptions};
///
/// let options = BucketOptions::new("results").region("eu-central-1").credentials("AKIAEXAMPLE", "secret");
/// let store = ResultStore::shared(Bucket::new(options)?);
/// let registry = Registry::builder().allow_empty().storing(store).build().unwrap();
/// # Ok::<(), tool_replicas::BucketError>(())
/// ```
pub struct Bucket {
    objects: AmazonS3,
    name: String,
    /// Ends with a `/`, or is empty.
    prefix: String,
}

impl Bucket {
    /// Creates a client of a bucket. It sends nothing yet; [`check`](Self::check) does.
    ///
    /// # Errors
    ///
    /// If the options are incomplete or contradict each other.
    ///
    /// ```
    /// use tool_replicas::{Bucket, BucketOptions};
    ///
    /// let bucket = Bucket::new(BucketOptions::new("results").endpoint("https://s3.example.com"))?;
    /// # Ok::<(), tool_replicas::BucketError>(())
    /// ```
    pub fn new(options: BucketOptions) -> Result<Self, BucketError> {
        let (name, prefix) = (options.name()?, options.object_prefix()?);
        Ok(Bucket { objects: options.client()?, name, prefix })
    }

    /// Reads from the bucket, so that a wrong name, address or credential is reported when the application starts.
    ///
    /// # Errors
    ///
    /// If the bucket does not exist, does not answer in time, or denies access. S3 also denies access to an object that does not
    /// exist if the credentials lack `s3:ListBucket`.
    ///
    /// ```no_run
    /// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
    /// use tool_replicas::{Bucket, BucketOptions};
    ///
    /// let bucket = Bucket::new(BucketOptions::from_env())?;
    /// bucket.check().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check(&self) -> io::Result<()> {
        let zeros = "0".repeat(64);
        match self.get(&format!("{zeros}/{zeros}"), 0).await {
            // It can be read.
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(()),
            found => found.map(drop),
        }
    }

    /// Returns the key of an object.
    fn key(&self, name: &str) -> io::Result<Path> {
        let key = Path::parse(format!("{}{name}", self.prefix));
        key.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
    }

    async fn read(&self, key: &Path, most: u64) -> io::Result<Option<StoredBytes>> {
        let found = match self.objects.get(key).await {
            Ok(found) if found.meta.size > most => return Err(io::ErrorKind::FileTooLarge.into()),
            Ok(found) => found,
            Err(error @ Error::NotFound { .. }) if !is_without_bucket(&error) => return Ok(None),
            Err(error) => return Err(io::Error::other(error)),
        };
        let age = age(found.meta.last_modified.timestamp_millis());
        let bytes = found.bytes().await.map_err(io::Error::other)?;
        Ok(Some(StoredBytes { bytes, age }))
    }
}

impl SharedStorage for Bucket {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let stored = self.objects.put(&self.key(name)?, bytes.into()).await;
            stored.map(drop).map_err(io::Error::other)
        })
    }

    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        Box::pin(async move { self.read(&self.key(name)?, most).await })
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bucket { name, prefix, .. } = self;
        f.debug_struct("Bucket").field("name", name).field("prefix", prefix).finish_non_exhaustive()
    }
}

/// Returns `true` if the bucket does not exist, which the type of the error does not distinguish from a missing object.
fn is_without_bucket(error: &Error) -> bool {
    error.to_string().contains("NoSuchBucket")
}

/// Returns the age of an object that was written at this Unix time in milliseconds; zero if that is in the future.
fn age(modified: i64) -> Duration {
    let now = UNIX_EPOCH.elapsed().unwrap_or_default();
    now.saturating_sub(u64::try_from(modified).map(Duration::from_millis).unwrap_or_default())
}
