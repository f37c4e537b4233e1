//! Resolving names, and looking at what they resolve to.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::fetch::egress;

/// Finds the addresses of a host.
pub(super) type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

pub(super) type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

/// As everything else on this machine does it.
pub(super) fn of_this_machine() -> Lookup {
    Arc::new(|host| Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) }))
}

/// Hands out addresses that may be connected to. The client connects to what it is handed and asks no second time, so that
/// a name cannot resolve to one address for the check and to another for the connection.
pub(super) struct Resolver {
    lookup: Lookup,
}

/// A host has an address that must not be connected to.
#[derive(Debug, thiserror::Error)]
#[error("`{host}` has the address {address}, which must not be connected to")]
pub(super) struct NotAllowed {
    pub(super) host: String,
    pub(super) address: IpAddr,
}

impl Resolver {
    pub(super) fn new(lookup: Lookup) -> Self {
        Resolver { lookup }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let found = (self.lookup)(host.clone());
        Box::pin(async move {
            let addresses = found.await?;
            // One bad address spoils them all: whoever owns the name is not to be trusted.
            match addresses.iter().find(|found| !egress::is_allowed(&host, found.ip())) {
                Some(found) => {
                    Err(Box::new(NotAllowed { host, address: found.ip() }) as Box<dyn Error + Send + Sync>)
                }
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}
