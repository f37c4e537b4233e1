//! Every spelling of an internal address is refused before connecting.

use super::*;

#[test]
fn accepts_only_addresses_of_the_public_internet() {
    for (text, public) in [
        ("1.1.1.1", true),
        ("9.255.255.255", true),
        ("11.0.0.0", true),
        ("93.184.215.14", true),
        ("100.63.255.255", true),
        ("100.64.0.1", false),
        ("100.127.255.255", false),
        ("100.128.0.0", true),
        ("0.0.0.0", false),
        ("0.1.2.3", false),
        ("10.1.2.3", false),
        ("127.0.0.1", false),
        ("127.255.255.254", false),
        ("169.253.255.255", true),
        ("169.254.169.254", false),
        ("172.15.255.255", true),
        ("172.16.0.1", false),
        ("172.31.255.255", false),
        ("172.32.0.1", true),
        ("192.0.0.8", false),
        ("192.0.1.0", true),
        ("192.0.2.1", false),
        ("192.88.99.1", false),
        ("192.168.1.1", false),
        ("198.17.255.255", true),
        ("198.18.0.1", false),
        ("198.19.255.255", false),
        ("198.51.100.7", false),
        ("203.0.113.9", false),
        ("223.255.255.255", true),
        ("224.0.0.1", false),
        ("239.255.255.255", false),
        ("240.0.0.1", false),
        ("255.255.255.255", false),
        ("2606:4700:4700::1111", true),
        ("2a00:1450:4001::1", true),
        ("::", false),
        ("::1", false),
        ("::7f00:1", false),
        ("::ffff:169.254.169.254", false),
        ("::ffff:1.1.1.1", false),
        ("::ffff:0:127.0.0.1", false),
        ("64:ff9b::7f00:1", false),
        ("64:ff9b:1::a00:1", false),
        ("100::1", false),
        ("2001::1", false),
        ("2001:1ff::1", false),
        ("2001:200::1", true),
        ("2001:db8::1", false),
        ("2002:7f00:1::", false),
        ("3fff:fff::1", false),
        ("3fff:1000::1", true),
        ("5f00::1", false),
        ("fc00::1", false),
        ("fd00:ec2::254", false),
        ("fe80::1", false),
        ("fec0::1", false),
        ("ff02::1", false),
    ] {
        assert_eq!(is_public(text.parse().unwrap()), public, "{text}");
    }
}

#[test]
fn rejects_internal_addresses_in_every_spelling() {
    for host in [
        "127.1",
        "127.0.1",
        "0x7f000001",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "127。0。0。1",
        "①②⑦.⓪.⓪.①",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
        "[fe80::1]",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "10.1",
        "172.16.1",
        "192.168.257",
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
    ] {
        let url: Url = format!("http://{host}/latest/meta-data").parse().unwrap();
        assert!(matches!(Egress::public().check(&url), Err(Refusal::Address(_))), "{host} {url}");
        // Allowing this machine allows nothing else.
        let inside = is_this_machine(url.host_str().unwrap());
        assert_eq!(Egress::public().and_this_machine().check(&url).is_ok(), inside, "{host} {url}");
    }
    for url in ["http://1.1.1.1/", "https://api.example.org:8443/", "http://[2606:4700:4700::1111]/"] {
        assert_eq!(Egress::public().check(&url.parse().unwrap()), Ok(()), "{url}");
    }
}

#[test]
fn rejects_other_schemes_and_credentials() {
    for url in ["file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "data:text/plain,x"] {
        assert!(matches!(Egress::public().check(&url.parse().unwrap()), Err(Refusal::Scheme(_))), "{url}");
    }
    for url in ["http://user@example.org/", "http://:pass@example.org/", "http://127.0.0.1:80@example.org/"] {
        assert_eq!(Egress::public().check(&url.parse().unwrap()), Err(Refusal::Credentials), "{url}");
    }
}

#[test]
fn allows_loopback_addresses_only_for_local_names() {
    let (loopback, public): (IpAddr, IpAddr) = ([127, 0, 0, 1].into(), [1, 1, 1, 1].into());
    let (with_loopback, without_loopback) = (Egress::public().and_this_machine(), Egress::public());
    for host in ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "[::1]", "::1"] {
        assert!(with_loopback.admits(host, loopback) && !with_loopback.admits(host, public), "{host}");
        assert!(!without_loopback.admits(host, loopback) && !without_loopback.admits(host, public), "{host}");
    }
    for host in ["example.org", "localhost.example.org", "1.1.1.1", "my-localhost"] {
        assert!(!with_loopback.admits(host, loopback) && with_loopback.admits(host, public), "{host}");
    }
}

#[tokio::test]
async fn rejects_names_with_any_internal_address() {
    let lookup = |addresses: &'static [&'static str]| -> Lookup {
        Arc::new(move |_| {
            Box::pin(async move { Ok(addresses.iter().map(|text| text.parse().unwrap()).collect()) })
        })
    };
    for (addresses, admitted) in [
        (&["1.1.1.1:0", "[2606:4700::1]:0"][..], true),
        (&["1.1.1.1:0", "10.0.0.1:0"], false),
        (&["127.0.0.1:0"], false),
        (&["[::ffff:10.0.0.1]:0"], false),
        (&["169.254.169.254:0"], false),
    ] {
        for egress in [Egress::public(), Egress::public().and_this_machine()] {
            let resolver = egress.resolver(lookup(addresses));
            let found = resolver.resolve("example.org".parse().unwrap()).await;
            assert_eq!(found.is_ok(), admitted, "{addresses:?}");
        }
    }
}
