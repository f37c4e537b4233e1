//! A round-robin load balancer of connections, without stickiness.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

/// A balancer on the loopback interface. Clients that close a connection after each request reach the replicas in turn.
pub(crate) struct Balancer {
    pub(crate) address: SocketAddr,
    backends: Arc<Backends>,
}

#[derive(Default)]
struct Backends {
    addresses: RwLock<Vec<SocketAddr>>,
    next: AtomicUsize,
}

impl Balancer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let balancer = Balancer { address: listener.local_addr().unwrap(), backends: Arc::default() };
        let backends = Arc::clone(&balancer.backends);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let backends = Arc::clone(&backends);
                tokio::spawn(async move { backends.forward(client).await });
            }
        });
        balancer
    }

    /// Sets the replicas that get connections from now on.
    pub(crate) fn set(&self, addresses: Vec<SocketAddr>) {
        *self.backends.addresses.write().unwrap() = addresses;
    }
}

impl Backends {
    /// Connects a client with the next replica that accepts the connection.
    async fn forward(&self, mut client: TcpStream) {
        let addresses = self.addresses.read().unwrap().clone();
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        for attempt in 0..addresses.len() {
            if let Ok(mut backend) = TcpStream::connect(addresses[(first + attempt) % addresses.len()]).await
            {
                // An end that breaks is what the client sees.
                let _ = copy_bidirectional(&mut client, &mut backend).await;
                return;
            }
        }
    }
}
