//! Who may speak to a server at all: the host that is asked for, and the page that asks.
//!
//! A server on a loopback address is within reach of every web page that its user opens. Two things give a page away:
//! the name that it asks for, when it made its own name mean this machine (DNS rebinding), and what the browser says of
//! where a request comes from (`Origin` and the Fetch metadata headers).

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, Method, Request, header};

use crate::origin::{Authority, Host, Origin};
use crate::refusal::Refusal;
use crate::server::error::ServeError;

/// The hosts that a server answers for, and the origins that may ask.
#[derive(Debug)]
pub(crate) struct Gate {
    bound: IpAddr,
    hosts: Vec<Host>,
    origins: Vec<Origin>,
}

impl Gate {
    pub(crate) fn new(bound: IpAddr, hosts: &[String], origins: &[&String]) -> Result<Self, ServeError> {
        let host = |text: &String| match Authority::parse(text) {
            Some(Authority { host, port: None }) => Ok(host),
            _ => Err(ServeError::Host(text.clone())),
        };
        let origin = |text: &&String| Origin::named(text).ok_or_else(|| ServeError::Origin((*text).clone()));
        Ok(Gate {
            bound: bound.to_canonical(),
            hosts: hosts.iter().map(host).collect::<Result<_, _>>()?,
            origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
        })
    }

    /// Lets a request pass, or says why not.
    pub(crate) fn admit<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let named = sole(request.headers(), header::HOST).map_err(|_| Refusal::Host)?.ok_or(Refusal::Host)?;
        let mut asked = Authority::parse(named).ok_or(Refusal::Host)?;
        self.answers_for(&asked.host, named)?;
        // An absolute target counts more than the header (RFC 9112, section 3.2.2); both must do.
        if let Some(target) = request.uri().authority() {
            asked = Authority::parse(target.as_str()).ok_or(Refusal::Host)?;
            self.answers_for(&asked.host, target.as_str())?;
        }
        if request.method() == Method::CONNECT {
            return Err(Refusal::Tunnel);
        }
        let origin = sole(request.headers(), header::ORIGIN).map_err(|_| Refusal::CrossSite)?;
        if let Some(origin) = origin {
            let origin = Origin::parse(origin).ok_or(Refusal::CrossSite)?;
            if self.origins.contains(&origin) {
                return Ok(());
            }
            if origin != Origin::new(false, asked) {
                return Err(Refusal::CrossSite);
            }
        }
        if from_own_page(request) { Ok(()) } else { Err(Refusal::CrossSite) }
    }

    /// A name could mean anything by now, an address only itself. The port is not looked at: it is another one behind
    /// a forwarded port.
    fn answers_for(&self, host: &Host, text: &str) -> Result<(), Refusal> {
        let answers = match host {
            Host::Address(ip) => ip.is_loopback() || *ip == self.bound || self.bound.is_unspecified(),
            Host::Name(name) => name == "localhost",
        };
        if answers || self.hosts.contains(host) {
            Ok(())
        } else {
            Err(Refusal::HostNotAllowed(text.chars().take(80).collect()))
        }
    }
}

/// What the Fetch metadata of a browser say; other clients have none. A page of the same *site* may be one of another
/// program on this machine, because a site has no port. A link to this server may stand anywhere.
fn from_own_page<B>(request: &Request<B>) -> bool {
    const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
    const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
    const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");
    let is = |name, value: &str| {
        request.headers().get(name).is_some_and(|text| text.as_bytes() == value.as_bytes())
    };
    let own = !request.headers().contains_key(SITE) || is(SITE, "same-origin") || is(SITE, "none");
    let follows_link = matches!(*request.method(), Method::GET | Method::HEAD)
        && is(MODE, "navigate")
        && is(DESTINATION, "document");
    own || follows_link
}

struct Unfit;

/// The only value of a header, as text.
fn sole(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Unfit> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(|value| value.to_str().map_err(|_| Unfit)).transpose()?;
    if values.next().is_some() { Err(Unfit) } else { Ok(value) }
}
