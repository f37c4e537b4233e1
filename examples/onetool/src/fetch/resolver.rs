//! Name resolution with checks of the addresses.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::fetch::egress;

/// A function that resolves a host.
pub(super) type Lookup = Arc<dyn Fn(String) -> Found + Send + Sync>;

pub(super) type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

/// Returns the system's lookup.
pub(super) fn of_this_machine() -> Lookup {
    Arc::new(|host| Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.collect()) }))
}

/// A resolver that returns only allowed addresses. The client connects to them without a second lookup, so that a name cannot
/// resolve to another address after the check.
pub(super) struct Resolver {
    lookup: Lookup,
}

/// The error for a host with a refused address.
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
            // One refused address is enough: the owner of the name is not trusted.
            match addresses.iter().find(|found| !egress::is_allowed(&host, found.ip())) {
                Some(found) => {
                    Err(Box::new(NotAllowed { host, address: found.ip() }) as Box<dyn Error + Send + Sync>)
                }
                None => Ok(Box::new(addresses.into_iter()) as Addrs),
            }
        })
    }
}
