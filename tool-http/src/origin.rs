//! Normalized origins and authorities.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The origin of a page (RFC 6454), in normalized form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Origin {
    secure: bool,
    host: Host,
    port: u16,
}

impl Origin {
    /// Creates the origin of a page with this scheme and authority.
    pub(crate) fn new(secure: bool, Authority { host, port }: Authority) -> Self {
        Origin { secure, host, port: port.unwrap_or(if secure { 443 } else { 80 }) }
    }

    /// Parses scheme, host and optional port; `None` for anything else, such as a URL with a path.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        Some(Origin::new(secure, Authority::parse(authority)?))
    }

    /// Parses an origin from the options; it may end with `/`, as in an address bar.
    pub(crate) fn from_config(text: &str) -> Option<Self> {
        Origin::parse(text.strip_suffix('/').unwrap_or(text))
    }
}

/// The host and the port of a request, in normalized form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Authority {
    pub(crate) host: Host,
    pub(crate) port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Host {
    Address(IpAddr),
    /// In lower case, without a trailing dot.
    Name(String),
}

impl Authority {
    pub(crate) fn parse(text: &str) -> Option<Self> {
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
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        if text.is_empty() || !text.bytes().all(is_valid) {
            return None;
        }
        Some(match text.parse::<Ipv4Addr>() {
            Ok(ip) => Host::Address(ip.into()),
            Err(_) => Host::Name(text.to_ascii_lowercase()),
        })
    }
}
