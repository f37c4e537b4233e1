//! The HTTP client of a bucket.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Collected, Limited};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions, Error};
use reqwest::redirect::Policy;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::bucket::error::BucketError;

/// The time limit for connecting.
const CONNECT: Duration = Duration::from_secs(2);
/// The largest answer to a request that failed.
const LARGEST_ERROR: usize = 64 * 1024;

/// Connects to the bucket, and to the services that issue credentials for it.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) tls: ClientConfig,
    /// The time limit of a request with its answer.
    pub(super) timeout: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp).as_deref() == Some("true");
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .https_only(!allows_http)
            // A request is signed for one address.
            .redirect(Policy::none())
            .timeout(self.timeout)
            .connect_timeout(CONNECT.min(self.timeout))
            .user_agent(concat!("tool-replicas/", env!("CARGO_PKG_VERSION")))
            // Objects are measured by their `Content-Length`; other crates may have turned these on.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .build()
            .map_err(|error| Error::Generic { store: "S3", source: Box::new(error.without_url()) })?;
        Ok(HttpClient::new(Client(client)))
    }
}

/// A client that removes everything but the code from answers that report an error. S3 repeats the access key, the session token
/// and the signature there, and `object_store` puts them into its errors.
#[derive(Debug)]
struct Client(reqwest::Client);

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = HttpService::call(&self.0, request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        // Without a code, if it cannot be read: the status says enough.
        let body = Limited::new(body, LARGEST_ERROR).collect().await.map(Collected::to_bytes);
        let code = body.ok().as_deref().and_then(error_code).map(str::to_owned);
        let body = code.map(|code| format!("<Error><Code>{code}</Code></Error>")).unwrap_or_default();
        Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
    }
}

/// Returns the code of an error, such as `NoSuchKey`.
fn error_code(body: &[u8]) -> Option<&str> {
    let (_, rest) = std::str::from_utf8(body).ok()?.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then_some(code)
}

/// Returns a configuration of TLS that trusts the public authorities and these certificates in PEM.
pub(super) fn tls(certificates: &[u8]) -> Result<ClientConfig, BucketError> {
    let failed = |error: &dyn std::fmt::Display| BucketError::Certificates(error.to_string());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let public = roots.len();
    for certificate in CertificateDer::pem_slice_iter(certificates) {
        let added = certificate.map_err(|error| failed(&error))?;
        roots.add(added).map_err(|error| failed(&error))?;
    }
    if !certificates.is_empty() && roots.len() == public {
        return Err(failed(&"there is none in PEM"));
    }
    let tls = ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(|error| BucketError::Options(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(tls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_code_of_an_error() {
        let body =
            b"<?xml version=\"1.0\"?><Error><Code>ExpiredToken</Code><Token-0>secret</Token-0></Error>";
        assert_eq!(error_code(body), Some("ExpiredToken"));
        for body in [&b""[..], b"<Code>", b"<Code>a b</Code>", b"<Code>\xff</Code>", &[b'<'; 100_000]] {
            assert_eq!(error_code(body), None);
        }
    }
}
