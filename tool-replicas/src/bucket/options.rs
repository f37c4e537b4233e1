//! How a bucket is reached.

use std::fmt;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, RetryConfig};

use crate::bucket::connector::{Connector, tls};
use crate::bucket::error::BucketError;

/// The options of a [`Bucket`](crate::Bucket): its name, where it is, and the credentials for it.
///
/// ```
/// use tool_replicas::BucketOptions;
///
/// let options = BucketOptions::from_env().bucket("results").prefix("weather");
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until a bucket has them"]
pub struct BucketOptions {
    s3: AmazonS3Builder,
    prefix: String,
    /// In PEM.
    certificates: Vec<u8>,
    timeout: Duration,
}

/// How often a request is tried again.
const RETRIES: usize = 2;

impl BucketOptions {
    /// Creates the options of the bucket with this name, in the region `us-east-1` of AWS. Without
    /// [credentials](Self::credentials), those of the machine are asked for, at its metadata service.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results");
    /// ```
    pub fn new(bucket: impl Into<String>) -> Self {
        BucketOptions::of(AmazonS3Builder::new()).bucket(bucket)
    }

    /// Creates options from the environment: `AWS_BUCKET`, `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_ALLOW_HTTP`, and the variables of AWS for the role of a container, a pod or a
    /// web identity. Other methods replace what the environment says.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::from_env();
    /// ```
    pub fn from_env() -> Self {
        BucketOptions::of(AmazonS3Builder::from_env())
    }

    fn of(s3: AmazonS3Builder) -> Self {
        let timeout = Duration::from_secs(5);
        BucketOptions { s3, prefix: String::new(), certificates: Vec::new(), timeout }
    }

    /// Sets the name of the bucket.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::from_env().bucket("results");
    /// ```
    pub fn bucket(mut self, name: impl Into<String>) -> Self {
        self.s3 = self.s3.with_bucket_name(name);
        self
    }

    /// Sets the region of the bucket.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").region("eu-central-1");
    /// ```
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.s3 = self.s3.with_region(region);
        self
    }

    /// Sets the address of a service other than AWS, such as `https://s3.example.com`. The bucket is the first part of the path.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").endpoint("https://s3.example.com");
    /// ```
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.s3 = self.s3.with_endpoint(url);
        self
    }

    /// Allows an [endpoint](Self::endpoint) with `http`, for tests and private networks. Results are then sent in the clear; the
    /// secret itself never is.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").endpoint("http://127.0.0.1:9000").allow_http(true);
    /// ```
    pub fn allow_http(mut self, allow: bool) -> Self {
        self.s3 = self.s3.with_allow_http(allow);
        self
    }

    /// Sets the id and the secret of an access key.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").credentials("AKIAEXAMPLE", "secret");
    /// ```
    pub fn credentials(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.s3 = self.s3.with_access_key_id(id).with_secret_access_key(secret);
        self
    }

    /// Sets the token that belongs to temporary [credentials](Self::credentials).
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").credentials("ASIAEXAMPLE", "secret").session_token("token");
    /// ```
    pub fn session_token(mut self, token: impl Into<String>) -> Self {
        self.s3 = self.s3.with_token(token);
        self
    }

    /// Sets the folder of the objects in the bucket, so that several applications can use one bucket. There is none by default.
    ///
    /// ```
    /// let options = tool_replicas::BucketOptions::new("results").prefix("weather/results");
    /// ```
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Trusts these certificates in PEM as well as the public authorities, for a service of your own.
    ///
    /// ```no_run
    /// let options = tool_replicas::BucketOptions::new("results").root_certificates(std::fs::read("ca.pem")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.certificates = pem.into();
        self
    }

    /// Sets the time limit of one request with its answer; the default is 5 seconds, of which connecting may take 2. A request that fails
    /// is tried again up to twice, if that begins within this time, so that an operation takes at most about twice as long.
    ///
    /// The [largest result](tool_core::results::ResultLimits::largest) has to be transferred within this time: 8 MiB, the default, in
    /// 5 seconds are 14 Mbit/s. If you allow larger results or have a slower connection, set a longer time here, and one for calls as well: a
    /// call goes on without the store after [`ResultLimits::patience`](tool_core::results::ResultLimits::patience).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let options = tool_replicas::BucketOptions::new("results").timeout(Duration::from_secs(2));
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the name of the bucket.
    pub(super) fn name(&self) -> Result<String, BucketError> {
        self.value(AmazonS3ConfigKey::Bucket).filter(|name| !name.is_empty()).ok_or(BucketError::NoBucket)
    }

    /// Returns the prefix of all keys.
    pub(super) fn object_prefix(&self) -> Result<String, BucketError> {
        let parsed = Path::parse(&self.prefix).map_err(|_| BucketError::Prefix(self.prefix.clone()))?;
        Ok(if parsed.as_ref().is_empty() { String::new() } else { format!("{parsed}/") })
    }

    /// Returns a client with bounded times.
    pub(super) fn client(self) -> Result<AmazonS3, BucketError> {
        let endpoints = [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint];
        if endpoints.into_iter().filter_map(|key| self.value(key)).any(|url| url.contains('@')) {
            return Err(BucketError::CredentialsInEndpoint);
        }
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(50),
                max_backoff: Duration::from_secs(1),
                base: 2.,
            },
            max_retries: RETRIES,
            retry_timeout: self.timeout,
        };
        let connector = Connector { tls: tls(&self.certificates)?, timeout: self.timeout };
        let s3 = self.s3.with_retry(retry).with_http_connector(connector);
        s3.build().map_err(|error| BucketError::Options(error.to_string()))
    }

    fn value(&self, key: AmazonS3ConfigKey) -> Option<String> {
        self.s3.get_config_value(&key)
    }
}

impl fmt::Debug for BucketOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketOptions")
            .field("bucket", &self.value(AmazonS3ConfigKey::Bucket))
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_credentials() {
        let options =
            BucketOptions::new("results").credentials("the-id", "the-secret").session_token("the-token");
        let debug = format!("{options:?} {options:#?}");
        for secret in ["the-id", "the-secret", "the-token"] {
            assert!(!debug.contains(secret), "{debug}");
        }
        assert!(debug.contains("results"), "{debug}");
    }

    #[test]
    fn refuses_credentials_in_the_address() {
        for url in ["https://user:password@s3.example.com", "https://user@s3.example.com"] {
            let error = BucketOptions::new("results").endpoint(url).client().unwrap_err();
            assert!(matches!(error, BucketError::CredentialsInEndpoint), "{error}");
            assert!(!error.to_string().contains("user:"), "{error}");
        }
    }

    #[test]
    fn normalizes_the_prefix() {
        for (prefix, expected) in [("", ""), ("a", "a/"), ("a/b", "a/b/"), ("/a/", "a/")] {
            assert_eq!(BucketOptions::new("results").prefix(prefix).object_prefix().unwrap(), expected);
        }
        for prefix in ["a//b", "a/../b", "."] {
            let error = BucketOptions::new("results").prefix(prefix).object_prefix().unwrap_err();
            assert!(matches!(error, BucketError::Prefix(_)), "{error}");
        }
    }

    #[test]
    fn refuses_incomplete_options() {
        let half = BucketOptions::of(AmazonS3Builder::new().with_access_key_id("the-id")).bucket("results");
        let error = half.client().unwrap_err();
        assert!(matches!(error, BucketError::Options(_)) && !error.to_string().contains("the-id"), "{error}");
        let error = BucketOptions::new("results").root_certificates(*b"no certificate").client().unwrap_err();
        assert!(matches!(error, BucketError::Certificates(_)), "{error}");
    }
}
