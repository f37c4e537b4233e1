//! The check of `Host` and `Origin`.
//!
//! Every web page that a user opens can reach a server on a loopback address. Two things identify such a request: its host, if
//! a page made its own name resolve to this machine (DNS rebinding), and its origin, in `Origin` and the Fetch metadata headers.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, Method, Request, header};

use crate::error::ApiError;
use crate::origin::{Authority, Host, Origin};
use crate::server::error::ServeError;

/// The hosts of a server, and the origins whose pages may send requests.
#[derive(Debug)]
pub(crate) struct RequestFilter {
    bound: IpAddr,
    hosts: Vec<Host>,
    origins: Vec<Origin>,
}

impl RequestFilter {
    pub(crate) fn new(bound: IpAddr, hosts: &[String], origins: &[&String]) -> Result<Self, ServeError> {
        let host = |text: &String| match Authority::parse(text) {
            Some(Authority { host, port: None }) => Ok(host),
            _ => Err(ServeError::Host(text.clone())),
        };
        let origin =
            |text: &&String| Origin::from_config(text).ok_or_else(|| ServeError::Origin((*text).clone()));
        Ok(RequestFilter {
            bound: bound.to_canonical(),
            hosts: hosts.iter().map(host).collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Checks the host and the origin of a request.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), ApiError> {
        let authority = self.check_hosts(request)?;
        if request.method() == Method::CONNECT {
            return Err(ApiError::ConnectNotAllowed);
        }
        let origin = single_value(request.headers(), header::ORIGIN).map_err(|_| ApiError::CrossSite)?;
        if let Some(origin) = origin {
            let origin = Origin::parse(origin).ok_or(ApiError::CrossSite)?;
            if self.origins.contains(&origin) {
                return Ok(());
            }
            if origin != Origin::new(false, authority) {
                return Err(ApiError::CrossSite);
            }
        }
        if is_same_origin(request) { Ok(()) } else { Err(ApiError::CrossSite) }
    }

    /// Checks the host, for what pages of all origins may read. Returns the authority that the request is for.
    pub(crate) fn check_hosts<B>(&self, request: &Request<B>) -> Result<Authority, ApiError> {
        let host_header = single_value(request.headers(), header::HOST)
            .map_err(|_| ApiError::InvalidHost)?
            .ok_or(ApiError::InvalidHost)?;
        let mut authority = Authority::parse(host_header).ok_or(ApiError::InvalidHost)?;
        self.check_host(&authority.host, host_header)?;
        // An absolute target overrides the header (RFC 9112, section 3.2.2); both are checked.
        if let Some(target) = request.uri().authority() {
            authority = Authority::parse(target.as_str()).ok_or(ApiError::InvalidHost)?;
            self.check_host(&authority.host, target.as_str())?;
        }
        Ok(authority)
    }

    /// Checks a host. A name can resolve to any address, so it must be allowed. The port is ignored, because port forwarding
    /// changes it.
    fn check_host(&self, host: &Host, text: &str) -> Result<(), ApiError> {
        let is_allowed = match host {
            Host::Address(ip) => ip.is_loopback() || *ip == self.bound || self.bound.is_unspecified(),
            Host::Name(name) => name == "localhost",
        };
        if is_allowed || self.hosts.contains(host) {
            Ok(())
        } else {
            Err(ApiError::HostNotAllowed(text.chars().take(80).collect()))
        }
    }
}

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

fn is(headers: &HeaderMap, name: HeaderName, value: &str) -> bool {
    headers.get(name).is_some_and(|text| text.as_bytes() == value.as_bytes())
}

/// Checks the Fetch metadata, which only browsers send. `same-site` is not enough: a site has no port, so the page may belong
/// to another program on this machine. Links to this server are allowed from anywhere.
fn is_same_origin<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let follows_link = matches!(*request.method(), Method::GET | Method::HEAD)
        && is(headers, MODE, "navigate")
        && is(headers, DESTINATION, "document");
    !is_of_another_origin(headers) || follows_link
}

fn is_of_another_origin(headers: &HeaderMap) -> bool {
    headers.contains_key(SITE) && !is(headers, SITE, "same-origin") && !is(headers, SITE, "none")
}

/// Returns `true` if a browser follows a link, submits a form, or loads an image or a script for a page of another origin. The
/// page must not decide what is run here, even if it does not see the result. Requests of its scripts follow the rules of CORS.
pub(crate) fn is_for_foreign_page(headers: &HeaderMap) -> bool {
    is_of_another_origin(headers) && !is(headers, MODE, "cors")
}

struct InvalidHeader;

/// Returns the value of a header that is given at most once.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, InvalidHeader> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(|value| value.to_str().map_err(|_| InvalidHeader)).transpose()?;
    if values.next().is_some() { Err(InvalidHeader) } else { Ok(value) }
}
