//! The hosts and origins of requests that are allowed: headers that a browser sets and no page can forge.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use tool_core::authentication::Authenticator;
use tool_serve::BODY_TIMEOUT;

use crate::http::rejection::Rejection;
use crate::protocol::shortened;
use crate::session_store::SessionStore;

/// The allowed hosts and origins (`None` for any), the authenticator, the time limit for bodies, and the session store.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) origins: Option<Vec<String>>,
    pub(crate) authenticator: Option<Arc<dyn Authenticator>>,
    pub(crate) body_timeout: Duration,
    pub(crate) sessions: Option<Arc<dyn SessionStore>>,
}

impl Default for Policy {
    /// Allows only callers on this machine.
    fn default() -> Self {
        let local = ["localhost", "127.0.0.1", "[::1]"];
        Policy {
            hosts: Some(local.map(str::to_owned).into()),
            origins: Some(local.map(|host| format!("http://{host}:*")).into()),
            authenticator: None,
            body_timeout: BODY_TIMEOUT,
            sessions: None,
        }
    }
}

impl Policy {
    /// Allows the address that the server listens on: DNS rebinding abuses names, and never addresses.
    pub(crate) fn allow_address(&mut self, addr: SocketAddr) {
        if let Some(hosts) = &mut self.hosts
            && !addr.ip().is_unspecified()
        {
            hosts.push(addr.to_string());
        }
    }
}

/// The parsed hosts and origins of a [`Policy`].
pub(super) struct HeaderRules {
    hosts: Option<Vec<Host>>,
    origins: Option<Vec<AllowedOrigin>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WebOrigin {
    /// The opaque origin `null`.
    Null,
    Page {
        scheme: String,
        host: Host,
    },
}

struct AllowedOrigin {
    origin: WebOrigin,
    any_port: bool,
}

impl HeaderRules {
    pub(super) fn new(policy: &Policy) -> Self {
        let host = |text: &String| {
            let authority = Authority::try_from(text.trim()).ok();
            authority.map_or_else(|| Host::new(text.trim(), None), |it| Host::new(it.host(), it.port_u16()))
        };
        let origin = |text: &String| {
            let text = text.trim();
            let with_any_port = text.strip_suffix(":*");
            let origin = WebOrigin::parse(with_any_port.unwrap_or(text))?;
            let has_port = matches!(&origin, WebOrigin::Page { host, .. } if host.port.is_some());
            // An entry without a port allows any.
            (with_any_port.is_none() || !has_port && origin != WebOrigin::Null)
                .then_some(AllowedOrigin { any_port: !has_port, origin })
        };
        HeaderRules {
            hosts: policy.hosts.as_ref().map(|hosts| hosts.iter().map(host).collect()),
            origins: policy.origins.as_ref().map(|origins| origins.iter().filter_map(origin).collect()),
        }
    }

    /// Checks the `Host` and the `Origin` of a request.
    pub(super) fn check(&self, head: &Parts) -> Result<(), Rejection> {
        self.check_host(head)?;
        self.check_origin(head)
    }

    /// Checks the `Host` of a request.
    pub(super) fn check_host(&self, head: &Parts) -> Result<(), Rejection> {
        let text = single(head, &header::HOST)?.and_then(|host| host.to_str().ok());
        if text.is_some_and(|text| self.hosts.iter().flatten().any(|host| host.is(text))) {
            return Ok(());
        }
        let host = requested_host(head)?;
        let is_allowed = |allowed: &Host| {
            allowed.name == host.name && allowed.port.is_none_or(|port| host.port == Some(port))
        };
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.iter().any(is_allowed)) {
            let host = shortened(&host.name);
            tracing::warn!(
                host = &*host,
                "a request for another host is refused; if this server is reached by that name, allow it with \
                 `tool_mcp::Server::allowed_hosts`"
            );
            let message =
                "the `Host` of the request is not allowed; the log of the server says how to allow it";
            return Err(Rejection::new(StatusCode::FORBIDDEN, message));
        }
        Ok(())
    }

    fn check_origin(&self, head: &Parts) -> Result<(), Rejection> {
        let forbidden = |message: &str| Rejection::new(StatusCode::FORBIDDEN, message);
        let Some(allowed) = &self.origins else { return Ok(()) };
        let Some(origin) = single(head, &header::ORIGIN)? else { return Ok(()) };
        let origin = origin.to_str().map_err(|_| forbidden("Invalid Origin header encoding"))?;
        let origin = WebOrigin::parse(origin).ok_or_else(|| forbidden("Invalid Origin header"))?;
        if allowed.iter().any(|allowed| allowed.allows(&origin)) {
            Ok(())
        } else {
            tracing::warn!(?origin, "a request of another origin is refused");
            Err(forbidden("Origin header is not allowed"))
        }
    }
}

/// Returns a header that may not be repeated: a proxy may have used the other value (RFC 9112, section 3.2).
fn single<'h>(head: &'h Parts, name: &HeaderName) -> Result<Option<&'h HeaderValue>, Rejection> {
    let mut values = head.headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(Rejection::bad_request(format!("the header `{name}` is repeated"))),
        (value, None) => Ok(value),
    }
}

/// Returns the host that a request is for, by its header or, in HTTP/2, by its URI.
fn requested_host(head: &Parts) -> Result<Host, Rejection> {
    let Some(host) = head.headers.get(header::HOST) else {
        let authority = head.uri.authority().ok_or_else(|| Rejection::bad_request("missing Host header"))?;
        return Ok(Host::new(authority.host(), authority.port_u16()));
    };
    let host = host.to_str().map_err(|_| Rejection::bad_request("Invalid Host header encoding"))?;
    let host = Authority::try_from(host).map_err(|_| Rejection::bad_request("Invalid Host header"))?;
    Ok(Host::new(host.host(), host.port_u16()))
}

impl Host {
    /// Returns `true` for a text that is plainly this host: its name, and a port in digits. Any other text is parsed.
    fn is(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(&*self.name).filter(|_| !self.name.contains(':')) else {
            return false;
        };
        let digits = rest.strip_prefix(':').filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        let port = digits.and_then(|port| port.parse().ok());
        (rest.is_empty() || port.is_some()) && self.port.is_none_or(|it| port == Some(it))
    }

    fn new(name: &str, port: Option<u16>) -> Self {
        Host { name: name.trim_matches(['[', ']']).to_ascii_lowercase(), port }
    }
}

impl WebOrigin {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") {
            return Some(WebOrigin::Null);
        }
        let uri = Uri::try_from(text).ok()?;
        let authority = uri.authority()?;
        let host = Host::new(authority.host(), authority.port_u16());
        Some(WebOrigin::Page { scheme: uri.scheme_str()?.to_ascii_lowercase(), host })
    }
}

impl AllowedOrigin {
    fn allows(&self, origin: &WebOrigin) -> bool {
        match (&self.origin, origin) {
            (WebOrigin::Null, WebOrigin::Null) => true,
            (WebOrigin::Page { scheme, host }, WebOrigin::Page { scheme: other_scheme, host: other }) => {
                // An origin omits the default port of its scheme (RFC 6454, section 6.2).
                let implied = match other_scheme.as_str() {
                    "http" => Some(80),
                    "https" => Some(443),
                    _ => None,
                };
                scheme == other_scheme
                    && host.name == other.name
                    && (self.any_port || other.port.or(implied) == host.port)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;
    use crate::captured_log::CapturedLog;

    fn status(policy: &Policy, headers: &[(&str, &str)]) -> u16 {
        let request =
            headers.iter().fold(Request::post("/"), |request, (name, value)| request.header(*name, *value));
        let (head, ()) = request.body(()).unwrap().into_parts();
        match HeaderRules::new(policy).check(&head) {
            Ok(()) => 200,
            Err(rejection) => rejection.into_response().status().as_u16(),
        }
    }

    #[test]
    fn allows_hosts_with_their_ports() {
        let hosts = Some(vec!["localhost".to_owned(), "[::1]".to_owned(), "tools.example:80".to_owned()]);
        let policy = Policy { hosts, ..Policy::default() };
        for (host, expected) in [
            ("localhost", 200),
            ("LOCALHOST:1", 200),
            ("[::1]:65535", 200),
            ("tools.example:80", 200),
            ("tools.example", 403),
            ("tools.example:8080", 403),
            ("localhost.evil.example", 403),
            ("user@localhost", 200),
            ("localhost:", 200),
            ("a b", 400),
            ("::1", 400),
            ("::1:80", 400),
        ] {
            assert_eq!(status(&policy, &[("host", host)]), expected, "{host}");
        }
        assert_eq!(status(&policy, &[]), 400);
    }

    #[test]
    fn allows_origins_with_their_ports() {
        let origins = ["https://a.example", "https://b.example:443", "http://c.example:*", "null"];
        let origins = Some(origins.map(str::to_owned).into());
        let policy = Policy { hosts: None, origins, ..Policy::default() };
        for (origin, expected) in [
            ("https://a.example", 200),
            ("https://a.example:5", 200),
            ("https://b.example", 200),
            ("https://b.example:444", 403),
            ("http://b.example", 403),
            ("http://c.example:7", 200),
            ("null", 200),
            ("nonsense", 403),
        ] {
            assert_eq!(status(&policy, &[("host", "any"), ("origin", origin)]), expected, "{origin}");
        }
    }

    #[test]
    fn refuses_repeated_headers() {
        let policy = Policy::default();
        for headers in [
            [("host", "localhost"), ("host", "evil.example"), ("x-a", "b")],
            [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")],
        ] {
            assert_eq!(status(&policy, &headers), 400, "{headers:?}");
        }
    }

    #[test]
    fn logs_how_another_host_is_allowed() {
        let log = CapturedLog::default();
        let refused = || status(&Policy::default(), &[("host", "tools.example")]);
        assert_eq!(tracing::subscriber::with_default(log.subscriber(), refused), 403);
        let log = log.text();
        assert!(log.contains("`tool_mcp::Server::allowed_hosts`"), "{log}");
        assert!(log.contains(r#"host="tools.example""#), "{log}");
    }
}
