//! The addresses that a server may name: an MCP server and its authorization server must not make this program connect
//! to hosts of its own network.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::upstream::oauth::settings::{is_loopback, is_secure};

/// Decides which URLs and addresses are allowed.
#[derive(Clone, Debug)]
pub(super) struct AddressPolicy(Arc<PolicyInner>);

#[derive(Debug)]
struct PolicyInner {
    /// Whether loopback addresses are allowed, because the URL of the server has one.
    loopback: bool,
    private: bool,
    /// The hosts of HTTP proxies, which the user of this program has chosen.
    proxies: Vec<String>,
}

/// The reason why a request was not sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AddressError {
    /// The URL has neither `https` nor a loopback host.
    Insecure { host: String },
    /// The host has only addresses that are not allowed.
    Forbidden { host: String, reach: Reach },
}

/// From where an address can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Public,
    Loopback,
    Private,
    /// Link-local, multicast, unspecified and reserved.
    Special,
}

const PROXY_VARIABLES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

impl AddressPolicy {
    /// Creates the policy for the server with this URL, which its user has configured.
    pub(super) fn new(server: &Url, allow_private: bool) -> Self {
        let proxies = PROXY_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
        let proxies = proxies.filter_map(|proxy| Url::parse(&proxy).ok()?.host_str().map(str::to_owned));
        let is_private = literal(server).is_some_and(|address| reach(address) == Reach::Private);
        AddressPolicy(Arc::new(PolicyInner {
            loopback: is_loopback(server),
            private: allow_private || is_private,
            proxies: proxies.collect(),
        }))
    }

    /// Checks a URL before it is requested, or opened in a browser.
    pub(super) fn check(&self, url: &Url) -> Result<(), AddressError> {
        let host = url.host_str().unwrap_or_default().to_owned();
        if !is_secure(url) {
            return Err(AddressError::Insecure { host });
        }
        let reach = match literal(url) {
            Some(address) => reach(address),
            None if is_loopback(url) => Reach::Loopback,
            // The resolver checks the addresses of the name.
            None => Reach::Public,
        };
        if self.allows(reach) { Ok(()) } else { Err(AddressError::Forbidden { host, reach }) }
    }

    fn allows(&self, reach: Reach) -> bool {
        match reach {
            Reach::Public => true,
            Reach::Loopback => self.0.loopback,
            Reach::Private => self.0.private,
            Reach::Special => false,
        }
    }
}

/// Resolves names to allowed addresses. The check is here, so that the address that was checked is the one that is
/// connected to.
impl Resolve for AddressPolicy {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, host) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let addresses: Vec<_> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            if policy.0.proxies.contains(&host) {
                return Ok(Box::new(addresses.into_iter()) as Addrs);
            }
            let refused =
                addresses.iter().map(|address| reach(address.ip())).find(|reach| !policy.allows(*reach));
            let allowed: Vec<_> =
                addresses.into_iter().filter(|address| policy.allows(reach(address.ip()))).collect();
            match refused {
                Some(reach) if allowed.is_empty() => Err(AddressError::Forbidden { host, reach }.into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Insecure { host } => {
                write!(f, "the URL for `{host}` has neither `https` nor a loopback host")
            }
            AddressError::Forbidden { host, reach } => {
                let (what, hint) = match reach {
                    Reach::Loopback => ("a loopback address", ""),
                    Reach::Private => ("a private address", "; `allowPrivateAddresses` allows it"),
                    Reach::Special | Reach::Public => ("a special address", ""),
                };
                write!(f, "`{host}` has {what}, which is not allowed for this server{hint}")
            }
        }
    }
}

impl Error for AddressError {}

fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Classifies an address by the registries of special-purpose addresses (RFC 6890).
fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => embedded_v4(address).map_or_else(|| reach_v6(address), reach_v4),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [127, ..] => Reach::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Reach::Private,
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Reach::Special,
        _ => Reach::Public,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Reach::Loopback,
        [0xfc00..=0xfdff, ..] => Reach::Private,
        // Global unicast, without documentation and benchmarks.
        [0x2001, 0xdb8 | 0x2, ..] => Reach::Special,
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Special,
    }
}

/// Returns the IPv4 address in an IPv6 address that stands for one: mapped, 6to4 and NAT64.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: &str, url: &str, allow_private: bool) -> Result<(), String> {
        let policy = AddressPolicy::new(&Url::parse(server).unwrap(), allow_private);
        policy.check(&Url::parse(url).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn allows_https_and_loopback() {
        let (public, local) = ("https://mcp.example.org/mcp", "http://127.0.0.1:9/mcp");
        for (server, url) in [
            (public, "https://id.example.org/token"),
            (public, "https://93.184.216.34/"),
            (public, "https://[2606:2800::1]/"),
            (local, "http://localhost:8/token"),
            (local, "https://id.example.org/token"),
            ("https://10.0.0.9/mcp", "https://10.0.0.10/token"),
        ] {
            assert_eq!(check(server, url, false), Ok(()), "{url}");
        }
        assert_eq!(check(public, "https://192.168.0.1/", true), Ok(()));
    }

    #[test]
    fn refuses_other_addresses() {
        for (url, expected) in [
            ("http://id.example.org/token", "neither `https` nor a loopback host"),
            ("file:///etc/passwd", "neither `https`"),
            ("javascript:alert(1)", "neither `https`"),
            ("http://localhost.example.org/", "neither `https`"),
            ("http://localhost:8/token", "a loopback address"),
            ("https://127.0.0.2/", "a loopback address"),
            ("https://[::1]/", "a loopback address"),
            ("https://[::ffff:127.0.0.1]/", "a loopback address"),
            ("https://[64:ff9b::7f00:1]/", "a loopback address"),
            ("https://[2002:7f00:1::]/", "a loopback address"),
            ("https://10.0.0.9/", "a private address"),
            ("https://172.31.255.255/", "a private address"),
            ("https://100.64.0.1/", "a private address"),
            ("https://[fd00::1]/", "a private address"),
            ("https://169.254.169.254/latest/meta-data/", "a special address"),
            ("https://0.0.0.0/", "a special address"),
            ("https://[::]/", "a special address"),
            ("https://[fe80::1]/", "a special address"),
            ("https://224.0.0.1/", "a special address"),
        ] {
            let error = check("https://mcp.example.org/mcp", url, false).unwrap_err();
            assert!(error.contains(expected), "{url}: {error}");
        }
        assert!(check("https://mcp.example.org/mcp", "https://169.254.169.254/", true).is_err());
    }

    #[tokio::test]
    async fn refuses_names_with_such_addresses() {
        let resolve = |server: &str| {
            let policy = AddressPolicy::new(&Url::parse(server).unwrap(), false);
            async move { policy.resolve("localhost".parse().unwrap()).await.map(Iterator::count) }
        };
        let error = resolve("https://mcp.example.org/").await.unwrap_err().to_string();
        assert!(error.starts_with("`localhost` has a loopback address"), "{error}");
        assert!(resolve("http://localhost:9/").await.unwrap() > 0);
    }
}
