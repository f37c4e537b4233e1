//! Who may talk to the server: by the headers that a browser sets and no page can forge, and by who it is.

use std::net::SocketAddr;
use std::sync::Arc;

use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use tool_core::authentication::Authenticator;

/// The allowed hosts and origins, of which `None` is any, and who finds out who sends a request.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) origins: Option<Vec<String>>,
    pub(crate) authenticator: Option<Arc<dyn Authenticator>>,
}

impl Default for Policy {
    /// This machine alone, whoever it is.
    fn default() -> Self {
        let local = ["localhost", "127.0.0.1", "[::1]"];
        Policy {
            hosts: Some(local.map(str::to_owned).into()),
            origins: Some(local.map(|host| format!("http://{host}:*")).into()),
            authenticator: None,
        }
    }
}

impl Policy {
    /// Adds the address that the server listens on: what an attacker rebinds is a name, never an address.
    pub(crate) fn answer_as(&mut self, addr: SocketAddr) {
        if let Some(hosts) = &mut self.hosts
            && !addr.ip().is_unspecified()
        {
            hosts.push(addr.to_string());
        }
    }

    pub(super) fn applied_to(&self, config: StreamableHttpServerConfig) -> StreamableHttpServerConfig {
        let config = match &self.hosts {
            None => config.disable_allowed_hosts(),
            // To rmcp an empty list is any host; an entry that matches none makes it what it says.
            Some(hosts) if hosts.is_empty() => config.with_allowed_hosts([""]),
            Some(hosts) => config.with_allowed_hosts(hosts),
        };
        match &self.origins {
            None => config.disable_allowed_origins(),
            Some(origins) => config.with_allowed_origins(origins).enforce_origin_validation(),
        }
    }
}
