//! The HTTP client of the exporters.

use std::sync::Arc;
use std::thread;

use reqwest::blocking::Client;
use rustls::{ClientConfig, RootCertStore};

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("the HTTP client cannot be built")]
    Build(#[from] reqwest::Error),
    #[error("TLS cannot be configured")]
    Tls(#[from] rustls::Error),
    #[error("the thread that builds the HTTP client panicked")]
    Thread,
}

/// Returns a client that trusts the authorities of browsers.
pub(crate) fn client() -> Result<Client, ClientError> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // A blocking client cannot be built on a thread of an asynchronous runtime.
    let built = thread::spawn(|| Client::builder().tls_backend_preconfigured(tls).build()).join();
    Ok(built.map_err(|_| ClientError::Thread)??)
}
