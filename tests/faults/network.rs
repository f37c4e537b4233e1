//! Networks that lose packets, and names that are never resolved.

use std::fs;
use std::thread;

use serde_json::json;

use crate::memory::{read, report, stored};
use crate::namespace::inside;
use crate::process::{Protocol, Server, application, with_results};

/// The share of the packets that are lost.
const LOSS: &str = "iptables -A INPUT -m statistic --mode random --probability 0.05 -j DROP";

pub(crate) fn answers_while_packets_are_lost() {
    inside("answers_while_packets_are_lost", LOSS, || {
        let folder = tempfile::tempdir().unwrap();
        let server = with_results(folder.path(), &[]);
        thread::scope(|scope| {
            for client in 0..10 {
                let server = &server;
                scope.spawn(move || {
                    let mut stream = server.connect();
                    for call in 0..20 {
                        let text = format!("{client}.{call}");
                        let response = server.call_on(&mut stream, "echo", &json!({"text": text})).unwrap();
                        assert_eq!((response.status, response.value()), (200, json!(text)));
                    }
                    let title = format!("report {client}");
                    assert_eq!(read(server, &stored(server, &title)), report(&title));
                });
            }
        });
        server.process.terminate();
    });
}

pub(crate) fn answers_while_a_name_is_not_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let resolver = folder.path().join("resolv.conf");
    // The resolver of the system waits longer than any test.
    fs::write(&resolver, "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n").unwrap();
    let script = format!(
        "iptables -A INPUT -p udp --dport 53 -j DROP; mount --bind {} /etc/resolv.conf",
        resolver.display()
    );
    inside("answers_while_a_name_is_not_resolved", &script, || {
        let mut command = application(&[]);
        let server =
            Server::start(Protocol::Mcp, command.env("FAULTS_UPSTREAM", "http://nowhere.example/mcp"));
        for _ in 0..10 {
            server.assert_answers();
        }
        // The resolver still waits.
        server.process.terminate();
    });
}
