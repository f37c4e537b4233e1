//! Who may speak to a server at all: the host that is asked for, and the page that asks.
//!
//! A server on a loopback address is within reach of every web page that its user opens. Two things give a page away:
//! the name that it asks for, when it made its own name mean this machine (DNS rebinding), and what the browser says of
//! where a request comes from (`Origin` and the Fetch metadata headers).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName, Method, Request, header};

use crate::refusal::Refusal;
use crate::server::ServeError;

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
        let origin = |text: &&String| Origin::parse(text).ok_or_else(|| ServeError::Origin((*text).clone()));
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
            if self.origins.iter().any(|other| origin.same(other)) {
                return Ok(());
            }
            if !origin.same(&Origin { secure: false, authority: asked }) {
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

/// Who is asked, as a browser would tell it apart from others.
#[derive(Clone, Debug, PartialEq)]
struct Authority {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
enum Host {
    Address(IpAddr),
    /// In lower case, without the dot of the root.
    Name(String),
}

impl Authority {
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (ip, rest) = rest.split_once(']')?;
                let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) };
                (Host::Address(IpAddr::V6(ip.parse::<Ipv6Addr>().ok()?).to_canonical()), port)
            }
            None => match text.split_once(':') {
                Some((host, port)) => (Host::parse(host)?, Some(port)),
                None => (Host::parse(text)?, None),
            },
        };
        let number = |port: &str| {
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            if digits { port.parse().ok() } else { None }
        };
        let port = match port {
            None | Some("") => None,
            Some(port) => Some(number(port)?),
        };
        Some(Authority { host, port })
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('.').unwrap_or(text);
        let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        if text.is_empty() || !text.bytes().all(sound) {
            return None;
        }
        Some(match text.parse::<Ipv4Addr>() {
            Ok(ip) => Host::Address(ip.into()),
            Err(_) => Host::Name(text.to_ascii_lowercase()),
        })
    }
}

#[derive(Clone, Debug)]
struct Origin {
    secure: bool,
    authority: Authority,
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        Some(Origin { secure, authority: Authority::parse(authority)? })
    }

    fn same(&self, other: &Origin) -> bool {
        let port = |origin: &Origin| origin.authority.port.unwrap_or(if origin.secure { 443 } else { 80 });
        self.secure == other.secure
            && self.authority.host == other.authority.host
            && port(self) == port(other)
    }
}
