//! Checks of outgoing requests.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use crate::fetch::FetchError;

/// The origins that pages may be fetched from; none by default.
///
/// An origin is a host and a port, such as `http://127.0.0.1:8080` or `http://example.org`. Where the host is this machine
/// (`localhost`, `127.0.0.1`, `[::1]`), connections go to loopback addresses alone; every other host must have addresses of
/// the public internet, and one that resolves to a private, a link-local or another special address is refused.
///
/// ```
/// use onetool::Egress;
///
/// let egress = Egress::to(["http://127.0.0.1:8080", "http://example.org"]).unwrap();
/// assert_eq!(egress.to_string(), "http://127.0.0.1:8080, http://example.org");
/// assert_eq!(
///     Egress::to(["http://192.168.0.1"]).unwrap_err().to_string(),
///     "`http://192.168.0.1` is neither this machine nor an address of the public internet",
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Egress {
    origins: Vec<String>,
}

/// The reason why an origin is invalid.
///
/// ```
/// assert!(onetool::Egress::to(["https://example.org"]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OriginError {
    /// It is not an origin.
    #[error("`{0}` is no origin: write `http://` and a host, and a port if it is not 80")]
    NoOrigin(String),
    /// It is a special address that is never allowed.
    #[error("`{0}` is neither this machine nor an address of the public internet")]
    Special(String),
}

impl Egress {
    /// Allows these origins only.
    ///
    /// # Errors
    ///
    /// When one of them is invalid, or an address that is never allowed.
    ///
    /// ```
    /// assert!(onetool::Egress::to(["http://localhost:3000"]).is_ok());
    /// ```
    pub fn to(origins: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, OriginError> {
        let origins: Result<Vec<_>, _> = origins.into_iter().map(|text| origin(text.as_ref())).collect();
        let mut origins = origins?;
        origins.sort();
        origins.dedup();
        Ok(Egress { origins })
    }

    /// Checks that a URL has an allowed origin. Resolved addresses are checked later.
    pub(super) fn admit(&self, url: &Url) -> Result<(), FetchError> {
        if url.scheme() != "http" {
            return Err(FetchError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        let origin = url.origin().ascii_serialization();
        if self.origins.binary_search(&origin).is_err() {
            return Err(FetchError::Origin { origin, allowed: self.to_string() });
        }
        Ok(())
    }
}

impl fmt::Display for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.origins.is_empty() { f.write_str("nowhere") } else { f.write_str(&self.origins.join(", ")) }
    }
}

/// Normalizes an origin.
fn origin(text: &str) -> Result<String, OriginError> {
    let no_origin = || OriginError::NoOrigin(text.to_owned());
    let url = Url::parse(text).map_err(|_| no_origin())?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let named = url.username().is_empty() && url.password().is_none();
    let host = url.host_str().filter(|_| url.scheme() == "http" && bare && named).ok_or_else(no_origin)?;
    match literal(host) {
        Some(address) if !is_allowed(host, address) => Err(OriginError::Special(text.to_owned())),
        _ => Ok(url.origin().ascii_serialization()),
    }
}

/// Returns the address if a host is a literal one.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Returns `true` if a connection for this host may use this address.
pub(super) fn is_allowed(host: &str, address: IpAddr) -> bool {
    let is_this_machine = match literal(host) {
        Some(literal) => literal.is_loopback(),
        None => host.eq_ignore_ascii_case("localhost"),
    };
    if is_this_machine { address.is_loopback() } else { is_public(address) }
}

/// Returns `true` for an address of the public internet, outside the special ranges of RFC 6890.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b));
    !special
}

/// Returns `true` for global unicast addresses (prefix 001) that do not embed IPv4 addresses.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8)) || a == 0x2002 || (a == 0x3fff && b < 0x1000);
    a & 0xe000 == 0x2000 && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_addresses_of_the_public_internet() {
        for (text, public) in [
            ("1.1.1.1", true),
            ("93.184.215.14", true),
            ("100.63.255.255", true),
            ("100.64.0.1", false),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.32.0.1", true),
            ("192.0.0.8", false),
            ("192.0.2.1", false),
            ("192.88.99.1", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("198.20.0.1", true),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700:4700::1111", true),
            ("::", false),
            ("::1", false),
            ("::ffff:169.254.169.254", false),
            ("::ffff:1.1.1.1", false),
            ("64:ff9b::7f00:1", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("2002:7f00:1::", false),
            ("fc00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("3fff::1", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), public, "{text}");
        }
    }

    #[test]
    fn allows_loopback_addresses_only_for_local_names() {
        let (loopback, public) = ([127, 0, 0, 1].into(), [1, 1, 1, 1].into());
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"] {
            assert!(is_allowed(host, loopback) && !is_allowed(host, public), "{host}");
        }
        for host in ["example.org", "localhost.example.org", "1.1.1.1"] {
            assert!(!is_allowed(host, loopback) && is_allowed(host, public), "{host}");
        }
    }

    #[test]
    fn normalizes_origins() {
        let egress = Egress::to(["http://127.0.0.1:8080", "http://Example.ORG:80/"]).unwrap();
        for url in [
            "http://127.0.0.1:8080/a?b",
            "http://127.1:8080/",
            "http://0x7f000001:8080",
            "http://2130706433:8080",
            "http://example.org/",
        ] {
            assert!(egress.admit(&Url::parse(url).unwrap()).is_ok(), "{url}");
        }
        for url in [
            "http://127.0.0.1/",
            "http://127.0.0.2:8080/",
            "http://[::ffff:127.0.0.1]:8080/",
            "http://localhost:8080/",
            "http://example.org:8080/",
            "http://example.org.evil.test/",
            "http://127.0.0.1:8080@evil.test/",
            "http://user@example.org/",
            "https://example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
        ] {
            assert!(egress.admit(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
    }

    #[test]
    fn rejects_invalid_and_internal_origins() {
        for text in
            ["", "example.org", "https://a.test", "http://a.test/x", "http://a.test?x", "http://u:p@a.test"]
        {
            assert_eq!(Egress::to([text]), Err(OriginError::NoOrigin(text.to_owned())));
        }
        for text in ["http://10.0.0.1", "http://169.254.169.254", "http://[fe80::1]", "http://0.0.0.0:80"] {
            assert_eq!(Egress::to([text]), Err(OriginError::Special(text.to_owned())));
        }
    }
}
