//! The shared HTTP client.

use std::sync::Arc;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

/// Returns a client builder without proxies and redirects.
///
/// TLS is not used. If another crate of the build enables it in the library, a configuration is required; this one trusts no
/// certificate.
pub(crate) fn client() -> ClientBuilder {
    let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap_or_else(|error| unreachable!("the versions are those of the provider: {error}"))
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().redirect(Policy::none())
}
