//! Where requests may go: not into the network that this program stands in.
//!
//! The descriptions of a catalogue say where to call, a redirect says where else, and the name service what address that
//! is. None of them is trusted: an address is looked at when it is known, and the connection is made to that very address.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Which addresses may be connected to: those of the public internet, and of this machine if that is allowed.
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

/// Why a request may not be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not of HTTP.
    #[error("`{0}:` is no address of HTTP")]
    Scheme(String),
    /// It holds a name or a password.
    #[error("an address with a name or a password in it is not asked")]
    Credentials,
    /// It is an address of a private, a link-local or another special network.
    #[error("`{0}` is an address that must not be connected to")]
    Address(IpAddr),
    /// The host has such an address.
    #[error("`{host}` has the address {address}, which must not be connected to")]
    Host {
        /// The host.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
}

/// Finds the addresses of a host.
pub type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

/// What a [`Lookup`] comes to.
pub type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

impl Egress {
    /// To the public internet alone.
    #[must_use]
    pub fn public() -> Self {
        Egress::default()
    }

    /// Also to this machine, where the address says so itself: `localhost` or a loopback address. A name of somebody else
    /// that leads to this machine is refused as before.
    #[must_use]
    pub fn and_this_machine(self) -> Self {
        Egress { this_machine: true }
    }

    /// Whether a request may be sent to this address, as far as it shows. Names are looked at again when they are resolved.
    ///
    /// # Errors
    ///
    /// Why not.
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

    /// Whether a connection for this host may be made to this address.
    #[must_use]
    pub fn admits(self, host: &str, address: IpAddr) -> bool {
        if is_this_machine(host) { self.this_machine && address.is_loopback() } else { is_public(address) }
    }

    /// A resolver that finds no other addresses than those that may be connected to. The client connects to what it is
    /// given and asks no second time.
    #[must_use]
    pub fn resolver(self, lookup: Lookup) -> Resolver {
        Resolver { egress: self, lookup }
    }
}

/// As everything else on this machine finds addresses.
#[must_use]
pub fn lookup() -> Lookup {
    Arc::new(|host| Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) }))
}

/// Whether an address says of itself that it is this machine.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    match literal(host) {
        Some(address) => address.is_loopback(),
        None => host.trim_end_matches('.').eq_ignore_ascii_case("localhost"),
    }
}

/// Resolves names for [reqwest], and hands out addresses that may be connected to.
pub struct Resolver {
    egress: Egress,
    lookup: Lookup,
}

/// A name that has no address.
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
            // One bad address spoils them all: whoever owns the name is not to be trusted.
            match addresses.iter().find(|found| !egress.admits(&host, found.ip())) {
                Some(found) => Err(boxed(Box::new(Refusal::Host { host, address: found.ip() }))),
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}

/// The address that a host is written as, if it is one: [`Url`] has brought every spelling into one form.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether it is an address of the public internet: the registries of special addresses (RFC 6890) do not have it.
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
    // Shared by the customers of a carrier (RFC 6598).
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Where clouds answer about the machine itself.
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

/// What is given out of IPv6. All that stands for an address of IPv4 (`::ffff:0:0/96`, `64:ff9b::/96`), this machine, links and
/// groups lie outside of it.
const UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // Protocols, among them Teredo, which carries addresses of IPv4.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which carries addresses of IPv4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

#[cfg(test)]
mod tests;
