//! Servers that are started as programs.

use serde_json::json;

use crate::hostile;
use crate::support::servers;

#[tokio::test]
async fn tools_are_listed_and_called_in_both_eras() {
    for (ways, protocol) in [("modern", "2026-07-28"), ("legacy", "2025-11-25")] {
        let servers = servers([hostile::server("one", ways)]);
        let registry = servers.registry().await;
        let echo = registry.get("one__echo").expect("it is listed");
        assert_eq!((echo.title(), echo.description()), (Some("Echo"), "Says it again."));
        assert!(registry.get("one__trace").is_some(), "it stands on the second page");
        let said = servers.call("one__echo", json!({"text": "hello"})).await.unwrap();
        assert_eq!(said.value(), "hello");
        let status = servers.status("one");
        assert_eq!(status.protocol.as_deref(), Some(protocol));
        assert_eq!((status.identity.as_deref(), status.tools), (Some("hostile 1.0.0"), 20));
        servers.upstreams.shutdown().await;
    }
}
