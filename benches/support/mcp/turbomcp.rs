//! `turbomcp TOOLS http|stdio`: an echo and others of its kind, through turbomcp's macros.

use tokio::io::BufReader;
use turbomcp::http::{HttpConfig, router};
use turbomcp::prelude::*;
use turbomcp::{DefaultCodec, LegacySessionAdapter};
use turbomcp_transport_stdio::LineTransport;

async fn serve<S>(server: ServerBuilder<S>, transport: &str)
where
    S: McpServerCore + Clone + Send + Sync + 'static,
{
    let service = server.build();
    match transport {
        "stdio" => {
            let (input, output) = transport::pipes();
            let lines = LineTransport::new(BufReader::new(input), output, DefaultCodec::default());
            turbomcp::serve(lines, LegacySessionAdapter::new(service)).await.unwrap();
        }
        _ => {
            let hosts = ["localhost", "127.0.0.1", "[::1]"].into_iter();
            let config = hosts.fold(HttpConfig::new().path("/"), HttpConfig::allow_host);
            transport::over_http(router(service, config)).await;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport] = [words.next().unwrap(), words.next().unwrap()];
    match tools.as_str() {
        "10" => serve(few::Echoes.into_server(), &transport).await,
        "100" => serve(more::Echoes.into_server(), &transport).await,
        _ => serve(many::Echoes.into_server(), &transport).await,
    }
}
