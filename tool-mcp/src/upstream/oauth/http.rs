//! The HTTP client for metadata, registration and tokens.

use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, Response as HttpResponse};
use reqwest::redirect::Policy;
use reqwest::{Client, Request, Url};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};

use crate::upstream::oauth::address::AddressPolicy;
use crate::upstream::oauth::settings::is_loopback;

/// A client that connects only to allowed addresses and follows no redirects. rmcp follows those of metadata itself,
/// if they stay on the same origin.
pub(super) struct OAuthHttp {
    policy: AddressPolicy,
    client: Client,
    /// A proxy cannot connect to the loopback interface of this machine.
    direct: Client,
    /// What was asked for with `GET`: metadata.
    fetched: Mutex<Vec<Url>>,
}

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of a response.
const MAX_BODY: usize = 1 << 20;

impl OAuthHttp {
    pub(super) fn new(policy: AddressPolicy) -> reqwest::Result<Self> {
        // reqwest needs a default provider; an application may have installed another one.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let builder =
            || Client::builder().redirect(Policy::none()).timeout(TIMEOUT).dns_resolver(policy.clone());
        let (client, direct) = (builder().build()?, builder().no_proxy().build()?);
        Ok(OAuthHttp { client, direct, policy, fetched: Mutex::default() })
    }

    /// Returns the URLs of all requests with `GET`, in their order.
    pub(super) fn fetched(&self) -> Vec<Url> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn send(
        &self,
        request: OAuthHttpRequest,
    ) -> Result<HttpResponse<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        let url = Url::parse(&request.request.uri().to_string())?;
        self.policy.check(&url)?;
        if request.request.method() == Method::GET {
            self.fetched.lock().unwrap_or_else(PoisonError::into_inner).push(url.clone());
        }
        let client = if is_loopback(&url) { &self.direct } else { &self.client };
        // The URL of an error may have a secret in its query.
        let mut response =
            client.execute(Request::try_from(request.request)?).await.map_err(reqwest::Error::without_url)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(format!("the response has more than {MAX_BODY} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = HttpResponse::builder().status(response.status());
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        Ok(answer.body(body)?)
    }
}

impl OAuthHttpClient for OAuthHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let host = request.request.uri().host().unwrap_or_default().to_owned();
            let answer = self.send(request).await;
            if let Err(error) = &answer {
                // rmcp drops the reason of a failed token request.
                tracing::debug!(host, error, "an OAuth request failed");
            }
            answer
        })
    }
}
