//! Connections that speak HTTP badly, slowly or not at all.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use crate::world::{LIMIT, World};

/// One of the two servers that listen.
fn address(world: &World, rng: &mut Rng) -> SocketAddr {
    if rng.bool() { world.http.address } else { world.mcp.address }
}

/// Reads until the server closes the connection; a reset is a close as well.
async fn read_to_close(stream: &mut TcpStream) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let _ = timeout(LIMIT, stream.read_to_end(&mut bytes)).await.context("a connection stays open")?;
    Ok(bytes)
}

/// Sends a part of a head, and waits for the server to close the connection.
pub(crate) async fn half_head(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let head = "POST /tools/add/call HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
    let mut stream = TcpStream::connect(address(world, rng)).await?;
    stream.write_all(&head.as_bytes()[..rng.usize(..head.len())]).await?;
    read_to_close(&mut stream).await?;
    Ok(())
}

/// Sends a body of which most is missing, byte by byte.
pub(crate) async fn slow_body(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let address = address(world, rng);
    let path = if address == world.http.address { "/tools/add/call" } else { "/mcp" };
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: 1000\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(head.as_bytes()).await?;
    let (mut reader, mut writer) = stream.split();
    let mut bytes = Vec::new();
    tokio::select! {
        _ = reader.read_to_end(&mut bytes) => {}
        () = async {
            while writer.write_all(b" ").await.is_ok() {
                sleep(Duration::from_millis(500)).await;
            }
            // The server has closed the connection.
            sleep(Duration::from_millis(500)).await;
        } => {}
    }
    let text = String::from_utf8_lossy(&bytes);
    ensure!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    Ok(())
}

/// Sends what is not HTTP.
pub(crate) async fn nonsense(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let requests: [&[u8]; 6] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /tools/add/call HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}",
        b"GET /\0 HTTP/1.1\r\nhost: a\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    let mut stream = TcpStream::connect(address(world, rng)).await?;
    stream.write_all(requests[rng.usize(..requests.len())]).await?;
    let bytes = read_to_close(&mut stream).await?;
    let text = String::from_utf8_lossy(&bytes);
    ensure!(text.is_empty() || text.starts_with("HTTP/1.1 4") || text.starts_with("HTTP/1.1 5"), "{text}");
    Ok(())
}

/// Connects and leaves at once.
pub(crate) async fn touch(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    for _ in 0..10 {
        drop(TcpStream::connect(address(world, rng)).await?);
    }
    Ok(())
}

/// Asks for large results, and reads nothing of them until the server closes the connection.
pub(crate) async fn unread_results(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    // More than the buffers of both sides take.
    const RESULTS: usize = 24;
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4_096)?;
    let mut stream = socket.connect(world.http.address).await?;
    for _ in 0..RESULTS {
        let call = world.ledger.begin("http unread results");
        let body = "{\"lines\": 20000}";
        let request = format!(
            "POST /tools/dump/call HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             traceparent: {}\r\ncontent-length: {}\r\n\r\n{body}",
            world.http.address,
            call.traceparent(),
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
    }
    // A write fails once the server has closed the connection.
    while stream.write_all(b"\r\n").await.is_ok() {
        sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}

/// Sends several requests at once, and reads their answers in order.
pub(crate) async fn pipeline(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(world.http.address).await?;
    let mut calls = Vec::new();
    let count = rng.usize(2..8);
    for number in 0..count {
        let call = world.ledger.begin("http pipeline");
        let body = format!("{{\"a\": {number}, \"b\": 100}}");
        let connection = if number + 1 == count { "close" } else { "keep-alive" };
        let request = format!(
            "POST /tools/add/call HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             traceparent: {}\r\nconnection: {connection}\r\ncontent-length: {}\r\n\r\n{body}",
            world.http.address,
            call.traceparent(),
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        calls.push(call);
    }
    let text = String::from_utf8(read_to_close(&mut stream).await?).context("answers are text")?;
    ensure!(text.matches("HTTP/1.1 200").count() == count, "{count} answers expected: {text}");
    for call in calls {
        call.answered();
    }
    Ok(())
}
