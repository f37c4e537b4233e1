#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "s3")]
mod bucket;
#[cfg(feature = "postgres")]
mod changes;
#[cfg(feature = "postgres")]
mod database;
#[cfg(feature = "postgres")]
mod sessions;

#[cfg(feature = "s3")]
pub use bucket::{Bucket, BucketError, BucketOptions};
#[cfg(feature = "postgres")]
pub use changes::{ChangesError, PostgresChanges};
#[cfg(feature = "postgres")]
pub use database::InvalidDatabaseUrl;
#[cfg(feature = "postgres")]
pub use sessions::PostgresSessions;
