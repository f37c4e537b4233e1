//! The client that everything is asked with.

use std::sync::Arc;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

/// A client that asks no proxy and follows no redirect by itself.
///
/// Nothing is asked over TLS. Another crate of the same build may have switched it on in the library all the same, which then
/// wants to be told whose cryptography it is; here it trusts nobody.
pub(crate) fn client() -> ClientBuilder {
    let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap_or_else(|error| unreachable!("the versions are those of the provider: {error}"))
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().redirect(Policy::none())
}
