#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "s3")]
mod bucket;

#[cfg(feature = "s3")]
pub use bucket::{Bucket, BucketError, BucketOptions};
