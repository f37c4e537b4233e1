//! A bucket that fails: what is sent to it, how often, and what is said of its answers.

mod service;

use std::error::Error as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tool_core::results::{ResultStore, SharedStorage as _};
use tool_core::{Digest, Principal};
use tool_replicas::{Bucket, BucketOptions};
use tracing_subscriber::fmt::MakeWriter;

use crate::service::{Answer, Service};

const NAME: &str = "aa/bb";

fn options(service: &Service) -> BucketOptions {
    let options = BucketOptions::new("results").endpoint(service.url()).allow_http(true);
    options.credentials("the-id", "the-secret").session_token("the-token").timeout(Duration::from_secs(30))
}

fn bucket(service: &Service) -> Bucket {
    Bucket::new(options(service).prefix("app")).unwrap()
}

/// Returns an error with its causes, for people and for programs.
fn text(error: &io::Error) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn signs_requests() {
    let service = Service::start(vec![Answer::of(200, "")]).await;
    bucket(&service).put(NAME, "text".into()).await.unwrap();
    let requests = service.requests();
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert!(request.starts_with("PUT /results/app/aa/bb HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nauthorization: AWS4-HMAC-SHA256 Credential=the-id/"), "{request}");
    assert!(request.ends_with("\r\n\r\ntext"), "{request}");
    assert!(!request.contains("the-secret"), "{request}");
}

#[tokio::test]
async fn tries_again_within_bounds() {
    let busy = || Answer::of(503, "<Error><Code>SlowDown</Code></Error>");
    let service = Service::start(vec![busy(), busy(), Answer::of(200, "")]).await;
    bucket(&service).put(NAME, "text".into()).await.unwrap();
    assert_eq!(service.requests().len(), 3);

    let service = Service::start(vec![busy()]).await;
    let error = bucket(&service).get(NAME, u64::MAX).await.unwrap_err();
    assert_eq!(service.requests().len(), 3, "{error}");
    assert!(text(&error).contains("503") && text(&error).contains("SlowDown"), "{error}");
}

/// The service accepts requests and never answers. The test ends only if the bucket gives up.
#[tokio::test]
async fn gives_up_on_a_service_that_hangs() {
    let service = Service::start(vec![Answer::Never]).await;
    let bucket = Bucket::new(options(&service).timeout(Duration::from_secs(2))).unwrap();
    bucket.get(NAME, u64::MAX).await.unwrap_err();
    bucket.put(NAME, "text".into()).await.unwrap_err();
    assert!((2..=6).contains(&service.requests().len()), "{:?}", service.requests());
}

/// The service announces more than it ever sends: a bucket that reads it waits for the rest.
#[tokio::test]
async fn does_not_read_what_is_too_large() {
    let service = Service::start(vec![Answer::Announced(1_001)]).await;
    let error = bucket(&service).get(NAME, 1_000).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn distinguishes_a_missing_bucket_from_a_missing_object() {
    let missing = |code: &str| Answer::of(404, &format!("<Error><Code>{code}</Code></Error>"));
    let service = Service::start(vec![missing("NoSuchKey")]).await;
    assert_eq!(bucket(&service).get(NAME, u64::MAX).await.unwrap(), None);
    bucket(&service).check().await.unwrap();

    let service = Service::start(vec![missing("NoSuchBucket")]).await;
    let error = bucket(&service).check().await.unwrap_err();
    assert!(text(&error).contains("NoSuchBucket"), "{error}");
}

#[tokio::test]
async fn sends_nothing_in_the_clear_unless_allowed() {
    let service = Service::start(vec![Answer::of(200, "")]).await;
    let bucket = Bucket::new(options(&service).allow_http(false)).unwrap();
    bucket.put(NAME, "text".into()).await.unwrap_err();
    assert_eq!(service.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn follows_no_redirect() {
    let other = Service::start(vec![Answer::of(200, "")]).await;
    let service = Service::start(vec![Answer::Redirect(other.url())]).await;
    bucket(&service).get(NAME, u64::MAX).await.unwrap_err();
    assert_eq!(other.requests(), Vec::<String>::new());
}

/// What is logged, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

/// S3 repeats the access key, the session token and what was signed in its answers.
#[tokio::test]
async fn tells_nothing_of_credentials() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::TRACE);
    let _guard =
        tracing_subscriber::util::SubscriberInitExt::set_default(subscriber.with_writer(log.clone()));
    for (status, code) in [(400, "ExpiredToken"), (403, "SignatureDoesNotMatch"), (500, "InternalError")] {
        let body = format!(
            "<Error><Code>{code}</Code><Message>of the-id</Message><Token-0>the-token</Token-0>\
             <AWSAccessKeyId>the-id</AWSAccessKeyId><StringToSign>the-token</StringToSign></Error>"
        );
        let service = Service::start(vec![Answer::of(status, &body)]).await;
        let bucket = bucket(&service);
        for error in
            [bucket.get(NAME, u64::MAX).await.unwrap_err(), bucket.put(NAME, "".into()).await.unwrap_err()]
        {
            let text = text(&error);
            assert!(text.contains(code) && text.contains(&status.to_string()), "{text}");
            for secret in ["the-id", "the-secret", "the-token"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
        let debug = format!("{bucket:?}");
        assert!(debug.contains("results") && !debug.contains("the-"), "{debug}");
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("backing off"), "{log}");
    for secret in ["the-id", "the-secret", "the-token"] {
        assert!(!log.contains(secret), "{log}");
    }
}

/// The first read of a replica is one request, whatever is in the bucket.
#[tokio::test]
async fn reads_without_listing_the_bucket() {
    let missing = Answer::of(404, "<Error><Code>NoSuchKey</Code></Error>");
    let service = Service::start(vec![missing]).await;
    let store = ResultStore::shared(bucket(&service));
    let (ada, digest) = (Principal::new("ada"), Digest::of_bytes(b"text"));
    assert!(store.read(&ada, digest).await.unwrap().is_none());
    let requests = service.requests();
    assert_eq!(requests.len(), 1);
    let is_read = requests[0].starts_with("GET /results/app/") && requests[0].contains(&digest.hex());
    assert!(is_read, "{requests:?}");
}
