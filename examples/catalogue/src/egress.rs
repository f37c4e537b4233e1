//! Checks of outgoing addresses: no requests to internal networks.
//!
//! Descriptions, redirects and the name service are untrusted. The resolved address is checked, and the client connects to that
//! very address.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The addresses that may be connected to: the public internet and, if allowed, this machine.
///
/// ```
/// use catalogue::Egress;
///
/// let egress = Egress::public();
/// assert!(egress.check(&"https://api.example.org/v1".parse()?).is_ok());
/// let refused = egress.check(&"http://0x7f000001/admin".parse()?).unwrap_err();
/// assert_eq!(refused.to_string(), "`127.0.0.1` is an address that must not be connected to");
/// assert!(egress.and_this_machine().check(&"http://127.0.0.1:8081/".parse()?).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Egress {
    this_machine: bool,
}

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The scheme is not HTTP.
    #[error("`{0}:` is no address of HTTP")]
    Scheme(String),
    /// The URL contains a user name or password.
    #[error("an address with a name or a password in it is not asked")]
    Credentials,
    /// The address belongs to a private, link-local or other special network.
    #[error("`{0}` is an address that must not be connected to")]
    Address(IpAddr),
    /// The host resolves to such an address.
    #[error("`{host}` has the address {address}, which must not be connected to")]
    Host {
        /// The host.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
}

/// A function that resolves a host.
pub type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

/// The future that a [`Lookup`] returns.
pub type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

impl Egress {
    /// Allows the public internet only.
    #[must_use]
    pub fn public() -> Self {
        Egress::default()
    }

    /// Also allows this machine, if the URL names `localhost` or a loopback address. Other names that resolve to this machine are
    /// still refused.
    #[must_use]
    pub fn and_this_machine(self) -> Self {
        Egress { this_machine: true }
    }

    /// Checks a URL as far as possible without resolving it. Names are checked again when they are resolved.
    ///
    /// # Errors
    ///
    /// The reason for refusing it.
    pub fn check(self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Credentials);
        }
        match literal(url.host_str().unwrap_or_default()) {
            Some(address) if !self.admits(&address.to_string(), address) => Err(Refusal::Address(address)),
            _ => Ok(()),
        }
    }

    /// Returns `true` if a connection for this host may use this address.
    #[must_use]
    pub fn admits(self, host: &str, address: IpAddr) -> bool {
        if is_this_machine(host) { self.this_machine && address.is_loopback() } else { is_public(address) }
    }

    /// Creates a resolver that returns only allowed addresses. The client connects to them without a second lookup.
    #[must_use]
    pub fn resolver(self, lookup: Lookup) -> Resolver {
        Resolver { egress: self, lookup }
    }
}

/// Returns the system's name lookup.
#[must_use]
pub fn lookup() -> Lookup {
    Arc::new(|host| Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) }))
}

/// Returns `true` if a host is `localhost` or a loopback address.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    match literal(host) {
        Some(address) => address.is_loopback(),
        None => host.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
    }
}

/// A resolver for [reqwest] that returns only allowed addresses.
pub struct Resolver {
    egress: Egress,
    lookup: Lookup,
}

/// The error for a name without addresses.
#[derive(Debug, thiserror::Error)]
#[error("`{host}` cannot be resolved")]
pub(crate) struct Unresolved {
    host: String,
    #[source]
    error: std::io::Error,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (egress, host) = (self.egress, name.as_str().to_owned());
        let found = (self.lookup)(host.clone());
        Box::pin(async move {
            let boxed = |error| -> Box<dyn Error + Send + Sync> { error };
            let addresses =
                found.await.map_err(|error| boxed(Box::new(Unresolved { host: host.clone(), error })))?;
            // One refused address is enough: the owner of the name is not trusted.
            match addresses.iter().find(|found| !egress.admits(&host, found.ip())) {
                Some(found) => Err(boxed(Box::new(Refusal::Host { host, address: found.ip() }))),
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}

/// Returns the address if a host is a literal one. [`Url`] has normalized its spelling.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Returns `true` for an address of the public internet, outside the special ranges of RFC 6890.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            !SPECIAL_V4.iter().any(|(network, length)| (bits ^ network.to_bits()) >> (32 - length) == 0)
        }
        IpAddr::V6(address) => {
            let within = |(network, length): &(Ipv6Addr, u32)| {
                (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
            };
            within(&UNICAST_V6) && !SPECIAL_V6.iter().any(within)
        }
    }
}

const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Carrier-grade NAT (RFC 6598).
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, including cloud metadata services.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Global unicast of IPv6. Mapped and translated IPv4 (`::ffff:0:0/96`, `64:ff9b::/96`), loopback, link-local and multicast
/// addresses are outside.
const UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // IETF protocols, including Teredo, which embeds IPv4 addresses.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which embeds IPv4 addresses.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

#[cfg(test)]
mod tests;
