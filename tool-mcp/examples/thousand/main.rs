//! A thousand tools with two-step discovery: `thousand` serves stdio, `thousand 127.0.0.1:8080` serves HTTP.

#[allow(unreachable_pub, missing_docs, reason = "shared with the tests")]
mod tools;

use tool_mcp::{Discovery, Server};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server =
        Server::new(tools::registry()).name("thousand").version("1.0.0").discovery(Discovery::TwoStep);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match std::env::args().nth(1) {
            None => server.serve_stdio().await?,
            Some(addr) => {
                let http = server.serve_http(addr).await?;
                eprintln!("listening on http://{}", http.local_addr());
                http.run().await?;
            }
        }
        Ok(())
    })
}
