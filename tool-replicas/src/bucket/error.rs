//! Why a bucket cannot be used.

/// Why a bucket cannot be used.
///
/// ```
/// use tool_replicas::{Bucket, BucketError, BucketOptions};
///
/// let error = Bucket::new(BucketOptions::new("")).unwrap_err();
/// assert_eq!(error.to_string(), "no bucket is named\nhelp: set `AWS_BUCKET`, or call `BucketOptions::bucket`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BucketError {
    /// The options do not name a bucket.
    #[error("no bucket is named\nhelp: set `AWS_BUCKET`, or call `BucketOptions::bucket`")]
    NoBucket,
    /// The prefix cannot be part of a key.
    #[error("`{0}` cannot be the beginning of a key: parts between `/` are not empty, `.` or `..`")]
    Prefix(String),
    /// The address of the endpoint has a user or a password.
    #[error("the endpoint has credentials in its address\nhelp: call `BucketOptions::credentials`")]
    CredentialsInEndpoint,
    /// The root certificates cannot be read.
    #[error("the root certificates cannot be used: {0}")]
    Certificates(String),
    /// The options are incomplete, or contradict each other.
    #[error("the options of the bucket cannot be used: {0}")]
    Options(String),
}
